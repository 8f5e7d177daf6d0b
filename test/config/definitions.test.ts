import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { ballastForm } from '../../src/config/config.ts'
import { notes } from '../../src/config/file/field.ts'
import { bare, defaultOf, inside, keysIn, kindsIn } from '../../src/config/file/schemaTree.ts'
import { makerForm } from '../../src/config/maker/readMakerConfig.ts'
import { serviceForm } from '../../src/config/service/serviceFile.ts'
import { signerForm } from '../../src/config/signer/readSignerConfig.ts'

type Schema = z.core.$ZodType

const forms = { ballast: ballastForm, service: serviceForm, maker: makerForm, signer: signerForm }

/** Every key of a form, those of items and of each kind included. */
function keysOf(schema: Schema, path: string): readonly (readonly [string, Schema])[] {
  const { type } = bare(schema)._zod.def
  const item = type === 'array' || type === 'record' ? inside(schema, 0) : undefined
  const holders = [schema, ...(item === undefined ? [] : [item])]
  return holders
    .flatMap((holder) => [holder, ...kindsIn(holder)])
    .flatMap((holder) => Object.entries(keysIn(holder)))
    .flatMap(([name, part]) => [
      [`${path}.${name}`, part] as const,
      ...keysOf(part, `${path}.${name}`),
    ])
}

/** The codec of a key, or of the items of its list; undefined where the text is the value. */
function codecOf(schema: Schema): z.ZodCodec<z.ZodString> | undefined {
  const { def } = schema._zod
  if (schema instanceof z.ZodCodec) return schema as z.ZodCodec<z.ZodString>
  if ('innerType' in def) return codecOf(def.innerType as Schema)
  if (def.type === 'pipe') return codecOf((def as z.core.$ZodPipeDef).in)
  return def.type === 'array' ? codecOf((def as z.core.$ZodArrayDef).element) : undefined
}

/** Values that hide themselves are compared by what they hide. */
const open = (value: unknown) =>
  JSON.stringify(value, (_, part) =>
    typeof part === 'bigint' ? `${part}n` : (part?.reveal?.() ?? part),
  )

const all = Object.entries(forms).flatMap(([name, form]) => keysOf(form, name))

describe('definitions of keys', () => {
  test('there are keys of all four files', () => {
    expect(all.length).toBeGreaterThan(150)
    for (const name of Object.keys(forms))
      expect(all.some(([path]) => path.startsWith(name))).toBe(true)
  })

  test.each(all)('%s is documented in a sentence', (_, schema) => {
    expect(notes.get(schema)?.doc).toMatch(/^[A-Z"`'].*\.$/)
  })

  test.each(all.filter(([, schema]) => codecOf(schema) !== undefined))(
    '%s: its example and its default are right, and a value is written as text that reads the same',
    (_, schema) => {
      const codec = codecOf(schema)
      if (codec === undefined) throw new Error('it was filtered')
      const { examples = [] } = z.globalRegistry.get(codec.def.in) ?? {}
      expect(examples).toHaveLength(1)
      const fallback = defaultOf(schema)
      for (const text of [
        ...(examples as string[]),
        ...(typeof fallback === 'string' ? [fallback] : []),
      ]) {
        const value = z.decode(codec, text)
        expect(open(z.decode(codec, z.encode(codec, value)))).toBe(open(value))
      }
    },
  )
})
