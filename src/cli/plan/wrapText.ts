/** What a terminal shows without breaking lines itself. */
const columns = 100

/** Sentences on lines of at most 100 columns, each indented; a word that is longer stays whole. */
export function wrapText(text: string, indent: number): string {
  const margin = ' '.repeat(indent)
  const lines: string[] = []
  let line = ''
  for (const word of text.split(' ')) {
    if (line !== '' && [...line].length + 1 + [...word].length > columns - indent) {
      lines.push(line)
      line = word
    } else line = line === '' ? word : `${line} ${word}`
  }
  return [...lines, line].map((one) => margin + one).join('\n')
}
