import type { Plan, Spent } from '../bot/stages.ts'
import { type Fill, fillsMax, type Memory, type Total } from '../bot/strategy/index.ts'
import type { Amount } from '../core/amount.ts'
import type { Price } from '../core/price.ts'
import { sameToken, type Token } from '../core/token.ts'
import { createWindow } from './createWindow.ts'
import type { Sight, Standing } from './forecastTypes.ts'

/** A wallet and a journal that only a plan writes: what would be there if everything went as planned until then. */
export type Ledger = ReturnType<typeof createLedger>

const hourMs = 3_600_000
const dayMs = 24 * hourMs

/**
 * Starts from what is known now. A swap is done the moment it is planned: none is ever in flight. Against the limits it
 * counts from the last moment it may be signed, as long after its slot as a quote is good: a limit that one slice a day
 * fills to the brim refuses every second one, since it is signed a little later than planned.
 */
export function createLedger(
  sight: Pick<Sight, 'balances' | 'standing'>,
  { signedAfterMs }: { signedAfterMs: number },
) {
  const balances = sight.balances.map((amount) => ({ ...amount }))
  const standings = new Map<string, Standing>()
  const lasts = new Map<string, number>()
  /** By what they add up: all, a token sold, a strategy. */
  const windows = new Map<string, ReturnType<typeof createWindow>>()
  const windowOf = (name: string) => {
    const known = windows.get(name) ?? createWindow()
    windows.set(name, known)
    return known
  }

  const standing = (strategy: string): Standing => {
    const known = standings.get(strategy) ?? { ...sight.standing(strategy), inflight: [] }
    standings.set(strategy, known)
    return known
  }
  const add = (token: Token, wei: bigint) => {
    const balance = balances.find((one) => sameToken(one.token, token))
    if (balance === undefined) balances.push({ token, wei })
    else balance.wei += wei
  }

  return {
    standing,
    balances: (): readonly Amount[] => balances.map((amount) => ({ ...amount })),
    remember(strategy: string, memory: Memory | undefined): void {
      standings.set(strategy, { ...standing(strategy), memory })
    },
    /** Books a swap as planned; `gas` is paid in the chain's own currency. */
    fill({ plan, price, at, gas }: { plan: Plan; price: Price; at: number; gas?: Amount }): void {
      const { strategy } = plan
      add(price.sold.token, -price.sold.wei)
      add(price.bought.token, price.bought.wei)
      if (gas !== undefined) add(gas.token, -gas.wei)
      const before = standing(strategy)
      const fill: Fill = { at, price }
      standings.set(strategy, {
        ...before,
        lastFill: fill,
        fills: [fill, ...before.fills].slice(0, fillsMax),
        totals: withTotal(before.totals, price),
      })
      const worth = plan.notional?.wei ?? 0n
      const signedAt = at + signedAfterMs
      windowOf('all').add(signedAt, worth)
      windowOf(`of ${strategy}`).add(signedAt, worth)
      windowOf(`sold ${nameOf(price.sold.token)}`).add(signedAt, price.sold.wei)
      lasts.set(pairOf(plan), at)
    },
    /** What is counted against the limits at `at`: the journal's own sums, and what the plan did in the same windows. */
    spent(journal: Spent, { plan, at }: { plan: Plan; at: number }): Spent {
      const { strategy, intent } = plan
      return {
        ...journal,
        sold: journal.sold + windowOf(`sold ${nameOf(intent.sell.token)}`).after(at - dayMs),
        hour: journal.hour + windowOf('all').after(at - hourMs),
        day: journal.day + windowOf('all').after(at - dayMs),
        strategy: journal.strategy + windowOf(`of ${strategy}`).after(at - dayMs),
        lastAt: lasts.get(pairOf(plan)) ?? journal.lastAt,
      }
    },
  }
}

const nameOf = ({ address }: Token) => address.toLowerCase()

function withTotal(totals: readonly Total[], { sold, bought }: Price): readonly Total[] {
  const isOf = (one: Total) =>
    sameToken(one.sold.token, sold.token) && sameToken(one.bought.token, bought.token)
  const before = totals.find(isOf)
  const total = {
    sold: { ...sold, wei: (before?.sold.wei ?? 0n) + sold.wei },
    bought: { ...bought, wei: (before?.bought.wei ?? 0n) + bought.wei },
    swaps: (before?.swaps ?? 0) + 1,
  }
  return [...totals.filter((one) => !isOf(one)), total]
}

/** In either direction, as the cooldown counts. */
function pairOf({ strategy, intent: { sell, buy } }: Plan): string {
  const [one, other] = [nameOf(sell.token), nameOf(buy)].sort()
  return `${strategy} ${one} ${other}`
}
