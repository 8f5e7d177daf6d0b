import { display, foreignMax } from '../core/display.ts'

/** What fits into the window most people have. */
const columns = 100

/** How far sentences are set in below their heading: the label stands in that margin. */
const margin = 15

/** A sentence beside its label, broken at spaces so that it fits into the window. */
export function paragraph(label: string, text: string): string {
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
