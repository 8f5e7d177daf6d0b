/** Columns as wide as their widest cell, two spaces apart; the last one as long as it is. */
export function table(rows: readonly (readonly string[])[]): string {
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
