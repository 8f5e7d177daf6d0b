import { expect, test } from 'vitest'
import { jsonSchema } from '../../src/config/jsonSchema.ts'

type Schema = {
  readonly type?: unknown
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
  readonly additionalProperties?: unknown
  readonly default?: unknown
  readonly examples?: unknown
}

const schema = jsonSchema() as Schema

test('jsonSchema: unknown keys are marked, defaults are not required', () => {
  expect(schema.additionalProperties).toBe(false)
  expect(schema.required).toEqual(['chain', 'service', 'tokens', 'wallet', 'policy'])
  expect(schema.properties?.chain?.required).toEqual(['name', 'chainId', 'currency', 'rpcUrl'])
  expect(schema.properties?.quote?.properties?.expiry?.default).toBe('30s')
})

test('jsonSchema: a number may be written as one', () => {
  expect(schema.properties?.chain?.properties?.chainId).toMatchObject({
    type: ['integer', 'string'],
    examples: ['1'],
  })
})
