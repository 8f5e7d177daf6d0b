import { inBps } from '../../bot/report/benchmarks.ts'
import { shortfall } from '../../bot/report/shortfall.ts'
import { toText } from '../../core/amount.ts'
import { createShared } from '../../core/createShared.ts'
import { isoText } from '../../core/isoText.ts'
import { minuteMs, secondMs } from '../../core/spans.ts'
import { sameToken } from '../../core/token.ts'
import type { FillView, ValueView } from '../../dashboard/views.ts'
import { auditOf } from './auditOf.ts'
import { calendarMonth, monthIn } from './calendarView.ts'
import type { Look } from './createLook.ts'
import { createMarketView } from './marketView.ts'
import { createReportsView } from './reportsView.ts'
import { breakersInWords, limitsInUse, pastLocks } from './riskView.ts'
import type { Served } from './served.ts'
import { strategyDetail, targetsOf } from './strategyDetail.ts'

/** A page that is read again with every entry of the log costs the bot no more than one read in so long. */
const pageMs = 2 * secondMs

/** What the pages read beside the overview's own. */
export function pageQueries(served: Served, look: Look) {
  const { clock, journal, config } = served
  const kept = <key, value>(ask: (key: key) => Promise<value>, keptMs = pageMs) => {
    const shared = createShared({
      ask,
      nameOf: (key) => JSON.stringify(key ?? null),
      keptMs,
      clock,
    })
    return async (key: key) => (await shared(key)).value
  }
  const value = kept((since: number) => worthSince(since, served), minuteMs)
  const detail = kept((asked: { name: string; before: number | undefined }) =>
    strategyDetail(served, asked),
  )
  const market = createMarketView(served)
  const reports = createReportsView(served)
  const thisMonth = () => monthIn(config.dashboard.timeZone, clock.now())
  const calendar = kept((month: string) => calendarMonth(served, month), minuteMs)
  const limits = kept(() => limitsInUse(served))
  const fills = kept((limit: number) => fillsOf(served, limit))
  return {
    // By the minute, so that all readers of a minute share one. None yet is no answer to keep.
    value: async (since: number) =>
      (await value(Math.floor(since / minuteMs) * minuteMs)) ?? worthSince(since, served),
    strategy: (name: string, before: number | undefined) => detail({ name, before }),
    limits: () => limits(undefined),
    targets: async () => targetsOf(served, await look.balances()),
    fills,
    breakers: () => breakersInWords(served),
    pastLocks: () => pastLocks(served),
    calendar: (month: string | undefined) => calendar(month ?? thisMonth()),
    markets: market.markets,
    fillers: market.fills,
    indication: market.indication,
    months: reports.months,
    monthFile: reports.monthFile,
    audit: (before: number | undefined) => auditOf({ journal, config }, before),
  }
}

async function fillsOf({ journal, config }: Served, limit: number): Promise<readonly FillView[]> {
  const newest = await journal.swaps.history({ limit, outcome: 'settled' })
  const swaps = await journal.swaps.dossiers(newest.map(({ id }) => id))
  return newest.flatMap(({ id, strategy, updatedAt, sold, received }) => {
    if (sold === null || received === null) return []
    const swap = swaps.find((one) => one.id === id)
    const cost = swap && shortfall(swap, config.tokens)
    // What a report has in no total, or in one without its gas, is no cost in all.
    const isWhole = cost?.benchmark.kind === 'independent sources' && cost.gas !== undefined
    const [costBps = null] = isWhole ? inBps([cost.total], cost.benchmark.worth.wei) : []
    return { ...{ id, strategy, at: updatedAt, sold, received }, costBps }
  })
}

/** Points of a line of values: as many as a screen is wide, by and large. */
const valuesMax = 500

async function worthSince(
  since: number,
  { journal, config: { wallet, chain } }: Served,
): Promise<ValueView | null> {
  const owner = { chainId: chain.chainId, wallet: wallet.address }
  const valuations = await journal.valuations.since({ ...owner, since, limit: valuesMax })
  const last = valuations.findLast(({ seeded }) => !seeded)
  if (last === undefined) return null
  return {
    at: isoText(last.at),
    unit: last.unit.symbol,
    decimals: last.unit.decimals,
    total: last.total === undefined ? null : toText(last.total),
    holdings: last.holdings.map(({ held, worth }) => ({
      held: toText(held),
      worth: worth === undefined ? null : toText(worth),
    })),
    // Another unit of account before is another line.
    series: valuations.flatMap(({ at, unit, total, seeded }) =>
      total === undefined || !sameToken(unit, last.unit)
        ? []
        : [{ at: isoText(at), total: toText(total), ...(seeded && { seeded }) }],
    ),
  }
}
