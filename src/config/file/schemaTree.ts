import type { z } from 'zod'
import { nearest } from '../../core/nearest.ts'
import type { Path, Problem } from '../../core/problem.ts'

type Schema = z.core.$ZodType

/** A schema of written text, without its default and without the value that is made of it. */
export function bare(schema: Schema): Schema {
  const { def } = schema._zod
  if ('innerType' in def) return bare(def.innerType as Schema)
  return def.type === 'pipe' ? bare((def as z.core.$ZodPipeDef).in) : schema
}

/** The keys of a section with their schemas; none where there is no section, or one of several kinds. */
export function keysIn(schema: Schema): Readonly<Record<string, Schema>> {
  const { def } = bare(schema)._zod
  return def.type === 'object' ? (def as z.core.$ZodObjectDef).shape : {}
}

/** What stands at one step below: a key, an item of a list, or a name the writer chose. */
export function inside(schema: Schema, step: string | number): Schema | undefined {
  const { def } = bare(schema)._zod
  if (def.type === 'array') return (def as z.core.$ZodArrayDef).element
  if (def.type === 'record') return (def as z.core.$ZodRecordDef).valueType
  return keysIn(schema)[step]
}

/** The kinds of a section that has several. */
export function kindsIn(schema: Schema): readonly Schema[] {
  const { def } = bare(schema)._zod
  return def.type === 'union' ? (def as z.core.$ZodUnionDef).options : []
}

/** The text a schema falls back on; undefined where there is none. */
export function defaultOf(schema: Schema): unknown {
  const { def } = schema._zod
  if (def.type === 'prefault') return (def as z.core.$ZodPrefaultDef).defaultValue
  return 'innerType' in def ? defaultOf(def.innerType as Schema) : undefined
}

/** The effective text: what is written with every default that stands in for what is not, in the order of the schema. */
export function withDefaults(schema: Schema, written: unknown): unknown {
  const text = written === undefined ? defaultOf(schema) : written
  if (typeof text !== 'object' || text === null) return text
  if (Array.isArray(text))
    return text.map((item, index) => withDefaults(inside(schema, index) ?? schema, item))
  const record = text as Readonly<Record<string, unknown>>
  const kinds = kindsIn(schema)
  const kind = kinds.find(({ _zod }) => _zod.propValues?.kind?.has(String(record.kind)))
  if (kind !== undefined) return withDefaults(kind, record)
  const keys = bare(schema)._zod.def.type === 'object' ? keysIn(schema) : record
  return Object.fromEntries(
    Object.keys(keys).flatMap((key) => {
      const part = inside(schema, key)
      const value = part === undefined ? record[key] : withDefaults(part, record[key])
      return value === undefined ? [] : [[key, value]]
    }),
  )
}

/** What a schema refuses of a text, as sentences about keys; or the value. */
export function decode<value>(
  schema: z.ZodType<value>,
  written: unknown,
):
  | { readonly value: value; readonly problems: readonly [] }
  | { readonly value?: never; readonly problems: readonly Problem[] } {
  const read = schema.safeParse(written)
  if (read.success) return { value: read.data, problems: [] }
  return { problems: read.error.issues.flatMap((issue) => sentencesOf(schema, issue)) }
}

function sentencesOf(schema: Schema, issue: z.core.$ZodIssue): readonly Problem[] {
  const path = issue.path.map((step) => (typeof step === 'number' ? step : String(step)))
  switch (issue.code) {
    case 'unrecognized_keys': {
      const at = path.reduce<Schema | undefined>((part, step) => part && inside(part, step), schema)
      const known = at === undefined ? [] : Object.keys(keysIn(at))
      return issue.keys.map((key) => unknownKey([...path, key], { known, message: issue.message }))
    }
    case 'invalid_key':
      return issue.issues.map(({ message }) => ({ path, sentence: message }))
    default:
      return [{ path, sentence: issue.message }]
  }
}

function unknownKey(
  path: Path,
  { known, message }: { known: readonly string[]; message: string },
): Problem {
  // A section of several kinds: what it may hold depends on which it is, and its own message says so.
  if (known.length === 0) return { path, sentence: message }
  const meant = nearest(String(path.at(-1)), known)
  return meant === undefined
    ? { path, sentence: `is not a known key; known keys are ${known.join(', ')}.` }
    : {
        path,
        sentence: `is not a known key; did you mean ${meant}?`,
        meant: [...path.slice(0, -1), meant],
      }
}
