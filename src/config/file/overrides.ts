import type { z } from 'zod'
import type { Path } from '../../core/problem.ts'
import { notes } from './field.ts'
import { bare, keysIn } from './schemaTree.ts'
import { firstOf, type LookUp, nameInVariable, type Variable } from './variables.ts'

/** A file with variables over its keys, and which of them. */
export type Overridden = {
  readonly raw: unknown
  /** The variable that decided a key or an item of it. */
  origin(path: Path): Variable | undefined
}

/** Puts the variables of a form over the values of a file. */
export function override(form: z.ZodType, written: unknown, lookUp: LookUp): Overridden {
  const raw = structuredClone(written)
  const overridden = new Map<string, Variable>()
  const chain = nameInVariable(textAt(raw, ['chain', 'name']) ?? '')
  for (const { path, names, isList } of overridable(form)) {
    const variable = firstOf(
      names.map((name) => name.replace('<CHAIN>', chain)),
      lookUp,
    )
    if (variable === undefined) continue
    const parent = path.slice(0, -1)
    // An optional section that only the environment names would be left out in silence: create it, so that its other keys are required.
    const grandparent = valueAt(raw, parent.slice(0, -1))
    if (parent.length > 1 && isSection(grandparent) && valueAt(raw, parent) === undefined)
      grandparent[String(parent.at(-1))] = {}
    const section = valueAt(raw, parent)
    if (!isSection(section)) continue
    section[String(path.at(-1))] = isList ? listOf(variable.value) : variable.value.trim()
    overridden.set(path.join('.'), variable)
  }
  return {
    raw,
    // An item of a list has no variable of its own.
    origin: (at) => overridden.get(at.join('.')) ?? overridden.get(at.slice(0, -1).join('.')),
  }
}

type Overridable = {
  readonly path: Path
  readonly names: readonly string[]
  readonly isList: boolean
}

function overridable(section: z.core.$ZodType, above: Path = []): readonly Overridable[] {
  return Object.entries(keysIn(section)).flatMap(([name, schema]): readonly Overridable[] => {
    const path = [...above, name]
    const names = notes.get(schema)?.variables ?? []
    const isList = bare(schema)._zod.def.type === 'array'
    return [...(names.length === 0 ? [] : [{ path, names, isList }]), ...overridable(schema, path)]
  })
}

/** Several, with commas between them: a comma inside a URL is written %2C. */
const listOf = (value: string) =>
  value
    .split(',')
    .map((one) => one.trim())
    .filter((one) => one !== '')

export function textAt(value: unknown, path: Path): string | undefined {
  const found = valueAt(value, path)
  return typeof found === 'string' ? found : undefined
}

export function valueAt(value: unknown, path: Path): unknown {
  return path.reduce<unknown>(
    (part, step) =>
      typeof part === 'object' && part !== null && Object.hasOwn(part, step)
        ? (part as Record<string | number, unknown>)[step]
        : undefined,
    value,
  )
}

export function isSection(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
