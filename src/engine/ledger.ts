import type { CountedSwap } from '../bot/books.ts'
import { cooldownKey, limitsWindowMs, spentBy } from '../bot/policy/spent.ts'
import type { Plan, Spent } from '../bot/stages.ts'
import { type Fill, fillsMax, type Memory, type Own, type Total } from '../bot/strategy/index.ts'
import type { Amount } from '../core/amount.ts'
import { afterChanges, negative } from '../core/holdings.ts'
import type { Price } from '../core/price.ts'
import { hourMs } from '../core/spans.ts'
import { type Coin, sameToken } from '../core/token.ts'
import { createWindow } from './createWindow.ts'

/** What a strategy knows of itself: its swaps, and the memory that its last decision left. */
export type StrategyRecord = { readonly own: Own; readonly memory: Memory | undefined }

/** A swap that was begun. Instants are milliseconds since the epoch. */
export type LedgerEntry = {
  readonly plan: Plan
  readonly plannedAt: number
  readonly signedAt: number
  /** Paid in the chain's own currency; undefined where it is not known. */
  readonly gas: Amount | undefined
}

/** A swap that settled. */
export type LedgerFill = LedgerEntry & { readonly price: Price; readonly filledAt: number }

/** Settled swaps of one strategy that sold one token and were valued in one unit. */
type Counted = Pick<CountedSwap, 'strategy' | 'sellToken' | 'unit'> & {
  readonly sums: ReturnType<typeof createWindow>
}

export type Ledger = ReturnType<typeof createLedger>

const newRecord: StrategyRecord = Object.freeze({
  own: Object.freeze({
    inflight: Object.freeze([]),
    lastFill: undefined,
    fills: Object.freeze([]),
    totals: Object.freeze([]),
  }),
  memory: undefined,
})

/**
 * The books of a world without a journal: balances, what each strategy knows of itself, and what counts against the
 * limits. A replay begins with new records; a forecast and a dry run begin with those of the journal.
 */
export function createLedger({
  coin,
  balances: opening,
  recordOf = () => newRecord,
}: {
  readonly coin: Coin
  readonly balances: readonly Amount[]
  readonly recordOf?: (strategy: string) => StrategyRecord
}) {
  let balances = afterChanges(opening, [])
  const records = new Map<string, StrategyRecord>()
  const counted = new Map<string, Counted>()
  const begunAt = new Map<string, number>()

  const recordFor = (strategy: string): StrategyRecord => {
    const record = records.get(strategy) ?? recordOf(strategy)
    records.set(strategy, record)
    return record
  }

  function countedAs({ strategy, intent, notional }: Plan): Counted['sums'] {
    const sellToken = intent.sell.token.address
    const unit = notional?.token.address
    const key = [strategy, sellToken, unit].join(' ')
    const known = counted.get(key) ?? { strategy, sellToken, unit, sums: createWindow() }
    counted.set(key, known)
    return known.sums
  }

  return {
    balances: () => balances,
    /** The same object until something changes. */
    recordFor,
    remember(strategy: string, memory: Memory | undefined): void {
      const before = recordFor(strategy)
      if (before.memory !== memory)
        records.set(strategy, { own: before.own, memory: memory && Object.freeze(memory) })
    },
    /**
     * What swaps took of the limits by `at`: those of this ledger, `pending` ones that are not booked yet, and what is
     * spent by the journal that the ledger began with.
     */
    spent(
      plan: Plan,
      at: number,
      {
        journal,
        pending = [],
      }: { readonly journal?: Spent; readonly pending?: readonly LedgerFill[] } = {},
    ): Spent {
      const key = cooldownKey(plan, coin)
      const last = pending.findLast((fill) => cooldownKey(fill.plan, coin) === key)
      const swaps = [...counted.values()].flatMap((one) => swapsOf(one, at))
      const own = spentBy(plan, {
        counted: [...swaps, ...pending.map(countedSwap)],
        at,
        lastAt: last?.plannedAt ?? begunAt.get(key),
      })
      if (journal === undefined) return own
      return {
        sold: journal.sold + own.sold,
        hour: journal.hour + own.hour,
        day: journal.day + own.day,
        strategy: journal.strategy + own.strategy,
        otherUnit: journal.otherUnit + own.otherUnit,
        lastAt: own.lastAt ?? journal.lastAt,
      }
    },
    settle({ plan, plannedAt, signedAt, filledAt, price, gas }: LedgerFill): void {
      countedAs(plan).add(signedAt, price.sold.wei, plan.notional?.wei ?? 0n)
      begunAt.set(cooldownKey(plan, coin), plannedAt)
      balances = afterChanges(balances, [negative(price.sold), price.bought, ...gasOf(gas)])
      const before = recordFor(plan.strategy)
      const own = withFill(before.own, Object.freeze({ at: filledAt, price }))
      records.set(plan.strategy, { ...before, own })
    },
    /** It was included and sold nothing. It counts against no limit but the cooldown, and its gas is paid. */
    revert({ plan, plannedAt, gas }: Omit<LedgerEntry, 'signedAt'>): void {
      begunAt.set(cooldownKey(plan, coin), plannedAt)
      balances = afterChanges(balances, gasOf(gas))
    },
  }
}

const countedSwap = ({ plan, price, signedAt }: LedgerFill): CountedSwap => ({
  swapId: plan.swapId,
  strategy: plan.strategy,
  sellToken: price.sold.token.address,
  amountIn: price.sold.wei,
  notional: plan.notional?.wei ?? 0n,
  unit: plan.notional?.token.address,
  signedAt,
})

/** Swaps of one kind stand in for one: a limit adds them up. Those of the last hour apart from the others of the day. */
function swapsOf({ sums, ...kind }: Counted, at: number): readonly CountedSwap[] {
  const [hour, day] = [sums.after(at - hourMs), sums.after(at - limitsWindowMs)]
  const older = { amountIn: day.amountIn - hour.amountIn, notional: day.notional - hour.notional }
  const parts = [
    { ...older, signedAt: at - hourMs },
    { ...hour, signedAt: at },
  ]
  return parts
    .filter(({ amountIn }) => amountIn > 0n)
    .map((part) => ({ ...kind, ...part, swapId: '' }))
}

const gasOf = (gas: Amount | undefined) => (gas === undefined ? [] : [negative(gas)])

function withFill({ inflight, fills, totals }: Own, fill: Fill): Own {
  const { sold, bought } = fill.price
  const before = totals.find(
    (total) =>
      sameToken(total.sold.token, sold.token) && sameToken(total.bought.token, bought.token),
  )
  const total: Total = Object.freeze({
    sold: { ...sold, wei: sold.wei + (before?.sold.wei ?? 0n) },
    bought: { ...bought, wei: bought.wei + (before?.bought.wei ?? 0n) },
    swaps: 1 + (before?.swaps ?? 0),
  })
  return Object.freeze({
    inflight,
    lastFill: fill,
    fills: Object.freeze([fill, ...fills].slice(0, fillsMax)),
    totals: Object.freeze(
      before === undefined
        ? [...totals, total]
        : totals.map((one) => (one === before ? total : one)),
    ),
  })
}
