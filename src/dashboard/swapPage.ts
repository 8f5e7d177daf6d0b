import { type Html, html } from '../core/html.ts'
import { dataTable, empty } from './dataTable.ts'
import { ago, amount, bps, gas, linked, state } from './figures.ts'
import { layout, type PageSetting } from './layout.ts'
import type { Health, SwapStoryView, SwapView } from './views.ts'
import { waterfall } from './waterfall.ts'

/** Everything about one swap: what was wanted, each price on the way, what happened when, every check by its name. */
export function swapPage(
  swap: SwapView,
  story: SwapStoryView | { readonly message: string } | undefined,
  setting: PageSetting,
): Html {
  const { health, now } = setting
  const { sell, buy } = swap
  return layout({
    title: `Swap ${swap.id}`,
    setting,
    main: html`<h2>${amount(sell)} for ${buy} ${state(swap.state)}</h2>
<div class="card"><dl>${factsOf(swap, health, now).map(([name, fact]) => html`<dt>${name}</dt><dd>${fact}</dd>`)}</dl></div>
${
  story !== undefined &&
  'message' in story &&
  html`<p class="banner">What happened to it cannot be shown: ${story.message}</p>`
}
${
  story !== undefined &&
  !('message' in story) &&
  html`<h2>Prices on the way</h2>
${waterfall(story)}
<h2>What happened</h2>
${timeline(story)}
<h2>Checks</h2>
${checks(story)}
<h2>Signed bytes</h2>
${attempts(story, health)}`
}`,
    json: [
      ['the swap', `/api/swaps/${swap.id}`],
      ['its story', `/api/swaps/${swap.id}/story`],
      ['the quote as it came', `/api/swaps/${swap.id}/quote`],
    ],
  })
}

function factsOf(
  swap: SwapView,
  { currency, explorer }: Health,
  now: number,
): readonly (readonly [string, Html | string])[] {
  const { sell, floor, sold, received, checks, gasPaidWei, gasUsed, txHash, block } = swap
  return [
    ['State', html`${swap.state} ${swap.code}`],
    [
      'Strategy',
      html`<a href="/strategies/${encodeURIComponent(swap.strategy)}">${swap.strategy}</a>`,
    ],
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
    ['Gas', gasPaidWei === null ? '–' : html`${gas(gasPaidWei, currency)} for ${gasUsed} gas`],
    ['Transaction', txHash === null ? '–' : linked(explorer, 'tx', txHash)],
    ['Block', block === null ? '–' : linked(explorer, 'block', String(block))],
    ['Id', html`<code>${swap.id}</code>`],
  ]
}

const timeline = ({ steps }: SwapStoryView) =>
  html`<ol class="steps">${steps.map(
    ({ at, step, text }) =>
      html`<li><time class="soft" datetime="${at}">${at.slice(0, 10)} ${at.slice(11, 23)} UTC</time> <strong>${step}</strong> ${text}</li>`,
  )}</ol>`

function checks({ checks: all }: SwapStoryView): Html {
  if (all.length === 0) return empty('Nothing was checked.')
  const failed = all.filter(({ ok }) => !ok).length
  return html`<details${failed > 0 && html` open`}><summary>${all.length - failed} of ${all.length} passed</summary>
${dataTable({
  label: 'Checks',
  columns: [{ name: 'Check' }, { name: 'Held' }, { name: 'Expected' }, { name: 'Actual' }],
  rows: all.map(({ name, ok, expected, actual }) => ({
    key: `check-${name}`,
    cells: [
      html`<code>${name}</code>`,
      ok ? html`<span class="good">yes</span>` : html`<span class="bad">no</span>`,
      html`<span class="long">${expected}</span>`,
      html`<span class="long">${actual}</span>`,
    ],
  })),
  empty: 'Nothing was checked.',
})}</details>`
}

const attempts = ({ attempts: all }: SwapStoryView, { explorer }: Health): Html =>
  dataTable({
    label: 'Signed bytes',
    columns: [
      { name: 'Kind' },
      { name: 'Nonce', isNumber: true },
      { name: 'Signed' },
      { name: 'Most per gas', isNumber: true, isMinor: true },
      { name: 'Network' },
      { name: 'Hash' },
    ],
    rows: all.map(({ kind, nonce, signedAt, maxFeeWei, verdict, answer, hash }) => ({
      key: hash,
      cells: [
        ...[kind, nonce, signedAt, `${maxFeeWei} wei`],
        html`${verdict ?? 'not sent'}${answer !== null && answer !== verdict && html` <span class="soft">${answer}</span>`}`,
        linked(explorer, 'tx', hash),
      ],
    })),
    empty: 'Nothing was signed.',
  })
