import { headAgeMsMax } from '../bot/market/headAgeMsMax.ts'
import { type Outcome, slotTriesMax } from '../bot/schedule/course.ts'
import { hiddenFrom } from '../bot/strategy/hiddenFrom.ts'
import type { Context, Indication, Intent, Level, Watch } from '../bot/strategy/index.ts'
import type { LoadedStrategy } from '../bot/strategy/load.ts'
import type { Amount } from '../core/amount.ts'
import { type Price, worthAt } from '../core/price.ts'
import { sameToken } from '../core/token.ts'
import type { Assumptions, createChance } from './assumptions.ts'
import type { Book } from './createBookReader.ts'
import { createExecute, type Setting } from './createExecute.ts'
import type { Ledger } from './createLedger.ts'
import type { TapeMarket } from './createTapeMarket.ts'
import { count, type Tally } from './tally.ts'

export type { Setting } from './createExecute.ts'

type World = {
  readonly setting: Setting
  readonly market: TapeMarket
  readonly assumptions: Assumptions
  readonly ledger: Ledger
  readonly chance: ReturnType<typeof createChance>
  readonly strategies: readonly LoadedStrategy[]
}

type Asked = {
  readonly loaded: LoadedStrategy
  /** Its place among the strategies. */
  readonly index: number
  readonly tally: Tally
}

/** Asks one strategy about one slot, and does what follows. Says whether the slot is over, and what time it is then. */
export function createTick(world: World, { loaded, index, tally }: Asked) {
  const { setting, market, assumptions, ledger, chance } = world
  const { name, strategy, params, watches, schedule } = loaded
  const ageMsMax = headAgeMsMax(setting.chain.blockTimeMs)
  const execute = createExecute(world, { loaded, index, tally })
  const balancesFor = createBalances(world, loaded)
  let seen: Seen | undefined
  let current: { readonly slot: number; tries: number; settled: number; asked: number } | undefined

  /** What the book says about the watches. Worked out once for each book. */
  function look(book: Book): Seen {
    if (seen?.book !== book)
      seen = Object.freeze({
        book,
        indications: Object.freeze(watches.map((watch) => indicationOf(book, watch, market))),
        depths: Object.freeze(watches.map((watch) => depthOf(book, watch, market))),
        references: Object.freeze(watches.map((watch) => referenceOf(book, watch, market))),
      })
    return seen
  }

  /** The book of this instant, or why there is none. */
  function bookAt(now: number, draw: { slot: number; attempt: number }): Book | string {
    const head = market.headAt(now)
    if (head !== undefined && head.ageMs > ageMsMax) return 'the latest block was old'
    const found = market.lookAt(now)
    if (found === undefined || now - found.at > assumptions.ageMsMax)
      return 'no fresh book on the tape'
    if (found.book === undefined) return `the service ${found.why}, says the tape`
    if (assumptions.fail > 0 && chance('look', { ...draw, strategy: index }) < assumptions.fail)
      return 'the service failed, by injection'
    return found.book
  }

  return function tick(
    slot: number,
    now: number,
  ): { readonly outcome: Outcome; readonly at: number } {
    if (current?.slot !== slot) current = { slot, tries: 0, settled: 0, asked: 0 }
    current.asked += 1
    tally.asked += 1
    const book = bookAt(now, { slot, attempt: current.asked })
    if (typeof book === 'string') {
      count(tally.unseen, book)
      return { outcome: 'open', at: now }
    }
    const { indications, depths, references } = look(book)
    const { own, memory } = ledger.owned(name)
    const context: Context<unknown> = Object.freeze({
      ...own,
      now,
      slot,
      params,
      indications,
      depths,
      references,
      balances: balancesFor(now),
      swapCost: execute.gasAt(now),
      memory,
    })
    const decision = strategy.decide(context)
    tally.decided += 1
    ledger.remember(name, decision.memory)
    if (decision.kind !== 'swap') {
      count(tally.waits, withoutNumbers(decision.reason))
      if (decision.kind === 'postpone') return { outcome: 'open', at: now }
      if (schedule.kind === 'cron')
        tally.slots.push({ slot, state: 'passed', reason: decision.reason })
      return { outcome: 'closed', at: now }
    }
    let at = now
    let begun = false
    for (const [position, intent] of decision.intents.entries()) {
      tally.swapsWanted += 1
      const indication = indicationFor(indications, intent)
      const end = execute.swap(intent, {
        slot,
        at,
        book,
        indication,
        attempt: current.tries * 16 + position,
      })
      at = end.at
      begun ||= end.begun
      current.settled += end.settled ? 1 : 0
    }
    if (begun) current.tries += 1
    return { outcome: over(slot, current), at }
  }

  /** As the unattended bot ends a slot: after a settled swap, or when it was begun too often. */
  function over(slot: number, { settled, tries }: { settled: number; tries: number }): Outcome {
    if (schedule.kind !== 'cron' || (settled === 0 && tries < slotTriesMax)) return 'open'
    tally.slots.push(
      settled > 0
        ? { slot, state: 'done', reason: `${settled} swaps settled.` }
        : { slot, state: 'failed', reason: `Begun ${tries} times, and nothing settled.` },
    )
    return 'closed'
  }
}

/** What one book says to one strategy. */
type Seen = {
  readonly book: Book
  readonly indications: readonly (Indication | undefined)[]
  readonly depths: readonly (readonly Level[])[]
  readonly references: readonly (Price | undefined)[]
}

const route = Object.freeze(['the recorded order book'])

function indicationOf(book: Book, watch: Watch, market: TapeMarket): Indication | undefined {
  const bought = market.sell(book, watch)
  return bought && Object.freeze({ sold: watch.sell, bought: Object.freeze(bought), route })
}

function depthOf(book: Book, { sell, buy, wants }: Watch, market: TapeMarket): readonly Level[] {
  if (wants?.includes('depth') !== true) return none
  return Object.freeze(market.levels(book, sell.token, buy))
}

const none = Object.freeze([])

/** The tape has no other sources: the middle of the book stands for them. */
function referenceOf(book: Book, { sell, buy, wants }: Watch, market: TapeMarket) {
  if (wants?.includes('reference') !== true) return undefined
  const middle = market.middle(book, sell.token, buy)
  return middle && Object.freeze({ sold: sell, bought: Object.freeze(worthAt(middle, sell)) })
}

/** The price the decision saw for this very intent's pair. */
function indicationFor(
  indications: readonly (Indication | undefined)[],
  { sell, buy }: Intent,
): Indication | undefined {
  return indications.find(
    (one) =>
      one !== undefined &&
      sameToken(one.sold.token, sell.token) &&
      sameToken(one.bought.token, buy),
  )
}

/** Reasons differ in their numbers from tick to tick; what is counted is the sentence. */
const withoutNumbers = (reason: string) => reason.replace(/\d[\d.:TZ-]*\d|\d/g, '#')

/** The wallet less what others keep for themselves. */
function createBalances({ ledger, strategies }: World, loaded: LoadedStrategy) {
  const keepers = strategies.filter(
    ({ priority, strategy }) => priority >= loaded.priority && strategy.reserves !== undefined,
  )
  return (now: number): readonly Amount[] => {
    const whole = ledger.balances()
    if (keepers.length === 0) return whole
    const kept = hiddenFrom(
      loaded,
      keepers.map(({ name, priority, strategy, params }) => ({
        name,
        priority,
        amounts: strategy.reserves?.({ ...ledger.owned(name).own, params, now }) ?? [],
      })),
    )
    return Object.freeze(
      whole.map(({ token, wei }) => {
        const rest = kept
          .filter((one) => sameToken(one.token, token))
          .reduce((sum, one) => sum - one.wei, wei)
        return Object.freeze({ token, wei: rest > 0n ? rest : 0n })
      }),
    )
  }
}
