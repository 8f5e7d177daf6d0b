import { globalRegistry, type z } from 'zod'
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

/** The schema one step below: of a key, of an item of a list, or of a name that the writer chose. */
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

/** The form of the text, in words. */
export function formOf(schema: Schema): string {
  const { def } = bare(schema)._zod
  switch (def.type) {
    case 'array':
      return `A list. ${formOf((def as z.core.$ZodArrayDef).element)}`
    case 'enum':
      return `One of ${Object.keys((def as z.core.$ZodEnumDef).entries).join(', ')}.`
    case 'boolean':
      return '`true` or `false`.'
    case 'record':
      return `A section by name. ${formOf((def as z.core.$ZodRecordDef).valueType)}`
    case 'object':
      return 'A section.'
    case 'union': {
      const kinds = kindsIn(schema).flatMap(({ _zod }) => [...(_zod.propValues?.kind ?? [])])
      return `A section of kind ${kinds.join(', ')}.`
    }
    default:
      return globalRegistry.get(bare(schema))?.description ?? 'Anything.'
  }
}

/** The text a schema falls back on; undefined where there is none. */
export function defaultOf(schema: Schema): unknown {
  const { def } = schema._zod
  if (def.type === 'prefault') return (def as z.core.$ZodPrefaultDef).defaultValue
  return 'innerType' in def ? defaultOf(def.innerType as Schema) : undefined
}

/** The effective text: the written one with every default, in the order of the schema. */
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

/** Reads a text with a schema: the value, or its problems as sentences about keys. */
export function readWith<value>(
  schema: z.ZodType<value>,
  written: unknown,
):
  | { readonly value: value; readonly problems: readonly [] }
  | { readonly value?: never; readonly problems: readonly Problem[] } {
  // The schema holds this file's tokens and is read once: compiling it would take longer than the reading.
  const read = schema.safeParse(written, { jitless: true })
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
  // A section of several kinds: its kind decides its keys, and its own message names it.
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
