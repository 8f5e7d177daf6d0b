import { z } from 'zod'
import { asWritten } from '../../core/display.ts'
import { BallastError } from '../../core/errors.ts'
import { invalidConfig } from '../../core/invalidConfig.ts'
import { bare } from './schemaTree.ts'

/**
 * One key of a configuration file, stated once: its text, its value, its JSON Schema and its refusals are in the schema,
 * its default in `prefault`, and the rest here.
 */
export type Key<
  schema extends z.ZodType = z.ZodType,
  name extends string | undefined = string | undefined,
> = {
  readonly schema: schema
  /** The name of the value, where it differs from the key: a unit ends the name, and stands in the text of the file. */
  readonly name: name
}

type Keys = Readonly<Record<string, Key>>

/** The value of a section. */
type Value<keys extends Keys> = {
  readonly [key in keyof keys as NameOf<keys[key], key>]: Frozen<z.output<keys[key]['schema']>>
}

type NameOf<one extends Key, key> = one['name'] extends string
  ? one['name']
  : key extends string
    ? key
    : never

type Frozen<value> = value extends (infer item)[] ? readonly item[] : value

/** Documentation and effects of a key, by its schema. */
export const notes = z.registry<Notes>()

type Notes = {
  readonly doc: string
  /** Whether a running bot takes a new value over; it needs a restart otherwise. */
  readonly live: boolean
  /** Variables that stand over the key, the more particular one first. `<CHAIN>` is the name of the chain. */
  readonly variables: readonly string[]
}

/** A key of a section. The first sentence of `doc` can stand alone. `name` is that of its value, where it differs. */
export function key<schema extends z.ZodType, const name extends string | undefined = undefined>(
  schema: schema,
  doc: string,
  name?: name,
): Key<schema, name> {
  return { schema: noted(schema, { doc, live: false, variables: [] }), name: name as name }
}

/** A key whose new value a running bot takes over. */
export function liveKey<
  schema extends z.ZodType,
  const name extends string | undefined = undefined,
>(schema: schema, doc: string, name?: name): Key<schema, name> {
  return { schema: noted(schema, { doc, live: true, variables: [] }), name: name as name }
}

/** A key that variables stand over, the more particular one first. `<CHAIN>` is the name of the chain. */
export function variableKey<schema extends z.ZodType>(
  variables: readonly string[],
  schema: schema,
  doc: string,
): Key<schema, undefined> {
  return { schema: noted(schema, { doc, live: false, variables }), name: undefined }
}

/** A copy with its notes: two keys may share one codec. */
function noted<schema extends z.ZodType>(schema: schema, about: Notes): schema {
  const form = z.globalRegistry.get(bare(schema))?.description
  const own = schema.meta({ description: form === undefined ? about.doc : `${about.doc} ${form}` })
  notes.add(own, about)
  return own
}

/** It knows what its literals are, so that it can be one kind of several. */
type Section<value> = z.ZodType<value, object> & {
  readonly _zod: { readonly propValues: z.core.util.PropValues }
}

type Rule = (written: Readonly<Record<string, unknown>>, context: z.RefinementCtx) => void

/** A section of keys. `rule` holds the keys to each other; it runs where each is of its kind. */
export function section<keys extends Keys>(
  keys: keys,
  example: string,
  { rule = () => undefined, strange }: { rule?: Rule; strange?: string } = {},
): Section<Value<keys>> {
  const shape = Object.fromEntries(Object.entries(keys).map(([name, { schema }]) => [name, schema]))
  return z
    .strictObject(shape, {
      error: ({ code, input }) =>
        code === 'unrecognized_keys' ? strange : wrongKind(input, example),
    })
    .superRefine(rule)
    .transform((written) => {
      const named = Object.entries(keys).map(([name, one]) => [one.name ?? name, written[name]])
      return Object.fromEntries(named) as Value<keys>
    })
}

/** A template writes this where only its reader knows the value. */
const blank = 'FILL IN'

/** Text that `decode` makes a value of; a BallastError it throws becomes the sentence. `form` describes the text. */
export function text<value>(
  decode: (text: string) => value,
  {
    example,
    form,
    encode,
    ...meta
  }: { example: string; form: string; encode: (value: value) => string } & Record<string, unknown>,
) {
  const written = z
    .string({ error: ({ input }) => wrongKind(input, example) })
    .meta({ examples: [example], description: form, ...meta })
  return z.codec(written, z.custom<value>(), {
    decode(input, { issues }) {
      // It stops nothing else: all problems are reported at once.
      const complain = (message: string) => {
        issues.push({ code: 'custom', input, message, continue: true })
        return z.NEVER
      }
      if (input === blank)
        return complain(`is not filled in yet: write for example ${quoted(example)}.`)
      try {
        return decode(input)
      } catch (error) {
        if (!(error instanceof BallastError)) throw error
        return complain(error.summary)
      }
    },
    encode,
  })
}

/** Text that stays as it is, once `check` has not refused it. */
export const plain = (
  check: (text: string) => void,
  about: { example: string; form: string } & Record<string, unknown>,
) =>
  text(
    (value) => {
      check(value)
      return value
    },
    { ...about, encode: (value) => value },
  )

/** Text of one form; `sentence` refuses any other. */
export const matching = (
  form: RegExp,
  sentence: (text: string) => string,
  about: Parameters<typeof plain>[1],
) =>
  plain((value) => {
    if (!form.test(value)) reject(sentence(value))
  }, about)

export function reject(sentence: string): never {
  throw invalidConfig([sentence])
}

export function wrongKind(input: unknown, example: string): string {
  if (input === undefined) return `is missing: write for example ${quoted(example)}.`
  return `is ${kindOf(input)}: write for example ${quoted(example)}.`
}

const quoted = (example: string) => (/^[[{]/.test(example) ? example : `'${example}'`)

export function kindOf(input: unknown): string {
  if (input === null || input === undefined) return 'empty'
  if (Array.isArray(input)) return 'a list'
  if (typeof input === 'object') return 'a section with keys'
  return `${asWritten(String(input))}`
}

export function list<item extends z.ZodType>(item: item, example: string) {
  return z.array(item, { error: ({ input }) => wrongKind(input, example) })
}

/** A section whose keys are names the writer chooses. */
export function named<name extends z.ZodType<string, string>, item extends z.ZodType>(
  name: name,
  item: item,
  example: string,
) {
  return z.record(name, item, { error: ({ input }) => wrongKind(input, example) })
}

export function choice<const words extends readonly [string, ...string[]]>(
  words: words,
  example: string,
) {
  return z.enum(words, {
    error: ({ input }) =>
      input === undefined || typeof input !== 'string'
        ? wrongKind(input, example)
        : `is ${asWritten(input)}: write one of ${words.join(', ')}.`,
  })
}
