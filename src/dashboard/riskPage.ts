import { type Html, html } from '../core/html.ts'
import { dataTable } from './dataTable.ts'
import { ago } from './figures.ts'
import { layout, type PageSetting } from './layout.ts'
import { limitsTable } from './limitsTable.ts'
import type { BreakerView, LimitView, PastLockView } from './views.ts'

type Risk = {
  readonly limits: readonly LimitView[]
  readonly breakers: readonly BreakerView[]
  readonly locks: readonly PastLockView[]
}

/** What keeps money safe: limits with what is used, breakers with how far they are, and every lock there was. */
export function riskPage({ limits, breakers, locks }: Risk, setting: PageSetting): Html {
  const { now } = setting
  return layout({
    title: 'Risk',
    path: '/risk',
    setting,
    main: html`<h2>Limits</h2>
${limitsTable(limits)}
<h2>Breakers</h2>
${dataTable({
  label: 'Breakers',
  columns: [{ name: 'Breaker' }, { name: 'Locks when' }, { name: 'Stands at' }],
  rows: breakers.map(({ code, locks: when, stands }) => ({
    key: code,
    cells: [html`<code>${code}</code>`, when, stands],
  })),
  empty: 'No breaker is configured.',
})}
<h2>Locks</h2>
${dataTable({
  label: 'Locks that are or were',
  columns: [
    { name: 'Opened' },
    { name: 'Kind' },
    { name: 'Holds for' },
    { name: 'Why' },
    { name: 'Ended' },
    { name: 'Number', isNumber: true, isMinor: true },
  ],
  rows: locks.map((lock) => ({
    key: `lock-${lock.id}`,
    cells: [
      ago(lock.openedAt, now),
      lock.kind,
      lock.scope,
      html`<code>${lock.code}</code> ${lock.reason}<div class="soft">by ${lock.openedBy ?? 'the bot'}</div>`,
      endOf(lock, now),
      lock.id,
    ],
  })),
  empty: 'No lock was ever opened.',
})}`,
    json: [
      ['limits', '/api/limits'],
      ['breakers', '/api/breakers'],
      ['locks', '/api/locks/past'],
    ],
  })
}

function endOf(
  { releasedAt, releasedReason, releasedBy, expiresAt }: PastLockView,
  now: number,
): Html {
  if (releasedAt !== null)
    return html`released ${ago(releasedAt, now)}: ${releasedReason}<div class="soft">by ${releasedBy ?? 'the bot'}</div>`
  if (expiresAt === null) return html`<span class="bad">holds until ballast resume</span>`
  return Date.parse(expiresAt) > now
    ? html`<span class="bad">holds, expires ${ago(expiresAt, now)}</span>`
    : html`expired ${ago(expiresAt, now)}`
}
