import { ago, amount, bps, gas, lockBanner, state } from './figures.ts'
import { type Html, html } from './html.ts'
import { layout } from './layout.ts'
import type { Health, LockView, SwapView } from './queries.ts'

/** Everything about one swap, amounts in full. */
export function swapPage(
  swap: SwapView,
  {
    health,
    locks,
    now,
  }: { readonly health: Health; readonly locks: readonly LockView[]; readonly now: number },
): Html {
  const { sell, floor, sold, received, checks, gasPaidWei, gasUsed, txHash, block } = swap
  const facts: readonly (readonly [string, Html | string])[] = [
    ['State', html`${state(swap.state)} ${swap.code}`],
    ['Strategy', swap.strategy],
    ['Reason', swap.reason],
    ['Planned', html`${swap.createdAt} (${ago(swap.createdAt, now)})`],
    ['Last change', html`${swap.updatedAt} (${ago(swap.updatedAt, now)})`],
    ['Wanted', `sell ${sell.text} ${sell.token} for ${swap.buy}`],
    ['Floor', `${floor.text} ${floor.token}`],
    ['Sold', sold === null ? '–' : `${sold.text} ${sold.token}`],
    ['Received', received === null ? '–' : `${received.text} ${received.token}`],
    [
      'Against indication',
      swap.againstIndicationBps === null ? '–' : bps(swap.againstIndicationBps),
    ],
    ['Checks', checks === null ? '–' : `${checks.passed} of ${checks.total} passed`],
    [
      'Gas',
      gasPaidWei === null ? '–' : html`${gas(gasPaidWei, health.currency)} for ${gasUsed} gas`,
    ],
    ['Transaction', txHash === null ? '–' : html`<code>${txHash}</code>`],
    ['Block', block === null ? '–' : String(block)],
    ['Id', html`<code>${swap.id}</code>`],
  ]
  return layout({
    title: `Swap ${swap.id}`,
    body: html`<header><h1><a href="/">Ballast</a></h1><span class="soft">${health.chain} (${health.chainId})</span></header>
${health.sandbox && html`<p class="banner"><strong>Synthetic prices.</strong> This swap happened in the embedded market.</p>`}
<main>
${lockBanner(locks, now)}
<h2>${amount(sell)} for ${swap.buy}</h2>
<div class="card"><dl>${facts.map(([name, fact]) => html`<dt>${name}</dt><dd>${fact}</dd>`)}</dl></div>
</main>
<footer>The same as <a href="/api/swaps/${swap.id}">JSON</a>.</footer>`,
  })
}
