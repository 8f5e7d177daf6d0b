/** A table of Markdown, its first row the titles. A bar in a cell is text. */
export function markdownTable([titles = [], ...rows]: readonly (readonly string[])[]): string {
  return [titles, titles.map(() => '---'), ...rows]
    .map((cells) => `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`)
    .join('\n')
}
