import { headAgeMsMax } from '../bot/market/headAgeMsMax.ts'
import type { Policy } from '../bot/policy/policy.ts'
import { screen } from '../bot/policy/screen.ts'
import type { Context, Plan } from '../bot/stages.ts'
import type { Indication, Level, Watch } from '../bot/strategy/index.ts'
import type { LoadedStrategy } from '../bot/strategy/load.ts'
import type { Amount } from '../core/amount.ts'
import { Refused } from '../core/check.ts'
import { type BallastError, ballastError } from '../core/errors.ts'
import { balanceIn, withoutPromised } from '../core/holdings.ts'
import { type Price, worthAt } from '../core/price.ts'
import { type Address, sameToken, type Token } from '../core/token.ts'
import { createReserved } from '../engine/createReserved.ts'
import { indicationFor } from '../engine/indicationFor.ts'
import type { Ledger } from '../engine/ledger.ts'
import type { Order, SlotProgress, World } from '../engine/turn.ts'
import type { Assumptions, createChance } from './assumptions.ts'
import type { Book } from './createBookReader.ts'
import type { TapeMarket } from './createTapeMarket.ts'
import { count, type Tally } from './tally.ts'

/** What a replay takes from the configuration. */
export type Setting = {
  readonly chain: { readonly name: string; readonly chainId: number; readonly blockTimeMs: number }
  readonly tokens: {
    readonly bySymbol: ReadonlyMap<string, Token>
    readonly native: Token
    readonly wrapped: Token
  }
  readonly wallet: { readonly address: Address }
  readonly quote: { readonly expirySeconds: number; readonly slippageBps: number }
  readonly policy: Policy & { readonly unit: Token }
}

type Parts = {
  readonly setting: Setting
  readonly market: TapeMarket
  readonly assumptions: Assumptions
  readonly ledger: Ledger
  readonly chance: ReturnType<typeof createChance>
  readonly strategies: readonly LoadedStrategy[]
  readonly tallies: ReadonlyMap<string, Tally>
}

/** A plan, and the book that its decision was made on. */
type TapePlan = { readonly plan: Plan; readonly book: Book }

/** What one book says to one strategy. */
type View = Pick<Context<unknown>, 'indications' | 'depths' | 'references'> & {
  readonly book: Book
}

/** One strategy on its way over the tape. */
type Lane = {
  readonly index: number
  readonly tally: Tally
  view: View | undefined
  slot: number
  looks: number
  progress: SlotProgress
}

const bps = 10_000n

/** A chance is never a certainty, however far the market moves. */
const fadeMax = 0.95

/** How a service fails, each as likely. */
const failures = ['429', '503', 'no answer'] as const

/** Tells the draws of two orders of one decision apart: no decision has more. */
const ordersMax = 16

const nothingBegun: SlotProgress = Object.freeze({ settled: 0, open: false, tries: 0 })

/**
 * The world of a tape: sees the newest book by then, holds orders to the policy and to the wallet, prices them by the
 * first book that came at least the latency later, and includes them some blocks after. Its clock is virtual: carrying an
 * order out moves it on.
 */
export function createTapeWorld({
  setting,
  market,
  assumptions,
  ledger,
  chance,
  strategies,
  tallies,
}: Parts) {
  const { chain, tokens, wallet, quote, policy } = setting
  const ageMsMax = headAgeMsMax(chain.blockTimeMs)
  let now = 0
  let swaps = 0
  const lanes = new Map(
    strategies.map(({ name }, index): [string, Lane] => {
      const tally = tallies.get(name)
      if (tally === undefined) throw new Error(`${name} has a tally`)
      return [name, { index, tally, view: undefined, slot: 0, looks: 0, progress: nothingBegun }]
    }),
  )
  const laneOf = (name: string): Lane => {
    const lane = lanes.get(name)
    if (lane === undefined) throw new Error(`${name} is on the tape`)
    return lane
  }
  const { reserved, forget } = createReserved({
    strategies: () => strategies,
    ownOf: (name) => ledger.recordFor(name).own,
    clock: { now: () => now },
  })

  function gasAt(at: number): Amount {
    const { gas, tip, baseFee } = assumptions
    const perGas = (market.headAt(at)?.baseFeePerGas ?? baseFee) + tip
    return Object.freeze({ token: tokens.native, wei: gas * perGas })
  }

  /** The book of this instant, or why there is none. */
  function bookAt(lane: Lane, slot: number): Book | string {
    const head = market.headAt(now)
    if (head !== undefined && head.ageMs > ageMsMax) return 'the latest block was old'
    const found = market.lookAt(now)
    if (found === undefined || now - found.at > assumptions.ageMsMax)
      return 'no fresh book on the tape'
    if (found.book === undefined) return `the service ${found.why}, says the tape`
    const draw = { slot, attempt: lane.looks, strategy: lane.index }
    if (assumptions.fail > 0 && chance('look', draw) < assumptions.fail)
      return 'the service failed, by injection'
    return found.book
  }

  /** What the book says about the watches. Worked out once for each book. */
  function viewOf(lane: Lane, book: Book, watches: readonly Watch[]): View {
    if (lane.view?.book !== book)
      lane.view = Object.freeze({
        book,
        indications: Object.freeze(watches.map((watch) => indicationOf(market, book, watch))),
        depths: Object.freeze(watches.map((watch) => depthOf(market, book, watch))),
        references: Object.freeze(watches.map((watch) => referenceOf(market, book, watch))),
      })
    return lane.view
  }

  /** The tokens the wallet lacks, as a simulation would find it. */
  function lackOf(sell: Amount, gas: Amount): string | undefined {
    const needed = sameToken(sell.token, gas.token) ? sell.wei + gas.wei : sell.wei
    const balances = ledger.balances()
    if (balanceIn(balances, sell.token) < needed) return `not enough ${sell.token.symbol}`
    return balanceIn(balances, gas.token) < gas.wei
      ? `not enough ${gas.token.symbol} for gas`
      : undefined
  }

  /** The maker buys what is sold: the further the price falls until it is included, the likelier the maker declines. */
  function fadeChance({ sell, buy }: Order['intent'], quoted: Book, includedAt: number): number {
    const look = market.firstFrom(includedAt)
    // A tape with holes says nothing of the blocks inside of them.
    const isNear = look !== undefined && look.at <= includedAt + quote.expirySeconds * 1_000
    const later = isNear ? look.book : undefined
    const pair = market.pairOf(sell.token, buy)
    if (assumptions.fadePerBps === 0 || later === undefined || pair === undefined) return 0
    const [then, thereafter] = [market.rateAt(quoted, pair), market.rateAt(later, pair)]
    if (then === undefined || thereafter === undefined) return 0
    const moved = pair.side === 'sell' ? 1 - thereafter / then : thereafter / then - 1
    return Math.min(fadeMax, Math.max(0, moved * 1e4) * assumptions.fadePerBps)
  }

  const world: World<TapePlan> = {
    isStopping: () => false,
    async look({ name, params, watches }, slot) {
      const lane = laneOf(name)
      if (lane.slot !== slot) Object.assign(lane, { slot, looks: 0, progress: nothingBegun })
      lane.looks += 1
      lane.tally.asked += 1
      const book = bookAt(lane, slot)
      if (typeof book === 'string') {
        count(lane.tally.unseen, book)
        return undefined
      }
      const { indications, depths, references } = viewOf(lane, book, watches)
      const { own, memory } = ledger.recordFor(name)
      return Object.freeze({
        ...own,
        now,
        slot,
        params,
        indications,
        depths,
        references,
        balances: withoutPromised(ledger.balances(), await reserved(name)),
        swapCost: gasAt(now),
        memory,
      })
    },
    async admit({ loaded, slot, intent, context, attempt, position }) {
      const lane = laneOf(loaded.name)
      const book = lane.view?.book
      if (book === undefined) throw new Error('an order follows a look')
      lane.tally.swapsWanted += 1
      swaps += 1
      const plan: Plan = {
        swapId: `replay-${loaded.name}-${swaps}`,
        key: `${loaded.name}:${slot}:${attempt * ordersMax + position}`,
        strategy: loaded.name,
        intent,
        wallet: wallet.address,
        recipient: wallet.address,
        slippageBps: quote.slippageBps,
        expirySeconds: quote.expirySeconds,
        indication: indicationFor(context, intent),
        notional: market.worth(book, intent.sell),
      }
      screen(plan, { policy, spent: ledger.spent(plan, now), now, absent: [] })
      const lack = lackOf(intent.sell, gasAt(now))
      if (lack !== undefined) throw unsent(lack)
      lane.progress = { ...lane.progress, tries: attempt + 1 }
      return { plan, book }
    },
    async carryOut({ plan, book }, { slot, intent, attempt, position }) {
      const lane = laneOf(plan.strategy)
      const plannedAt = now
      const draw = (purpose: Parameters<typeof chance>[0]) =>
        chance(purpose, { strategy: lane.index, slot, attempt: attempt * ordersMax + position })
      now += assumptions.latencyMs
      if (draw('quote') < assumptions.fail) {
        const how = failures[Math.floor(draw('which') * failures.length)] ?? failures[0]
        throw unsent(`firm quote failed: ${how}, by injection`)
      }
      const look = market.firstFrom(now)
      if (look === undefined || look.at > now + quote.expirySeconds * 1_000)
        throw unsent('no book to quote from before the quote had expired')
      now = look.at
      if (look.book === undefined)
        throw unsent(`firm quote failed: the service ${look.why}, says the tape`)
      const received = market.sell(look.book, intent)
      if (received === undefined) throw unsent('no liquidity')
      const minimum = (received.wei * (bps - BigInt(quote.slippageBps)) + bps - 1n) / bps
      if (minimum < intent.floor.wei) throw unsent('expired unsent: the quote was below the floor')

      const signedAt = now
      const gas = gasAt(signedAt)
      now += (1 + Math.floor(draw('delay') * assumptions.delayBlocksMax)) * chain.blockTimeMs
      forget(plan.strategy)
      if (draw('fade') < fadeChance(intent, look.book, now)) {
        ledger.revert({ plan, plannedAt, signedAt, gas })
        lane.tally.reverted += 1
        lane.tally.revertedGas += gas.wei
        return
      }
      const price: Price = Object.freeze({ sold: intent.sell, bought: Object.freeze(received) })
      ledger.settle({ plan, plannedAt, signedAt, filledAt: now, price, gas })
      lane.progress = { ...lane.progress, settled: lane.progress.settled + 1 }
      lane.tally.executions.push({
        slot,
        decidedAt: plannedAt,
        includedAt: now,
        price,
        middle: market.middle(book, intent.sell.token, intent.buy),
        gas,
        gasWorth: market.convert(look.book, gas, intent.buy),
      })
    },
    books: {
      finishOpen: async () => {},
      async progress(strategy, slot) {
        const lane = laneOf(strategy)
        return lane.slot === slot ? lane.progress : nothingBegun
      },
      async decided({ loaded, decision }) {
        const { tally } = laneOf(loaded.name)
        tally.decided += 1
        ledger.remember(loaded.name, decision.memory)
        if (decision.kind !== 'swap') count(tally.waits, withoutNumbers(decision.reason))
        return tally.decided
      },
      async refused({ loaded }, { error }) {
        count(laneOf(loaded.name).tally.unsent, reasonFor(error))
      },
      async closeSlot({ name }, slot, end) {
        laneOf(name).tally.slots.push({ slot, ...end })
      },
    },
  }
  return {
    world,
    now: () => now,
    /** Sets the virtual clock: a turn begins then. */
    moveTo(at: number): void {
      now = at
    },
  }
}

/** An order that ends before anything is sent, and why. */
const unsent = (reason: string) => ballastError('REPLAY_UNSENT', reason)

function reasonFor(error: BallastError): string {
  if (!(error instanceof Refused)) return error.summary
  return `refused by ${error.checks.find(({ ok }) => !ok)?.name ?? error.code}`
}

const route = Object.freeze(['the recorded order book'])

function indicationOf(market: TapeMarket, book: Book, watch: Watch): Indication | undefined {
  const bought = market.sell(book, watch)
  return bought && Object.freeze({ sold: watch.sell, bought: Object.freeze(bought), route })
}

function depthOf(market: TapeMarket, book: Book, { sell, buy, wants }: Watch): readonly Level[] {
  if (wants?.includes('depth') !== true) return noLevels
  return Object.freeze(market.levels(book, sell.token, buy))
}

const noLevels = Object.freeze([])

/** The tape has no other sources: the middle of the book stands for them. */
function referenceOf(market: TapeMarket, book: Book, { sell, buy, wants }: Watch) {
  if (wants?.includes('reference') !== true) return undefined
  const middle = market.middle(book, sell.token, buy)
  return middle && Object.freeze({ sold: sell, bought: Object.freeze(worthAt(middle, sell)) })
}

/** Reasons differ in their numbers from turn to turn; the sentence is counted. */
const withoutNumbers = (reason: string) => reason.replace(/\d[\d.:TZ-]*\d|\d/g, '#')
