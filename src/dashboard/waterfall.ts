import type { AmountText } from '../core/amount.ts'
import { type Html, html } from '../core/html.ts'
import { dataTable, empty } from './dataTable.ts'
import { amount } from './figures.ts'
import type { SwapStoryView } from './views.ts'

/** A price on the way, and what it added to the one before it, in the smallest unit. All parts add up to the last price. */
export type WaterfallPart = {
  readonly name: string
  readonly amount: AmountText
  readonly addedWei: bigint
}

/** Each price beside the one before it; the first adds itself. */
export const waterfallParts = (prices: SwapStoryView['prices']): readonly WaterfallPart[] =>
  prices.map(({ name, amount }, index) => ({
    name,
    amount,
    addedWei: BigInt(amount.wei) - BigInt(prices[index - 1]?.amount.wei ?? 0),
  }))

/** What a swap was to bring when it was decided, and what each step after that gave or took. */
export function waterfall({ prices, minimum }: SwapStoryView): Html {
  const [first] = prices
  if (first === undefined) return empty('No price on the way is known.')
  const base = BigInt(first.amount.wei)
  return html`${dataTable({
    label: 'Prices on the way',
    columns: [
      { name: 'Price' },
      { name: 'Brings', isNumber: true },
      { name: 'Of the first', isNumber: true },
      { name: 'Difference' },
    ],
    rows: waterfallParts(prices).map(({ name, amount: brings, addedWei }, index) => {
      const ppm = base === 0n || index === 0 ? 0n : (addedWei * 1_000_000n) / base
      return {
        key: `price-${name}`,
        cells: [name, amount(brings), ...(index === 0 ? [null, ''] : [signed(ppm), step(ppm)])],
      }
    }),
    empty: 'No price on the way is known.',
  })}
${minimum !== null && html`<p class="soft">At least ${amount(minimum)} must arrive.</p>`}`
}

const signed = (ppm: bigint) => {
  if (ppm === 0n) return html`<span class="soft">0.00 bps</span>`
  const bps = Number(ppm) / 100
  return html`<span class="${bps < 0 ? 'bad' : 'good'}">${bps < 0 ? '−' : '+'}${Math.abs(bps).toFixed(2)} bps</span>`
}

/** To the right of the middle it gave, to the left it took; a whole side is 100 bps and more. */
function step(ppm: bigint): Html {
  const size = Math.min(50, Math.abs(Number(ppm)) / 200)
  const from = ppm < 0n ? 50 - size : 50
  return html`<svg class="bar" viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true"><rect class="track" width="100" height="8" rx="2"/><rect class="${ppm < 0n ? 'fell' : 'rose'}" x="${from.toFixed(2)}" width="${size.toFixed(2)}" height="8"/></svg>`
}
