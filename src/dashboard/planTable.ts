import { ago } from './figures.ts'
import { type Html, html } from './html.ts'
import type { PlannedAsk, PlanView } from './planView.ts'

/** What a reader takes in; `ballast plan` has the rest. */
const rowsMax = 8

/** The next slots of all strategies, if prices stay as they are. */
export function planTable({ strategies, unknown }: PlanView, now: number): Html {
  const coming = strategies
    .flatMap(({ name, asks }) => asks.map((ask) => ({ name, ask })))
    .filter(({ ask }) => Date.parse(ask.at) >= now)
    .sort((a, b) => a.ask.at.localeCompare(b.ask.at))
  const gap = unknown.length > 0 && html`<p class="soft">${unknown.map((one) => html`${one} `)}</p>`
  if (coming.length === 0)
    return html`<div class="empty">Nothing is due within a week, or nothing changes.</div>${gap}`
  return html`<div class="scroll"><table>
<thead><tr><th>When</th><th>Strategy</th><th>Would, at today's prices</th></tr></thead>
<tbody>${coming.slice(0, rowsMax).map(
    ({ name, ask }) => html`<tr>
<td data-label="When">${ask.local} <span class="soft">${ago(ask.at, now)}</span></td>
<td data-label="Strategy">${name}</td>
<td data-label="Would">${effect(ask)}</td>
</tr>`,
  )}</tbody>
</table></div>${gap}`
}

function effect({ kind, reason, swaps }: PlannedAsk): Html {
  if (swaps.length === 0) return html`${words[kind]} <span class="soft">${reason}</span>`
  return html`${swaps.map(
    ({ sell, buy, blockedBy }) =>
      html`<div>sell ${sell.text} ${sell.token} for ${buy}${blockedBy.length > 0 && html` <span class="bad">blocked: ${blockedBy.join(', ')}</span>`}</div>`,
  )}`
}

const words: Readonly<Record<PlannedAsk['kind'], string>> = {
  swap: 'sell',
  blocked: 'be blocked',
  wait: 'wait.',
  postpone: 'put it off.',
  locked: 'not be asked.',
  unknown: 'depends on what is not known.',
}
