import { type Html, html } from '../core/html.ts'
import { gapLine } from './charts.ts'
import { dataTable, empty } from './dataTable.ts'
import { ago, amount, bps, showHash } from './figures.ts'
import { layout, type PageSetting } from './layout.ts'
import type { FillersView, IndicationView, SeenMarketView } from './views.ts'

type Market = {
  readonly markets: readonly SeenMarketView[]
  readonly fillers: FillersView
  /** What was asked for, and the answer or why there is none. */
  readonly asked?: { readonly sell: string; readonly buy: string } | undefined
  readonly answer?: IndicationView | { readonly message: string } | undefined
}

/** What the market shows, how far it is from independent sources, and who fills how well. */
export function marketPage(shown: Market, setting: PageSetting): Html {
  const { markets, fillers } = shown
  const { now } = setting
  return layout({
    title: 'Market',
    path: '/market',
    setting,
    main: html`<h2>Indication</h2>
${indicationForm(shown, now)}
<h2>Markets at the last looks</h2>
${markets.length === 0 ? empty('No strategy has seen a market yet.') : html`<div class="cards">${markets.map((one, index) => marketCard(one, { index, now }))}</div>`}
<div class="columns"><section><h2>Makers in seven days</h2>
${dataTable({
  label: 'Makers',
  columns: [
    { name: 'Maker' },
    { name: 'Offered', isNumber: true },
    { name: 'Filled', isNumber: true },
    { name: 'Declined', isNumber: true },
    { name: 'Faded', isNumber: true },
    { name: 'Over the middle', isNumber: true },
  ],
  rows: fillers.makers.map((one) => ({
    key: `maker-${one.maker}`,
    cells: [
      showHash(one.maker),
      ...[one.offered, one.filled, one.declined, one.faded],
      one.overMiddleBps === null ? null : bps(one.overMiddleBps),
    ],
  })),
  empty: 'No firm quote with a leg of a maker in seven days.',
})}</section>
<section><h2>Execution in seven days</h2>
${dataTable({
  label: 'Execution',
  columns: [
    { name: 'Strategy' },
    { name: 'Pair' },
    { name: 'Swaps', isNumber: true },
    { name: 'Received', isNumber: true },
    { name: 'All-in', isNumber: true },
  ],
  rows: fillers.execution.map((one) => ({
    key: `execution-${one.strategy}-${one.sell}-${one.buy}`,
    cells: [
      ...[one.strategy, `${one.sell} to ${one.buy}`, one.swaps],
      amount(one.received),
      one.bps === null ? 'no benchmark' : bps(-one.bps.total),
    ],
  })),
  empty: 'No swap settled in seven days.',
})}</section></div>`,
    json: [
      ['markets', '/api/markets'],
      ['makers and execution', '/api/fillers'],
    ],
  })
}

function indicationForm({ asked, answer }: Market, now: number): Html {
  return html`<form action="/market" method="get" role="search"><label>Sell <input name="sell" id="search" value="${asked?.sell ?? ''}" placeholder="1 WETH" required></label>
<label>For <input name="buy" value="${asked?.buy ?? ''}" placeholder="USDC" required></label>
<button type="submit">Show the price</button></form>
${answer !== undefined && 'message' in answer && html`<p class="banner">${answer.message}</p>`}
${
  answer !== undefined &&
  !('message' in answer) &&
  html`<p class="card"><strong>${amount(answer.sell)} brings ${amount(answer.buy)}</strong>, ${answer.price}, ${ago(answer.at, now)}, by ${answer.route.join(', ') || 'a route that is not named'}. Nothing was ordered.</p>`
}`
}

function marketCard(
  { strategy, at, sell, brings, price, route, reference, gaps, levels }: SeenMarketView,
  { index, now }: { readonly index: number; readonly now: number },
): Html {
  const last = gaps.at(-1)
  return html`<section class="card" data-key="market-${strategy}-${index}">
<div class="top"><strong>${amount(sell)} brings ${amount(brings)}</strong><span class="soft">${ago(at, now)}</span></div>
<div class="soft">${price}, by ${route.join(', ') || 'no named source'}, seen by ${strategy}</div>
<p>${reference === null ? html`<span class="soft">No independent source was asked for it.</span>` : html`Independent sources: ${reference}${last !== undefined && html`, the service ${bps(last.bps)} from it`}`}</p>
${gapLine(gaps)}
${
  levels.length > 0 &&
  html`<details><summary>Depth, ${levels.length} levels</summary>${dataTable({
    label: 'Levels of the order book',
    columns: [
      { name: 'Selling', isNumber: true },
      { name: 'Brings', isNumber: true },
    ],
    rows: levels.map((level, place) => ({
      key: `level-${place}`,
      cells: [amount(level.sell), amount(level.brings)],
    })),
    empty: 'The book has no level.',
  })}</details>`
}</section>`
}
