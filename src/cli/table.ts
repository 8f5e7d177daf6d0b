import { display, foreignMax } from '../core/display.ts'

/** Columns as wide as their widest cell, two spaces apart; the last one as long as it is. */
export function table(cells: readonly (readonly string[])[]): string {
  // A line break in a foreign text would look like a row of ours.
  const rows = cells.map((row) => row.map((cell) => display(cell, foreignMax)))
  const widths: number[] = []
  for (const row of rows)
    for (const [column, cell] of row.entries())
      widths[column] = Math.max(widths[column] ?? 0, [...cell].length)
  return rows
    .map((row) =>
      row
        .map((cell, column) => {
          const padding = (widths[column] ?? 0) - [...cell].length
          return column === row.length - 1 ? cell : cell + ' '.repeat(padding)
        })
        .join('  ')
        .trimEnd(),
    )
    .join('\n')
}
