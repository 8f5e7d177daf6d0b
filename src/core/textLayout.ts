import { display, foreignMax } from './display.ts'

/** The width of most people's windows. */
const columnsMax = 100

/** How far sentences are set in below their heading: the label stands in that margin. */
const margin = 15

/** A sentence beside its label, broken at spaces so that it fits into the window. */
export function paragraph(label: string, text: string, columns = columnsMax): string {
  const words = display(text, foreignMax).split(' ')
  const lines: string[] = []
  let line = `  ${label.padEnd(margin - 3)} `
  let empty = true
  for (const word of words) {
    if (!empty && [...line].length + 1 + [...word].length > columns) {
      lines.push(line)
      line = ' '.repeat(margin)
      empty = true
    }
    line += empty ? word : ` ${word}`
    empty = false
  }
  return [...lines, line].join('\n')
}

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

/** Sentences on lines of at most 100 columns, each indented; a word that is longer stays whole. */
export function wrapText(text: string, indent: number): string {
  const margin = ' '.repeat(indent)
  const lines: string[] = []
  let line = ''
  for (const word of text.split(' ')) {
    if (line !== '' && [...line].length + 1 + [...word].length > columnsMax - indent) {
      lines.push(line)
      line = word
    } else line = line === '' ? word : `${line} ${word}`
  }
  return [...lines, line].map((one) => margin + one).join('\n')
}
