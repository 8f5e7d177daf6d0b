import type { Path } from '../core/problem.ts'

/** One value at the end of its path; a list of plain words is one value. */
export type Leaf = { readonly path: Path; readonly value: unknown }

/** Every value of a configuration with its path, in the order they are written. */
export function leavesOf(value: unknown, path: Path = []): readonly Leaf[] {
  const isList = Array.isArray(value)
  const nested =
    typeof value === 'object' &&
    value !== null &&
    !(isList && value.every((item) => typeof item !== 'object'))
  if (!nested) return [{ path, value }]
  return Object.entries(value).flatMap(([key, part]) =>
    leavesOf(part, [...path, isList ? Number(key) : key]),
  )
}
