import { z } from 'zod'
import { createFields } from './createFields.ts'
import type { Strategy } from './index.ts'

/** A JSON Schema, as far as this project reads one itself. */
export type JsonSchema = {
  readonly type?: unknown
  readonly description?: string
  readonly examples?: readonly unknown[]
  readonly properties?: Readonly<Record<string, JsonSchema>>
  readonly required?: readonly string[]
  readonly [key: string]: unknown
}

/** What may stand under `params:` of a strategy, for editors and templates. Which tokens there are is not known here. */
export function paramsSchema(strategy: Pick<Strategy<unknown>, 'params'>): JsonSchema {
  const { $schema, ...schema } = z.toJSONSchema(
    strategy.params(createFields({ bySymbol: new Map() })),
    {
      io: 'input',
      unrepresentable: 'any',
      // zod leaves examples out where the input is not the output; ours are of the input.
      override({ zodSchema, jsonSchema }) {
        const examples = z.globalRegistry.get(zodSchema)?.examples
        if (examples !== undefined) jsonSchema.examples = examples as unknown[]
      },
    },
  )
  return schema as JsonSchema
}
