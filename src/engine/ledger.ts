import { type LimitEntry, spentOf } from '../bot/spent.ts'
import type { Plan, Spent } from '../bot/stages.ts'
import {
  type AccountBalance,
  type Fill,
  fillsMax,
  type Memory,
  type Own,
  type Total,
} from '../bot/strategy/index.ts'
import type { Amount } from '../core/amount.ts'
import { afterChanges, negative, sumIn } from '../core/holdings.ts'
import type { Price } from '../core/price.ts'
import { dayMs, hourMs } from '../core/spans.ts'
import { type Coin, sameAddress, sameToken } from '../core/token.ts'
import { createWindow } from './createWindow.ts'

/** A strategy's own record: its swaps, and the memory that its last decision left. */
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
type Counted = { readonly kind: LimitEntry; readonly sums: ReturnType<typeof createWindow> }

export type Ledger = ReturnType<typeof createLedger>

/** The record of a strategy that has done nothing yet. */
export const newRecord: StrategyRecord = Object.freeze({
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
  const sentOn: AccountBalance[] = []
  const records = new Map<string, StrategyRecord>()
  const limits = createLimitSums(coin)

  const recordFor = (strategy: string): StrategyRecord => {
    const record = records.get(strategy) ?? recordOf(strategy)
    records.set(strategy, record)
    return record
  }

  return {
    balances: () => balances,
    /** Other accounts with what swaps of this ledger brought them. */
    withSent: (accounts: readonly AccountBalance[]): readonly AccountBalance[] =>
      accounts.map((seen) => {
        const { account, held } = seen
        const sent = sentOn.filter((one) => sameAddress(one.account, account))
        const wei = sumIn(
          sent.map((one) => one.held),
          held.token,
        )
        return { account, held: { token: held.token, wei: held.wei + wei } }
      }),
    /** The same object until something changes. */
    recordFor,
    /** The same as one object, as a journal has it. */
    standingOf(strategy: string): Own & { readonly memory: Memory | undefined } {
      const { own, memory } = recordFor(strategy)
      return { ...own, memory }
    },
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
      const own = limits.spent(plan, at, pending.map(entryOf))
      return journal === undefined ? own : both(journal, own)
    },
    settle(fill: LedgerFill): void {
      const { plan, signedAt, filledAt, price } = fill
      const entry = entryOf(fill)
      limits.settle(entry, signedAt)
      balances = afterChanges(balances, changesOf(fill))
      if (isSentOn(plan)) sentOn.push({ account: plan.recipient, held: price.bought })
      const before = recordFor(plan.strategy)
      const own = withFill(before.own, Object.freeze({ at: filledAt, price }))
      records.set(plan.strategy, { ...before, own })
    },
    /** It was included and sold nothing. It counts against no limit but the cooldown, and its gas is paid. */
    revert(reverted: LedgerEntry): void {
      limits.begin(entryOf(reverted))
      balances = afterChanges(balances, gasOf(reverted.gas))
    },
  }
}

/** Uses of the limits: sums of settled swaps by kind, and the last swap of each pair that was begun. */
function createLimitSums(coin: Coin) {
  const counted = new Map<string, Counted>()
  const begun = new Map<string, LimitEntry>()

  /** A cooldown counts from the last swap of a pair that was begun. Such an entry counts against no other limit. */
  function begin(entry: LimitEntry): void {
    const key = [entry.strategy, entry.sell, entry.buy].join(' ')
    begun.set(key, { ...entry, swapId: '', state: 'REVERTED' })
  }

  return {
    begin,
    settle(entry: LimitEntry, signedAt: number): void {
      const key = [entry.strategy, entry.wallet, entry.sell, entry.unit].join(' ')
      // No pair: what they are worth is added up, and the cooldown has its own entry.
      const kind = { ...entry, buy: undefined }
      const found = counted.get(key) ?? { kind, sums: createWindow() }
      counted.set(key, found)
      found.sums.add(signedAt, entry.amountIn, entry.notional)
      begin(entry)
    },
    spent(plan: Plan, at: number, pending: readonly LimitEntry[]): Spent {
      const settled = [...counted.values()].flatMap((one) => entriesOf(one, at))
      return spentOf([...settled, ...begun.values(), ...pending], { plan, at, coin })
    },
  }
}

const both = (journal: Spent, own: Spent): Spent => ({
  sold: journal.sold + own.sold,
  hour: journal.hour + own.hour,
  day: journal.day + own.day,
  strategy: journal.strategy + own.strategy,
  otherUnit: journal.otherUnit + own.otherUnit,
  lastAt: own.lastAt ?? journal.lastAt,
})

/** A swap of the ledger as the limits see it. */
const entryOf = ({ plan, plannedAt, signedAt }: LedgerEntry): LimitEntry => ({
  swapId: plan.swapId,
  strategy: plan.strategy,
  chainId: plan.intent.sell.token.chainId,
  wallet: plan.wallet,
  state: 'SETTLED',
  sell: plan.intent.sell.token.address,
  buy: plan.intent.buy.address,
  amountIn: plan.intent.sell.wei,
  notional: plan.notional?.wei ?? 0n,
  unit: plan.notional?.token.address,
  signedAt,
  createdAt: plannedAt,
})

/** One entry stands for all of its kind, since limits add up: those of the last hour, and the others of the day. */
function entriesOf({ kind, sums }: Counted, at: number): readonly LimitEntry[] {
  const [hour, day] = [sums.after(at - hourMs), sums.after(at - dayMs)]
  const older = { amountIn: day.amountIn - hour.amountIn, notional: day.notional - hour.notional }
  const parts = [
    { ...older, signedAt: at - hourMs },
    { ...hour, signedAt: at },
  ]
  return parts
    .filter(({ amountIn }) => amountIn > 0n)
    .map((part) => ({ ...kind, ...part, swapId: '' }))
}

/** What a fill changes of the wallet: what another account receives never was the wallet's. */
export function changesOf({ plan, price, gas }: Pick<LedgerFill, 'plan' | 'price' | 'gas'>) {
  return [negative(price.sold), ...(isSentOn(plan) ? [] : [price.bought]), ...gasOf(gas)]
}

const isSentOn = ({ recipient, wallet }: Plan) => !sameAddress(recipient, wallet)

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
