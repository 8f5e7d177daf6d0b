import type { Plan, Spent } from '../bot/stages.ts'
import { type Fill, fillsMax, type Memory, type Own, type Total } from '../bot/strategy/index.ts'
import type { Amount } from '../core/amount.ts'
import type { Price } from '../core/price.ts'
import { sameToken, type Token } from '../core/token.ts'

const hourMs = 3_600_000
const dayMs = 24 * hourMs

type Owned = { readonly own: Own; readonly memory: Memory | undefined }

const nothing: Owned = Object.freeze({
  own: Object.freeze({
    inflight: Object.freeze([]),
    lastFill: undefined,
    fills: Object.freeze([]),
    totals: Object.freeze([]),
  }),
  memory: undefined,
})

/** The books of a replay: what a journal and a chain say of a wallet when it trades, kept in memory. */
export function createLedger({
  tokens,
  holds,
}: {
  tokens: readonly Token[]
  holds: readonly Amount[]
}) {
  let balances: readonly Amount[] = Object.freeze(
    tokens.map((token) =>
      Object.freeze({
        token,
        wei: holds
          .filter((one) => sameToken(one.token, token))
          .reduce((sum, { wei }) => sum + wei, 0n),
      }),
    ),
  )
  const owned = new Map<string, Owned>()
  // Newest last; what a rolling day no longer covers is dropped as it goes.
  let taken: { readonly at: number; readonly plan: Plan }[] = []

  const begun = new Map<string, number>()

  const move = (changes: readonly Amount[]) => {
    balances = Object.freeze(
      balances.map(({ token, wei }) =>
        Object.freeze({
          token,
          wei: changes
            .filter((one) => sameToken(one.token, token))
            .reduce((sum, change) => sum + change.wei, wei),
        }),
      ),
    )
  }

  return {
    balances: () => balances,
    /** What a strategy's settled swaps made of it, and what it wrote down. The same object until something changes. */
    owned: (strategy: string): Owned => owned.get(strategy) ?? nothing,
    remember(strategy: string, memory: Memory | undefined): void {
      const before = owned.get(strategy) ?? nothing
      if (before.memory !== memory)
        owned.set(strategy, { own: before.own, memory: memory && Object.freeze(memory) })
    },
    /** What other swaps took of the limits, as the journal would say it. */
    spent({ strategy, intent: { sell, buy }, notional }: Plan, now: number): Spent {
      taken = taken.filter(({ at }) => at > now - dayMs)
      const sum = (of: readonly { readonly plan: Plan }[]) =>
        of.reduce((total, { plan }) => total + (plan.notional?.wei ?? 0n), 0n)
      const own = taken.filter(({ plan }) => plan.strategy === strategy)
      const isUnit = (one: Plan) =>
        notional !== undefined &&
        one.notional !== undefined &&
        sameToken(one.notional.token, notional.token)
      return {
        sold: taken
          .filter(({ plan }) => sameToken(plan.intent.sell.token, sell.token))
          .reduce((total, { plan }) => total + plan.intent.sell.wei, 0n),
        hour: sum(taken.filter(({ at }) => at > now - hourMs)),
        day: sum(taken),
        strategy: sum(own),
        otherUnit: notional === undefined ? 0 : taken.filter(({ plan }) => !isUnit(plan)).length,
        lastAt: begun.get(pairKey(strategy, sell.token, buy)),
      }
    },
    settle(plan: Plan, { at, price, gas }: { at: number; price: Price; gas: Amount }): void {
      const { strategy, intent } = plan
      begun.set(pairKey(strategy, intent.sell.token, intent.buy), at)
      taken.push({ at, plan })
      move([{ ...price.sold, wei: -price.sold.wei }, price.bought, { ...gas, wei: -gas.wei }])
      const before = owned.get(strategy) ?? nothing
      owned.set(strategy, { ...before, own: withFill(before.own, Object.freeze({ at, price })) })
    },
    /** It was sent and sold nothing. */
    revert({ strategy, intent }: Plan, { at, gas }: { at: number; gas: Amount }): void {
      begun.set(pairKey(strategy, intent.sell.token, intent.buy), at)
      move([{ ...gas, wei: -gas.wei }])
    },
  }
}

export type Ledger = ReturnType<typeof createLedger>

const pairKey = (strategy: string, sold: Token, bought: Token) =>
  `${strategy} ${sold.address} ${bought.address}`

function withFill({ fills, totals }: Own, fill: Fill): Own {
  const { sold, bought } = fill.price
  const isSame = (total: Total) =>
    sameToken(total.sold.token, sold.token) && sameToken(total.bought.token, bought.token)
  const before = totals.find(isSame)
  const total: Total = Object.freeze({
    sold: { ...sold, wei: sold.wei + (before?.sold.wei ?? 0n) },
    bought: { ...bought, wei: bought.wei + (before?.bought.wei ?? 0n) },
    swaps: 1 + (before?.swaps ?? 0),
  })
  return Object.freeze({
    inflight: nothing.own.inflight,
    lastFill: fill,
    fills: Object.freeze([fill, ...fills].slice(0, fillsMax)),
    totals: Object.freeze(
      before === undefined
        ? [...totals, total]
        : totals.map((one) => (one === before ? total : one)),
    ),
  })
}
