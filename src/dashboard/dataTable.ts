import { type Html, html } from '../core/html.ts'

type Cell = Html | string | number | null

type Column = {
  readonly name: string
  /** Amounts and counts stand right. */
  readonly isNumber?: boolean
  /** Left out on a narrow screen. */
  readonly isMinor?: boolean
}

type Table = {
  /** What it is a list of, for readers who do not see it. */
  readonly label: string
  readonly columns: readonly Column[]
  readonly rows: readonly {
    /** The same for as long as it is the same row: a page that is brought up to date keeps it. */
    readonly key: string
    readonly cells: readonly Cell[]
  }[]
  /** A sentence in the place of a table without rows. */
  readonly empty: string
}

/** A table that scrolls sideways by itself where the screen is narrow, also by keyboard. */
export function dataTable({ label, columns, rows, empty: none }: Table): Html {
  if (rows.length === 0) return empty(none)
  const classOf = ({ isNumber, isMinor }: Column) =>
    [...(isNumber ? ['number'] : []), ...(isMinor ? ['minor'] : [])].join(' ')
  return html`<div class="scroll" tabindex="0" role="region" aria-label="${label}"><table>
<thead><tr>${columns.map((column) => html`<th scope="col" class="${classOf(column)}">${column.name}</th>`)}</tr></thead>
<tbody>${rows.map(
    ({ key, cells }) => html`<tr data-key="${key}">${columns.map(
      (column, index) => html`<td class="${classOf(column)}">${cells[index] ?? '–'}</td>`,
    )}</tr>
`,
  )}</tbody>
</table></div>`
}

/** Where there is nothing to show yet, and why. */
export const empty = (sentence: string): Html => html`<div class="empty">${sentence}</div>`
