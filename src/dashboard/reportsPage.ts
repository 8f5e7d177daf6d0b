import { type Html, html } from '../core/html.ts'
import { dataTable } from './dataTable.ts'
import { layout, type PageSetting } from './layout.ts'
import type { MonthsView } from './views.ts'

/** A document for each month, and its rows for the ledger. */
export function reportsPage({ timeZone, current, months }: MonthsView, setting: PageSetting): Html {
  return layout({
    title: 'Reports',
    path: '/reports',
    setting,
    main: html`<h2>Months of ${timeZone}</h2>
${dataTable({
  label: 'Months',
  columns: [
    { name: 'Month' },
    { name: 'Statement' },
    { name: 'General ledger' },
    { name: 'Moves' },
  ],
  rows: months.map((month) => ({
    key: month,
    cells: [
      html`${month}${month === current && html` <span class="soft">so far</span>`}`,
      html`<a href="/reports/${month}">page</a>`,
      html`<a href="/reports/${month}/journal.csv">journal.csv</a>`,
      html`<a href="/reports/${month}/ledger.csv">ledger.csv</a>`,
    ],
  })),
  empty: 'No month has begun.',
})}
<p class="soft">A statement is one file that adds up: opening and closing value, flows, profit by lots, cost, policy events and proof. The same at the command line: <code>ballast report --month ${current} --html</code>, <code>ballast export --what journal --month ${current}</code>.</p>`,
    json: [['the months', '/api/months']],
  })
}
