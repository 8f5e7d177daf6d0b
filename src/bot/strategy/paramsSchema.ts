import { z } from 'zod'
import { createFields } from './createFields.ts'
import type { Strategy } from './strategy.ts'

/** A JSON Schema, as far as this project reads one itself. */
export type JsonSchema = {
  readonly type?: unknown
  readonly description?: string
  readonly examples?: readonly unknown[]
  readonly properties?: Readonly<Record<string, JsonSchema>>
  readonly required?: readonly string[]
  readonly [key: string]: unknown
}

/**
 * The keys that may stand under `params:` of a strategy, for editors and templates. The tokens that exist are not known
 * here. The description of a key in a strategy's own example goes before the one of its kind.
 */
export function paramsSchema(strategy: Pick<Strategy<unknown>, 'params' | 'example'>): JsonSchema {
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
  return withRemarks(schema as JsonSchema, remarksIn(strategy.example ?? ''))
}

/** The comment behind each key of an example, whether the key is commented out or not. */
function remarksIn(example: string): ReadonlyMap<string, string> {
  const lines = example.matchAll(/^(?:# )?(\w+): .*? # (.+)$/gm)
  return new Map([...lines].map(([, key = '', remark = '']) => [key, remark]))
}

function withRemarks(schema: JsonSchema, remarks: ReadonlyMap<string, string>): JsonSchema {
  const properties = Object.entries(schema.properties ?? {}).map(([key, part]) => {
    const remark = remarks.get(key)
    if (remark === undefined) return [key, part] as const
    const sentence = `${remark[0]?.toUpperCase()}${remark.slice(1)}.`
    return [key, { ...part, description: `${sentence} ${part.description ?? ''}`.trim() }] as const
  })
  return { ...schema, properties: Object.fromEntries(properties) }
}
