import type { Column } from './exports.ts'

/** Columns by name; one that ends in `#` is of numbers. */
export const columns = (...names: readonly string[]): readonly Column[] =>
  names.map((name) =>
    name.endsWith('#')
      ? { name: name.slice(0, -1), kind: 'number' as const }
      : { name, kind: 'text' as const },
  )
