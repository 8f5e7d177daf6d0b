import { display, foreignMax } from './display.ts'
import { withoutSecrets } from './secret.ts'

/** The narrowest window that is common: what every line fits into, and what a pipe gets. */
export const columnsMin = 80

/** How far sentences are set in below their heading: the label stands in that margin. */
const margin = 15

/** A column of sentences is not made narrower than this: the last columns go below their row instead. */
const narrowest = 24

/** How far the cells below their row are set in. */
const belowIndent = 2

const wide =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Emoji_Presentation}\u3000-\u303e\uff01-\uff60\uffe0-\uffe6]/u

/** The columns that a terminal needs for a text: two for a wide character, none for a mark on the one before. */
export function columnsOf(text: string): number {
  if (/^[ -~]*$/.test(text)) return text.length
  let columns = 0
  for (const character of text)
    columns += wide.test(character) ? 2 : character === '\t' ? 8 : /\p{Mn}/u.test(character) ? 0 : 1
  return columns
}

/** A sentence beside its label, broken at spaces so that it fits into the window. */
export function paragraph(label: string, text: string): string {
  const line = `  ${label.padEnd(margin - 3)} ${display(text, foreignMax)}`
  return wrapLine(line, columnsMin, margin).join('\n')
}

/** Sentences on lines that fit, each indented. */
export function wrapText(text: string, indent: number): string {
  return wrapLine(' '.repeat(indent) + text, columnsMin, indent).join('\n')
}

/** A text whose lines all fit: what was too long goes on below, set in, so that it never looks like a line of its own. */
export function wrapLines(text: string, columns: number): string {
  return text
    .split('\n')
    .flatMap((line) => wrapLine(line, columns, hangOf(line)))
    .join('\n')
}

/** Below the text that stands beside a label; else two columns further in than the line itself. */
function hangOf(line: string): number {
  const label = /^ *\S+(?: \S+){0,2} {2,}(?=\S)/.exec(line)?.[0].length ?? 0
  return label > 0 && label <= narrowest ? label : (/^ */.exec(line)?.[0].length ?? 0) + 2
}

/** A call of Ballast, which must be pasted as a whole. */
const calls = /ballast [a-z][a-z-]*(?: [a-z]+)?(?: --[a-z-]+(?: (?:'[^'\n]*'|"[^"\n]*"))?)*/g
const glue = '\u00a0'

/** A path, an address of the web or a call is copied as a whole; it may be longer than a line. */
const isCopied = (word: string) => word.includes(glue) || /^['"(]?(?:\/|[a-z]+:\/\/)/.test(word)

const glued = (text: string) => text.replace(calls, (call) => call.replaceAll(' ', glue))

function wrapLine(whole: string, columns: number, hang: number): readonly string[] {
  // A secret must be known before it is broken.
  const text = glued(withoutSecrets(whole))
  if (columnsOf(text) <= columns) return [text.replaceAll(glue, ' ')]
  const indent = /^ */.exec(text)?.[0] ?? ''
  const lines: string[] = []
  let line = indent
  let isEmpty = true
  for (const word of text.slice(indent.length).split(' ').flatMap(piecesOf(columns, hang))) {
    const needed = columnsOf(word)
    if (!isEmpty && columnsOf(line) + 1 + needed > columns) {
      lines.push(line)
      line = ' '.repeat(hang)
      isEmpty = true
      if (word === '') continue
    }
    // A word that fills the line takes the room of its indent.
    line = isEmpty ? line.slice(0, Math.max(0, columns - needed)) + word : `${line} ${word}`
    isEmpty = false
  }
  return [...lines, line].map((one) => one.replaceAll(glue, ' ').trimEnd())
}

/** A word that no line holds, in pieces. */
const piecesOf =
  (columns: number, hang: number) =>
  (word: string): readonly string[] => {
    if (columnsOf(word) <= columns || isCopied(word)) return [word]
    const pieces = ['']
    for (const character of word) {
      const last = pieces.length - 1
      if (columnsOf(pieces[last] ?? '') + columnsOf(character) > columns - hang)
        pieces.push(character)
      else pieces[last] += character
    }
    return pieces
  }

type Cells = readonly (readonly string[])[]

/**
 * Columns as wide as their widest cell, two spaces apart. Where that is too much, sentences are broken within their
 * column, and the last columns go below their row, set in: no cell is ever cut.
 */
export const table = (cells: Cells, columns = columnsMin): string =>
  tableRows(cells, columns).join('\n')

/** The rows of a {@link table}, each of one line or more. */
export function tableRows(cells: Cells, columns: number): readonly string[] {
  // A line break in a foreign text would look like a row of ours.
  const rows = cells.map((row) => row.map((cell) => display(cell, foreignMax)))
  return layout(rows, columns).map((lines) => lines.join('\n'))
}

/** The lines of each row. What finds no room beside is a table again, below and set in. */
function layout(
  rows: readonly (readonly string[])[],
  columns: number,
): readonly (readonly string[])[] {
  const widths = widthsOf(rows, columns)
  const rest = rows.map((row) => row.slice(widths.length))
  const below = rest.some(({ length }) => length > 0) ? layout(rest, columns - belowIndent) : []
  return rows.map((row, index) => [
    ...besideLines(row, widths, columns),
    ...(below[index] ?? []).flatMap((line) => (line === '' ? [] : ' '.repeat(belowIndent) + line)),
  ])
}

/** The widths of the columns that stand side by side: all of them, or as many of the first as there is room for. */
function widthsOf(rows: readonly (readonly string[])[], columns: number): readonly number[] {
  const natural: number[] = []
  const least: number[] = []
  for (const row of rows)
    for (const [column, cell] of row.entries()) {
      natural[column] = Math.max(natural[column] ?? 0, columnsOf(cell))
      least[column] = Math.min(natural[column], narrowest)
    }
  const needed = (widths: readonly number[]) =>
    widths.reduce((sum, width) => sum + width, 2 * (widths.length - 1))
  if (needed(natural) <= columns) return natural
  let widths = least
  while (widths.length > 1 && needed(widths) > columns) widths = widths.slice(0, -1)
  return widened(widths, { natural, spare: columns - needed(widths) })
}

/** What is left goes to the columns by what they lack. */
function widened(
  widths: readonly number[],
  { natural, spare }: { natural: readonly number[]; spare: number },
): readonly number[] {
  const lacks = widths.map((width, column) => (natural[column] ?? 0) - width)
  const all = lacks.reduce((sum, lack) => sum + lack, 0)
  if (all <= spare) return natural.slice(0, widths.length)
  return widths.map((width, column) => width + Math.floor((spare * (lacks[column] ?? 0)) / all))
}

/** A cell with a word that is wider than its column has lines of its own, below the others of its row. */
function besideLines(
  row: readonly string[],
  widths: readonly number[],
  columns: number,
): readonly string[] {
  const isBeside = (cell: string, width: number) =>
    columnsOf(cell) <= width || wordsOf(cell).every((word) => columnsOf(word) <= width)
  const own: string[] = []
  const cells = widths.map((width, column) => {
    const cell = row[column] ?? ''
    if (isBeside(cell, width)) return wrapLine(cell, width, 0)
    own.push(cell)
    return ['']
  })
  const height = Math.max(...cells.map(({ length }) => length))
  const beside = Array.from({ length: height }, (_, index) =>
    cells
      .map((lines, column) => padded(lines[index] ?? '', widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  )
  const indent = ' '.repeat(belowIndent)
  return [
    ...beside.filter((line) => line !== '' || own.length === 0),
    ...own.flatMap((cell) => wrapLine(indent + cell, columns, belowIndent)),
  ]
}

/** The words of a cell, the first with the indent before it. */
const wordsOf = (cell: string) => glued(cell).split(/(?<=\S) +/)

const padded = (text: string, width: number) =>
  text + ' '.repeat(Math.max(0, width - columnsOf(text)))
