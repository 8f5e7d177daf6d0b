import { reviveContext } from '../../bot/journal/decisions/revive.ts'
import { parseAmount, tokenOf, toText } from '../../core/amount.ts'
import { createShared } from '../../core/createShared.ts'
import { ballastError } from '../../core/errors.ts'
import { isoText } from '../../core/isoText.ts'
import { differencePpm, type Price } from '../../core/price.ts'
import { dayMs, minuteMs, secondMs } from '../../core/spans.ts'
import type { IndicationView, SeenMarketView } from '../../dashboard/views.ts'
import { priceText } from '../../story/figures.ts'
import { collect } from '../../story/report/collect.ts'
import { reportText } from '../../story/report/reportText.ts'
import { askIndicative } from '../reading/askQuote.ts'
import type { Served } from './served.ts'

/** Decisions that the line of a market is drawn of, and levels of its book that are shown. */
const looksMax = 60
const levelsMax = 12

/** Fills are read back for so long, and read again after some minutes only. */
const fillsMs = 7 * dayMs
const fillsKeptMs = 5 * minuteMs

/** A reader who presses the button again gets the same answer for a moment. */
const indicationKeptMs = 5 * secondMs
const indicationMs = 10 * secondMs

/** Prices that all readers together request of the service within a minute. */
const indicationsMax = 10

/** What the strategies saw of their markets, and how well those filled. */
export function createMarketView(served: Served) {
  const { clock, config, market } = served
  const fills = createShared({
    ask: async () => {
      const span = { since: clock.now() - fillsMs, until: undefined, strategy: undefined, swaps: 0 }
      const { makers, venues, execution, from } = reportText(
        await collect(served.journal, span, config),
      )
      return { makers, venues, execution, from }
    },
    nameOf: () => 'fills',
    keptMs: fillsKeptMs,
    clock,
  })
  const lately: number[] = []
  const indications = createShared({
    ask: async ({ sell, buy }: { readonly sell: string; readonly buy: string }) => {
      const { bySymbol } = config.tokens
      const wanted = { sell: parseAmount(sell, bySymbol), buy: tokenOf(buy, bySymbol) }
      const now = clock.now()
      const isOver = (at: number) => at <= now - minuteMs || at > now
      while (lately[0] !== undefined && isOver(lately[0])) lately.shift()
      if (lately.length >= indicationsMax)
        throw ballastError(
          'RATE_LIMITED',
          `The pages requested ${indicationsMax} prices within a minute: the strategies need the service.`,
        )
      lately.push(now)
      return askIndicative({
        ...{ quotes: market.quotes, config, signal: AbortSignal.timeout(indicationMs) },
        ...wanted,
      })
    },
    nameOf: ({ sell, buy }) => `${sell} ${buy}`,
    keptMs: indicationKeptMs,
    clock,
  })
  return {
    fills: async () => (await fills(undefined)).value,
    async indication(asked: { sell: string; buy: string }): Promise<IndicationView> {
      const { value, askedAt } = await indications(asked)
      return {
        at: isoText(askedAt),
        ...{ sell: value.sell, buy: value.buy, price: value.price, route: value.route },
      }
    },
    markets: () => marketsOf(served),
  }
}

async function marketsOf({ journal, strategies }: Served): Promise<readonly SeenMarketView[]> {
  const all: SeenMarketView[] = []
  for (const { name } of strategies()) {
    const rows = (await journal.decisions.newest({ strategy: name, limit: looksMax }))
      .filter(({ context }) => context !== '')
      .map(({ at, context }) => ({ at, context: reviveContext(context) }))
    const [last] = rows
    if (last === undefined) continue
    last.context.indications.forEach((seen, index) => {
      if (seen === undefined) return
      const gaps = rows.flatMap(({ at, context }) =>
        gapOf(at, context.indications[index], context.references[index]),
      )
      const reference = last.context.references[index]
      all.push({
        ...{ strategy: name, at: isoText(last.at) },
        ...{ sell: toText(seen.sold), brings: toText(seen.bought), price: priceText(seen) },
        route: seen.route,
        reference: reference === undefined ? null : priceText(reference),
        gaps: gaps.reverse(),
        levels: (last.context.depths[index] ?? []).slice(0, levelsMax).map(({ sold, bought }) => ({
          ...{ sell: toText(sold), brings: toText(bought) },
        })),
      })
    })
  }
  return all
}

/** How far the service was from the independent sources at one look. */
function gapOf(at: number, seen: Price | undefined, reference: Price | undefined) {
  if (seen === undefined || reference === undefined) return []
  if (seen.sold.wei === 0n || reference.sold.wei === 0n || reference.bought.wei === 0n) return []
  return [{ at: isoText(at), bps: Number(differencePpm(seen, reference)) / 100 }]
}
