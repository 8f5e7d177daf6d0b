import { type Html, html } from '../core/html.ts'
import { meter, priceChart } from './charts.ts'
import { dataTable, empty } from './dataTable.ts'
import { ago, amount } from './figures.ts'
import { layout, type PageSetting } from './layout.ts'
import { swapTable } from './swapsPage.ts'
import type { DecisionView, StrategyDetailView, SwapView } from './views.ts'

/** One strategy: its price against what it waits for, what it may spend, what it decided and why. */
export function strategyPage(
  strategy: StrategyDetailView,
  swaps: readonly SwapView[],
  setting: PageSetting,
): Html {
  const { name, summary, reason, decision, decidedAt, nextAt, chart, budgets } = strategy
  const { now } = setting
  const path = `/strategies/${encodeURIComponent(name)}`
  return layout({
    title: `Strategy ${name}`,
    setting,
    main: html`<h2>Strategy ${name}</h2>
<div class="card"><div class="top"><span>${summary}</span>${decision !== null && html`<span class="mark ${decision === 'swap' ? 'good' : 'soft'}">${decision}</span>`}</div>
<p>${reason ?? 'Has not looked yet.'}</p>
<p class="soft">${decidedAt !== null && html`Decided ${ago(decidedAt, now)}.`} ${nextAt !== null && html`Next slot ${ago(nextAt, now)}.`}</p></div>
<h2>Price</h2>
${(chart !== null && priceChart(chart)) || empty('No price was seen yet.')}
<div class="columns"><section><h2>Budget</h2>
${dataTable({
  label: 'Budgets',
  columns: [
    { name: 'Of' },
    { name: 'Spent', isNumber: true },
    { name: 'Most', isNumber: true },
    { name: 'Part' },
  ],
  rows: budgets.map((one) => ({
    key: one.name,
    cells: [one.name, amount(one.used), amount(one.most), meter(one)],
  })),
  empty: 'It has no budget of its own. The limits of the policy hold for it.',
})}</section>
<section><h2>Traded in all</h2>
${dataTable({
  label: 'Traded in all',
  columns: [
    { name: 'Swaps', isNumber: true },
    { name: 'Sold', isNumber: true },
    { name: 'Received', isNumber: true },
  ],
  rows: strategy.totals.map(({ sold, received, swaps: count, recovered }) => ({
    key: `${sold.token}-${received.token}${recovered ? '-recovered' : ''}`,
    cells: [
      html`${count}${recovered && html`<div class="soft">Booked from the chain: may be of another strategy.</div>`}`,
      ...[sold, received].map(amount),
    ],
  })),
  empty: 'Nothing has settled yet.',
})}</section></div>
<h2>Missed and failed slots</h2>
${dataTable({
  label: 'Missed and failed slots',
  columns: [
    { name: 'Slot' },
    { name: 'Slots', isNumber: true },
    { name: 'Outcome' },
    { name: 'Why' },
  ],
  rows: strategy.undone.map(({ at, slots, state, reason: why }) => ({
    key: at,
    cells: [ago(at, now), slots, html`<span class="bad">${state}</span>`, why],
  })),
  empty: 'None.',
})}
<h2>Its swaps</h2>
${swapTable(swaps, setting)}
<p><a href="/swaps?strategy=${encodeURIComponent(name)}">All of its swaps</a></p>
<h2>Decisions</h2>
${decisionTable(strategy.decisions, now)}
${strategy.older !== null && html`<p><a href="${path}?before=${strategy.older}">Older decisions</a></p>`}
<h2>Parameters</h2>
${strategy.versions.map(
  ({ hash, since, params }, index) =>
    html`<details${index === 0 && html` open`}><summary>Since ${ago(since, now)}, <code>${hash.slice(0, 12)}</code></summary><pre class="card">${params ?? 'In an archive that is not at hand.'}</pre></details>`,
)}
${strategy.versions.length === 0 && empty('It has not decided yet.')}`,
    json: [['the strategy', `/api${path}`]],
  })
}

const decisionTable = (decisions: readonly DecisionView[], now: number) =>
  dataTable({
    label: 'Decisions',
    columns: [
      { name: 'When' },
      { name: 'Decided' },
      { name: 'Looks', isNumber: true, isMinor: true },
      { name: 'Why' },
      { name: 'Number', isNumber: true, isMinor: true },
    ],
    rows: decisions.map(({ number, at, lastAt, looks, decided, reason, refused }) => ({
      key: `decision-${number}`,
      cells: [
        ago(lastAt ?? at, now),
        html`<span class="mark ${decided === 'swap' ? 'good' : 'soft'}">${decided}</span>`,
        looks,
        html`${reason}${refused.map(({ code, reason: why }) => html`<div class="bad">${code}: ${why}</div>`)}`,
        html`<code>#${number}</code>`,
      ],
    })),
    empty: 'It has not decided yet.',
  })
