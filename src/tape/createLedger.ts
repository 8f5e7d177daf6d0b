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
      const sums = { sold: 0n, hour: 0n, day: 0n, strategy: 0n, otherUnit: 0 }
      for (const { at, plan } of taken) {
        if (sameToken(plan.intent.sell.token, sell.token)) sums.sold += plan.intent.sell.wei
        const worth = plan.notional
        if (worth === undefined || (notional && !sameToken(worth.token, notional.token))) {
          sums.otherUnit += 1
          continue
        }
        sums.day += worth.wei
        if (at > now - hourMs) sums.hour += worth.wei
        if (plan.strategy === strategy) sums.strategy += worth.wei
      }
      return { ...sums, lastAt: begun.get(pairKey(strategy, sell.token, buy)) }
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
