import { type Html, html } from '../core/html.ts'
import { dataTable } from './dataTable.ts'
import { ago, amount, bps, gas, showHash, state } from './figures.ts'
import { layout, type PageSetting } from './layout.ts'
import type { OutcomeName, SwapView } from './views.ts'

type SwapList = {
  readonly swaps: readonly SwapView[]
  readonly filter: {
    readonly strategy?: string | undefined
    readonly outcome?: OutcomeName | undefined
  }
  /** The id that older swaps are before; undefined on the last page. */
  readonly older: string | undefined
  /** Names to choose from. */
  readonly strategies: readonly string[]
}

const outcomes: readonly (readonly [OutcomeName, string])[] = [
  ['open', 'under way'],
  ['settled', 'settled'],
  ['unsettled', 'refused or failed'],
]

/** Every swap, newest first, a page at a time. */
export function swapsPage(
  { swaps, filter, older, strategies }: SwapList,
  setting: PageSetting,
): Html {
  const query = (more: Readonly<Record<string, string | undefined>>) => {
    const given = Object.entries({ ...filter, ...more })
    return new URLSearchParams(
      given.flatMap(([name, value]): [string, string][] => (value ? [[name, value]] : [])),
    ).toString()
  }
  const { strategy: chosen = '', outcome = '' } = filter
  // One that was renamed since still has swaps.
  const names = chosen === '' || strategies.includes(chosen) ? strategies : [...strategies, chosen]
  return layout({
    title: 'Swaps',
    path: '/swaps',
    setting,
    main: html`<h2>Swaps</h2>
<form action="/swaps" method="get" role="search"><label>Strategy <select name="strategy" id="search"><option value="">all</option>${names.map((name) => option(name, name, chosen))}</select></label>
<label>Outcome <select name="outcome"><option value="">all</option>${outcomes.map(([value, name]) => option(value, name, outcome))}</select></label>
<button type="submit">Show</button></form>
${swapTable(swaps, setting)}
${older !== undefined && html`<p><a href="/swaps?${query({ before: older })}">Older swaps</a></p>`}`,
    json: [['swaps', `/api/swaps?${query({})}`]],
  })
}

const option = (value: string, name: string, chosen: string) =>
  html`<option value="${value}"${value === chosen && html` selected`}>${name}</option>`

/** Swaps with what they moved. */
export const swapTable = (swaps: readonly SwapView[], { health: { currency }, now }: PageSetting) =>
  dataTable({
    label: 'Swaps',
    columns: [
      { name: 'Planned' },
      { name: 'Strategy' },
      { name: 'State' },
      { name: 'Sold', isNumber: true },
      { name: 'Received', isNumber: true },
      { name: 'Against indication', isNumber: true },
      { name: 'Gas', isNumber: true, isMinor: true },
      { name: 'Transaction', isMinor: true },
    ],
    rows: swaps.map((swap) => ({
      key: swap.id,
      cells: [
        html`<a href="/swaps/${swap.id}">${ago(swap.createdAt, now)}</a>`,
        swap.strategy,
        html`${state(swap.state)}${swap.code !== null && html`<div class="soft" title="${swap.reason}">${swap.code}</div>`}`,
        swap.sold === null
          ? html`<span class="soft">wants ${amount(swap.sell)}</span>`
          : amount(swap.sold),
        swap.received === null
          ? html`<span class="soft">at least ${amount(swap.floor)}</span>`
          : amount(swap.received),
        swap.againstIndicationBps === null ? null : bps(swap.againstIndicationBps),
        swap.gasPaidWei === null ? null : gas(swap.gasPaidWei, currency),
        swap.txHash === null ? null : showHash(swap.txHash),
      ],
    })),
    empty: 'No such swap yet.',
  })
