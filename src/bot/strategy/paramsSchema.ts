import { z } from 'zod'
import { createFields } from './createFields.ts'
import { type ParamDoc, paramNotes, shapeAt } from './fields.ts'
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

/** The parameters of a strategy for editors. Which tokens there are is not known here. */
export function paramsSchema(strategy: Pick<Strategy<unknown>, 'params'>): JsonSchema {
  return jsonSchemaOf(strategy.params(createFields({ bySymbol: new Map() })))
}

/** One key of a strategy, for templates and for the documentation. */
export type ParamText = {
  readonly key: string
  readonly isRequired: boolean
  /** Undefined where the key is a bare kind. */
  readonly about: ParamDoc<unknown> | undefined
  readonly schema: JsonSchema
  /** The default as it would be written, or in words. */
  readonly fallback: string | undefined
}

/** Every key that a strategy declares, in its order. */
export function paramTexts(strategy: Pick<Strategy<unknown>, 'params'>): readonly ParamText[] {
  const schema = strategy.params(createFields({ bySymbol: new Map() }))
  const { properties = {}, required = [] } = jsonSchemaOf(schema)
  return Object.entries(shapeAt(schema)).map(([key, field]) => {
    const { about, kind } = paramNotes.get(field) ?? {}
    return {
      key,
      isRequired: required.includes(key),
      about,
      schema: properties[key] ?? {},
      fallback: fallbackOf(about?.default, kind?.show ?? String),
    }
  })
}

function fallbackOf(fallback: unknown, show: (value: unknown) => string): string | undefined {
  if (fallback === undefined) return undefined
  return typeof fallback === 'object' && fallback !== null && 'words' in fallback
    ? String(fallback.words)
    : show(fallback)
}

function jsonSchemaOf(params: z.ZodType): JsonSchema {
  const { $schema, ...schema } = z.toJSONSchema(params, {
    io: 'input',
    unrepresentable: 'any',
    // zod leaves examples out where the input is not the output; ours are of the input.
    override({ zodSchema, jsonSchema }) {
      const examples = z.globalRegistry.get(zodSchema)?.examples
      if (examples !== undefined) jsonSchema.examples = examples as unknown[]
    },
  })
  return schema as JsonSchema
}
