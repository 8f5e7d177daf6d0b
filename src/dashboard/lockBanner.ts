import { ago } from './figures.ts'
import { type Html, html } from './html.ts'
import type { LockView } from './queries.ts'

/** What is not done at present, and why; nothing where no lock holds. */
export function lockBanner(locks: readonly LockView[], now: number): Html {
  return html`${
    locks.length > 0 &&
    html`<div class="banner"><strong>Locked</strong><ul>${locks.map(
      ({ id, kind, scope, code, reason, openedAt, expiresAt }) =>
        html`<li>${kind} ${scope}: ${reason} (${code}, lock ${id}, opened ${ago(openedAt, now)}, ${expiresAt === null ? 'until ballast resume' : html`expires ${ago(expiresAt, now)}`})</li>`,
    )}</ul></div>`
  }`
}
