import {
  costBps,
  type PricePoint,
  rateOf,
  scheduleBenchmark,
  timeWeighted,
} from '../bot/report/benchmarks.ts'
import type { LoadedStrategy } from '../bot/strategy/load.ts'
import { type Amount, show, toText } from '../core/amount.ts'
import { sumWei } from '../core/holdings.ts'
import { isoText } from '../core/isoText.ts'
import { invertPrice } from '../core/price.ts'
import { hourMs } from '../core/spans.ts'
import { sameToken, type Token } from '../core/token.ts'
import type { TapeMarket, TapePair } from './createTapeMarket.ts'
import type { Replayed } from './replay.ts'
import type { Execution, ReplayTally, Revert, SlotOutcome } from './tally.ts'

type Span = { readonly from: number; readonly until: number }

/** A middle older than this is none. */
type Freshness = { readonly ageMsMax: number }

type Reporting = {
  readonly market: TapeMarket
  readonly strategies: readonly LoadedStrategy[]
  readonly native: Token
  readonly span: Span
} & Freshness

/** The results of a strategy beside its benchmarks. Prices are quote per base, costs in bps, above zero is worse. */
export function replayReport({ tallies, before, after }: Replayed, reporting: Reporting) {
  const { strategies, market } = reporting
  const pathOf = memoized((pair: TapePair) => pathFor(pair, market))
  return {
    strategies: strategies.flatMap((loaded) => {
      const tally = tallies.get(loaded.name)
      return tally === undefined ? [] : [strategyReport(loaded, tally, { ...reporting, pathOf })]
    }),
    wallet: before.flatMap((amount, index) => {
      const now = after[index]
      if (now === undefined || (amount.wei === 0n && now.wei === 0n)) return []
      return [{ token: amount.token.symbol, before: toText(amount), after: toText(now) }]
    }),
    value: walletWorth({ before, after }, reporting),
    hints: strategies.flatMap(({ name }) =>
      pairsOf(tallies.get(name)?.executions ?? []).flatMap((all) => deepHints(name, all)),
    ),
  }
}

/**
 * What the wallet is worth in the unit of account, by the first and the last book, and what it would be worth had it held
 * on to what it began with. Null where a book does not value all of it.
 */
function walletWorth(
  { before, after }: Pick<Replayed, 'before' | 'after'>,
  { market, span: { from, until } }: Pick<Reporting, 'market' | 'span'>,
) {
  const [first, last] = [market.firstFrom(from)?.book, market.lookAt(until)?.book]
  const worth = (book: typeof first, amounts: readonly Amount[]) => {
    const held = amounts.filter(({ wei }) => wei > 0n)
    const values = held.flatMap((amount) => (book && market.worth(book, amount)) ?? [])
    const [one] = values
    return one === undefined || values.length < held.length
      ? undefined
      : { token: one.token, wei: sumWei(values) }
  }
  const values = [worth(first, before), worth(last, after), worth(last, before)] as const
  const [began, ended, holding] = values
  if (began === undefined || ended === undefined || holding === undefined) return null
  const gain = Number(ended.wei - holding.wei) / Number(holding.wei)
  return {
    before: toText(began),
    after: toText(ended),
    holding: toText(holding),
    againstHoldingBps: short(gain * 1e4),
  }
}

/** In any hour no more than one book was deep can be sold at the prices of the tape: who offers it again is not known. */
function deepHints(name: string, executions: readonly Execution[]): readonly string[] {
  let [from, within, most] = [0, 0n, { sold: 0n, depth: 1n }]
  for (const { quotedAt, price, depth } of executions) {
    within += price.sold.wei
    for (; quotedAt - (executions[from]?.quotedAt ?? quotedAt) >= hourMs; from += 1)
      within -= executions[from]?.price.sold.wei ?? 0n
    if (within * most.depth > most.sold * depth) most = { sold: within, depth }
  }
  const token = executions[0]?.price.sold.token
  if (token === undefined || most.sold <= most.depth) return []
  return [
    `${name} sold ${show({ token, wei: most.sold })} within an hour into books that were ${show({ token, wei: most.depth })} deep: nobody knows whether the market would have taken it at these prices.`,
  ]
}

export type ReplayReport = ReturnType<typeof replayReport>
export type StrategyReport = ReplayReport['strategies'][number]

type With = Omit<Reporting, 'strategies'> & {
  readonly pathOf: (pair: TapePair) => readonly PricePoint[]
}

function strategyReport({ name, schedule }: LoadedStrategy, tally: ReplayTally, using: With) {
  const swaps = tally.executions.length
  return {
    strategy: name,
    asked: tally.asked,
    decided: tally.decided,
    wanted: tally.swapsWanted,
    settled: swaps,
    reverted: tally.reverts.length,
    revertedGas: toText(
      sumOf(
        using.native,
        tally.reverts.map(({ gas }) => gas),
      ),
    ),
    unseen: ordered(tally.unseen),
    waits: ordered(tally.waits),
    unsent: ordered(tally.unsent),
    fills: tally.executions.map(fillReport),
    slots: schedule.kind === 'cron' ? slotsReport(tally.slots) : null,
    pairs: pairsOf(tally.executions).map((executions) =>
      pairReport(executions, {
        ...using,
        reverts: tally.reverts,
        slots: schedule.kind === 'cron' ? tally.slots : undefined,
      }),
    ),
  }
}

/** One fill by itself, for whoever draws or recounts them. */
function fillReport({ slot, decidedAt, quotedAt, includedAt, settledAt, price, gas }: Execution) {
  return {
    ...{ slot: isoText(slot), decidedAt: isoText(decidedAt), quotedAt: isoText(quotedAt) },
    ...{ includedAt: isoText(includedAt), settledAt: isoText(settledAt) },
    ...{ sold: toText(price.sold), bought: toText(price.bought), gas: toText(gas) },
  }
}

function slotsReport(slots: readonly SlotOutcome[]) {
  const of = (state: SlotOutcome['state']) => slots.filter((slot) => slot.state === state)
  return {
    done: of('done').length,
    passed: of('passed').length,
    failed: of('failed').length,
    missed: of('missed').length,
    notDone: slots
      .filter(({ state }) => state !== 'done')
      .map(({ slot, state, reason }) => ({ at: new Date(slot).toISOString(), state, reason })),
  }
}

/** Executions of one direction of one pair, each in a list of their own. */
function pairsOf(executions: readonly Execution[]): readonly (readonly Execution[])[] {
  const byPair = Map.groupBy(
    executions,
    ({ price: { sold, bought } }) => `${sold.token.address} ${bought.token.address}`,
  )
  return [...byPair.values()]
}

type Around = With & {
  readonly slots: readonly SlotOutcome[] | undefined
  readonly reverts: readonly Revert[]
}

function pairReport(executions: readonly Execution[], around: Around) {
  const { market, native, reverts } = around
  const first = executions[0] as Execution
  const [soldToken, boughtToken] = [first.price.sold.token, first.price.bought.token]
  const sold = sumOf(
    soldToken,
    executions.map(({ price }) => price.sold),
  )
  const bought = sumOf(
    boughtToken,
    executions.map(({ price }) => price.bought),
  )
  // A swap that was undone cost its gas as well.
  const undone = reverts.filter(
    (one) => sameToken(one.sold, soldToken) && sameToken(one.bought, boughtToken),
  )
  const paid = [...executions, ...undone]
  const gas = sumOf(
    native,
    paid.map((one) => one.gas),
  )
  const gasIsValued = paid.every(({ gasWorth }) => gasWorth !== undefined)
  const gasWorth = sumOf(
    boughtToken,
    paid.flatMap((one) => one.gasWorth ?? []),
  )
  const pair = market.pairOf(soldToken, boughtToken)
  const shared = {
    sell: soldToken.symbol,
    buy: boughtToken.symbol,
    swaps: executions.length,
    sold: toText(sold),
    bought: toText(bought),
    gas: toText(gas),
  }
  if (pair === undefined) return { ...shared, benchmarks: null }
  const net = { token: boughtToken, wei: bought.wei - gasWorth.wei }
  const netOfGas = gasIsValued && net.wei > 0n ? net : undefined
  return {
    ...shared,
    benchmarks: benchmarksOf({ pair, sold, bought, netOfGas, executions }, around),
  }
}

type Traded = {
  readonly pair: TapePair
  readonly sold: Amount
  readonly bought: Amount
  /** Bought, less what the gas was worth; undefined where that is not known, or more than was bought. */
  readonly netOfGas: Amount | undefined
  readonly executions: readonly Execution[]
}

/** What the trades of a pair are measured by. */
function benchmarksOf(
  { pair, sold, bought, netOfGas, executions }: Traded,
  { market, span, pathOf, slots, ageMsMax }: Around,
) {
  const quoted = (amounts: { sold: Amount; bought: Amount }) =>
    rateOf(pair.side === 'sell' ? amounts : invertPrice(amounts))
  const price = quoted({ sold, bought })
  const allIn = netOfGas && quoted({ sold, bought: netOfGas })
  const path = pathOf(pair)
  const twap = timeWeighted(path, span)
  const arrival = path.find(({ at }) => at >= span.from)?.price
  const lump = lumpSum(sold, { market, buy: bought.token, span })
  // Of the slots that were filled: what the strategy made of the others is its timing.
  const slotMids =
    slots && executions.flatMap(({ slot }) => midAt(slot, { market, pair, ageMsMax }) ?? [])
  const scheduled =
    slotMids && scheduleBenchmark(pair.side, { price, slotMids, timeWeighted: twap })
  const cost = (benchmark: number | undefined, of: number | undefined = price) =>
    benchmark === undefined || of === undefined
      ? null
      : short(costBps(pair.side, { price: of, benchmark }))
  return {
    unit: `${pair.quote.symbol} per ${pair.base.symbol}`,
    side: pair.side,
    average: digits(price),
    averageAllIn: digits(allIn),
    twap: digits(twap),
    arrival: digits(arrival),
    costAgainstTwapBps: cost(twap),
    allInAgainstTwapBps: cost(twap, allIn),
    costAgainstArrivalBps: cost(arrival),
    costAgainstDecisionBps: atDecision(executions),
    lumpSum: lump === undefined ? null : digits(quoted({ sold, bought: lump })),
    schedule:
      scheduled === undefined
        ? null
        : {
            slots: slots?.length ?? 0,
            slotsWithMid: slotMids?.length ?? 0,
            /** Every fill sold the same: what the harmonic mean supposes. */
            fixedAmount: executions.every(
              ({ price: own }) => own.sold.wei === executions[0]?.price.sold.wei,
            ),
            scheduledMid: digits(scheduled.scheduledMid),
            executionSkillBps: short(scheduled.executionSkillBps),
            timingLuckBps:
              scheduled.timingLuckBps === undefined ? null : short(scheduled.timingLuckBps),
          },
  }
}

/**
 * The cost of the fills against the middles at their decisions, weighted by the sold amounts; null without a middle.
 */
function atDecision(executions: readonly Execution[]): number | null {
  let [lost, weight] = [0, 0]
  for (const { price, middle } of executions) {
    if (middle === undefined) continue
    const sold = Number(price.sold.wei)
    lost += sold * 1e4 * (1 - rateOf(price) / rateOf(middle))
    weight += sold
  }
  return weight === 0 ? null : short(lost / weight)
}

/** The proceeds of selling all of it at once at the beginning; undefined beyond the depth of the book. */
function lumpSum(
  sell: Amount,
  { market, buy, span }: { market: TapeMarket; buy: Token; span: Span },
): Amount | undefined {
  const book = market.firstFrom(span.from)?.book
  return book && market.sell(book, { sell, buy })
}

/** The middle that was known at a slot, unless that was too long before. */
function midAt(
  slot: number,
  { market, pair, ageMsMax }: { market: TapeMarket; pair: TapePair } & Freshness,
): number | undefined {
  const look = market.lookAt(slot)
  if (look?.book === undefined || slot - look.at > ageMsMax) return undefined
  return market.rateAt(look.book, pair)
}

function pathFor(pair: TapePair, market: TapeMarket): readonly PricePoint[] {
  return market.books.flatMap(({ at, book }) => {
    const price = book && market.rateAt(book, pair)
    return price === undefined ? [] : [{ at, price }]
  })
}

function memoized(make: (pair: TapePair) => readonly PricePoint[]) {
  const made = new Map<TapePair, readonly PricePoint[]>()
  return (pair: TapePair) => {
    const path = made.get(pair) ?? make(pair)
    made.set(pair, path)
    return path
  }
}

const sumOf = (token: Token, amounts: readonly Amount[]): Amount => ({
  token,
  wei: sumWei(amounts),
})

/** Most frequent first; of the same frequency by name, so that one replay has one text. */
const ordered = (counts: ReplayTally['waits']) =>
  [...counts]
    .sort(([a, m], [b, n]) => n.times - m.times || (a < b ? -1 : 1))
    .map(([, counted]) => counted)

const short = (bps: number) => Number(bps.toFixed(2))
const digits = (price: number | undefined) =>
  price === undefined ? null : Number(price.toPrecision(10))
