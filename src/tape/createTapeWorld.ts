import { beyondTreasury } from '../bot/journal/limits/treasury.ts'
import { screen } from '../bot/policy/checkPlan.ts'
import type { Plan } from '../bot/stages.ts'
import { intentsMax } from '../bot/strategy/checkAnswers.ts'
import type { LoadedStrategy } from '../bot/strategy/load.ts'
import type { Amount } from '../core/amount.ts'
import { ballastError } from '../core/errors.ts'
import { headAgeMsMax } from '../core/headAgeMsMax.ts'
import { balanceIn, withoutPromised } from '../core/holdings.ts'
import type { Price } from '../core/price.ts'
import { sameToken } from '../core/token.ts'
import { createReserved } from '../engine/createReserved.ts'
import { indicationFor } from '../engine/indicationFor.ts'
import type { Ledger } from '../engine/ledger.ts'
import { expiryWithin } from '../engine/planOf.ts'
import { broke } from '../engine/transientBooks.ts'
import type { TurnOrder, World } from '../engine/turn.ts'
import type { Assumptions, createChance, Setting } from './assumptions.ts'
import type { TapeBook } from './createBookReader.ts'
import { createTapeFills } from './createTapeFills.ts'
import type { TapeMarket } from './createTapeMarket.ts'
import { count, type ReplayTally } from './tally.ts'
import { createLanes, type Lane, tapeBooks } from './tapeLanes.ts'
import { viewOf } from './viewOf.ts'

type Parts = {
  readonly setting: Setting
  readonly market: TapeMarket
  readonly assumptions: Assumptions
  readonly ledger: Ledger
  readonly chance: ReturnType<typeof createChance>
  readonly strategies: readonly LoadedStrategy[]
  readonly tallies: ReadonlyMap<string, ReplayTally>
}

/** A plan, and the book that its decision was made on. */
type TapePlan = { readonly plan: Plan; readonly book: TapeBook }

/** Separates the draws of two orders of one decision: no decision has more. */
const ordersMax = intentsMax

/** An order that ends before anything is sent, and why. */
const unsent = (reason: string) => ballastError('REPLAY_UNSENT', reason)

/**
 * The world of a tape: sees the newest book by then, holds orders to the policy and to the wallet, prices them by the
 * first book that came at least the latency later, and includes them some blocks after. Its clock is virtual: carrying an
 * order out moves it on.
 */
export function createTapeWorld(parts: Parts) {
  const { setting, market, ledger, strategies } = parts
  const time = { now: 0 }
  const lanes = createLanes(parts.tallies)
  const { laneOf } = lanes
  const fills = createTapeFills(parts)
  const bookAt = bookReader(parts)
  const { reserved, forget } = createReserved({
    strategies: () => strategies,
    standingOf: ledger.standingOf,
    clock: { now: () => time.now },
    broke,
  })

  const world: World<TapePlan> = {
    isStopping: () => false,
    books: tapeBooks(lanes, ledger, forget),
    async look({ name, params, watches, accounts }, slot) {
      const lane = lanes.enter(name, slot)
      const { now } = time
      if (accounts !== undefined) {
        count(lane.tally.unseen, 'a tape has no balances of other accounts')
        return undefined
      }
      const book = bookAt(lane, now)
      if (typeof book === 'string') {
        count(lane.tally.unseen, book)
        // The live bot had a market where the tape has a gap.
        if (book === gap) return undefined
        throw ballastError('REPLAY_UNSEEN', book)
      }
      // The view of a book is worked out once.
      if (lane.view?.book !== book) lane.view = viewOf(market, book, watches)
      const { indications, depths, references } = lane.view
      const { own, memory } = ledger.recordFor(name)
      const balances = withoutPromised(ledger.balances(), await reserved(name))
      const seen = { now, slot, params, indications, depths, references, balances, memory }
      const { perSwap: swapLimits, notional } = setting.policy
      const limits = { swapLimits, swapWorth: notional.perSwap }
      return { ...own, ...seen, swapCost: fills.gasAt(now), ...limits }
    },
    async admit(order) {
      const { loaded, intent, attempt } = order
      const lane = laneOf(loaded.name)
      const book = lane.view?.book
      if (book === undefined) throw new Error('an order follows a look')
      lane.tally.swapsWanted += 1
      const { now } = time
      const plan = planFor(order, setting, market.worth(book, intent.sell))
      const spent = ledger.spent(plan, now)
      screen(plan, { policy: setting.policy, spent, now, absent: [] })
      const beyond = beyondTreasury(setting.treasury, { notional: plan.notional, uses: [spent] })
      if (beyond !== undefined) throw beyond
      lane.progress = { ...lane.progress, tries: attempt + 1 }
      const lack = lackOf(ledger.balances(), intent.sell, fills.gasAt(now))
      // A simulation finds that out, and it follows the answer of the service.
      if (lack !== undefined) {
        lanes.answer(lane, attempt)
        throw unsent(lack)
      }
      return { plan, book }
    },
    carryOut: createCarryOut(parts, { time, fills, lanes, forget }),
  }
  return {
    world,
    now: () => time.now,
    /** Sets the virtual clock: a turn begins then. */
    moveTo(at: number): void {
      time.now = at
    },
  }
}

type Carrying = {
  readonly time: { now: number }
  readonly fills: ReturnType<typeof createTapeFills>
  readonly lanes: ReturnType<typeof createLanes>
  readonly forget: (strategy: string) => void
}

/** Carries out an order: prices it by the first book after the latency, includes it some blocks later, and books both. */
function createCarryOut(
  { market, ledger }: Parts,
  { time, fills, lanes: { laneOf, answer }, forget }: Carrying,
): World<TapePlan>['carryOut'] {
  const drawOf = ({ loaded, slot, attempt, position }: TurnOrder) => ({
    strategy: laneOf(loaded.name).index,
    slot,
    attempt: attempt * ordersMax + position,
  })

  return async ({ plan, book }, order) => {
    const { slot, intent } = order
    const lane = laneOf(plan.strategy)
    const draw = drawOf(order)
    const plannedAt = time.now
    const quote = fills.quote(intent, { at: plannedAt, draw })
    time.now = quote.at
    if (!('unsent' in quote) || quote.isAnswer) answer(lane, order.attempt)
    if ('unsent' in quote) throw quote.unsent
    const gas = fills.gasAt(quote.at)
    const { signedAt, includedAt, settledAt } = fills.courseFrom({
      at: plannedAt,
      quotedAt: quote.at,
      draw,
    })
    time.now = settledAt
    forget(plan.strategy)
    const entry = { plan, plannedAt, signedAt, gas }
    const paid = { gas, gasWorth: market.convert(quote.book, gas, intent.buy) }
    if (fills.fades(intent, { quoted: quote.book, includedAt, draw })) {
      ledger.revert(entry)
      const { sell, buy } = intent
      lane.tally.reverts.push({ ...paid, sold: sell.token, bought: buy })
      return
    }
    fills.take(intent, quote.at)
    const price: Price = Object.freeze({
      sold: intent.sell,
      bought: Object.freeze(quote.received),
    })
    ledger.settle({ ...entry, filledAt: includedAt, price })
    lane.progress = { ...lane.progress, settled: lane.progress.settled + 1 }
    lane.tally.executions.push({
      ...{ slot, decidedAt: plannedAt, quotedAt: quote.at, includedAt, settledAt, price, ...paid },
      depth: market.depth(quote.book, intent.sell.token, intent.buy),
      middle: market.middle(book, intent.sell.token, intent.buy),
    })
  }
}

const gap = 'no fresh book on the tape'

/** Finds the book of an instant, or the reason why there is none. */
function bookReader({ setting, market, assumptions, chance }: Parts) {
  const headAgeMax = headAgeMsMax(setting.chain.blockTimeMs)
  return ({ slot, looks, index }: Lane, now: number): TapeBook | string => {
    const [head, headless] = [market.headAt(now), market.headlessAt(now)]
    if (headless !== undefined && headless.at > (head?.at ?? 0))
      return 'the node gave no head, says the tape'
    if (head !== undefined && head.ageMs > headAgeMax) return 'the latest block was old'
    const found = market.lookAt(now)
    if (found === undefined || now - found.at > assumptions.ageMsMax) return gap
    if (found.book === undefined) return `the service ${found.why}, says the tape`
    const draw = { slot, attempt: looks, strategy: index }
    if (assumptions.fail > 0 && chance('look', draw) < assumptions.fail)
      return 'the service failed, by injection'
    return found.book
  }
}

const planFor = (
  { loaded: { name }, slot, decision, attempt, position, intent, context }: TurnOrder,
  { wallet, quote, policy }: Setting,
  notional: Amount | undefined,
): Plan => ({
  swapId: `replay-${name}-${decision}-${position}`,
  key: `${name}:${slot}:${attempt * ordersMax + position}`,
  strategy: name,
  intent,
  wallet: wallet.address,
  recipient: intent.recipient ?? wallet.address,
  slippageBps: quote.slippageBps,
  expirySeconds: expiryWithin({ quote, policy }, intent.expiryBps),
  indication: indicationFor(context, intent),
  notional,
})

/** The token that the wallet lacks, as a simulation would find it. */
function lackOf(balances: readonly Amount[], sell: Amount, gas: Amount): string | undefined {
  const needed = sameToken(sell.token, gas.token) ? sell.wei + gas.wei : sell.wei
  if (balanceIn(balances, sell.token) < needed) return `not enough ${sell.token.symbol}`
  return balanceIn(balances, gas.token) < gas.wei
    ? `not enough ${gas.token.symbol} for gas`
    : undefined
}
