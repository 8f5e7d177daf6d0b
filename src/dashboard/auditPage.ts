import { type Html, html } from '../core/html.ts'
import { dataTable } from './dataTable.ts'
import { ago } from './figures.ts'
import { layout, type PageSetting } from './layout.ts'
import type { AuditView } from './views.ts'

/** The log: its head, its entries with the hashes they are chained by, and the last comparison with the chain. */
export function auditPage(
  { head, entries, older, reconciled }: AuditView,
  setting: PageSetting,
): Html {
  const { now } = setting
  return layout({
    title: 'Audit',
    path: '/audit',
    setting,
    main: html`<h2>Audit</h2>
<div class="card"><dl>
<dt>Newest entry</dt><dd>${head.seq}</dd>
<dt>Its hash</dt><dd><code>${head.hash}</code></dd>
<dt>Compared with the chain</dt><dd>${
      reconciled === null
        ? 'Not yet.'
        : html`All was in order ${ago(reconciled.at, now)}, up to block ${reconciled.block} and entry ${reconciled.seq}.`
    }</dd>
</dl>
<p class="soft">Keep the hash elsewhere: <code>ballast audit verify --head</code> with it shows later whether the log was cut. <code>ballast audit verify</code> walks all of it.</p></div>
<h2>Log</h2>
${dataTable({
  label: 'Entries of the log',
  columns: [
    { name: 'Entry', isNumber: true },
    { name: 'When' },
    { name: 'What' },
    { name: 'Of' },
    { name: 'Follows' },
    { name: 'Hash', isMinor: true },
  ],
  rows: entries.map(({ seq, at, type, of, hash, follows }) => ({
    key: `entry-${seq}`,
    cells: [
      seq,
      ago(at, now),
      html`<code>${type}</code>`,
      of.includes(' ')
        ? of
        : html`<a href="/swaps/${encodeURIComponent(of)}"><code>${of}</code></a>`,
      follows === null ? 'is the first' : follows ? 'yes' : html`<strong class="bad">no</strong>`,
      html`<code>${hash.slice(0, 16)}</code>`,
    ],
  })),
  empty: 'The log has no entry yet.',
})}
${older !== null && html`<p><a href="/audit?before=${older}">Older entries</a></p>`}`,
    json: [['the log', '/api/audit']],
  })
}
