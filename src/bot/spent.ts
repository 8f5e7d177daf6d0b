import { recoveredStrategy } from '../core/reservedStrategies.ts'
import { dayMs, hourMs } from '../core/spans.ts'
import { type Coin, sameAddress, sameToken, type Token } from '../core/token.ts'
import type { Plan, Spent } from './stages.ts'
import { deadStates, isFinal, type SwapState } from './state.ts'

const dead: readonly SwapState[] = deadStates

/** Refused or given up before anything was signed: it began nothing that a cooldown would have to wait for. */
const unbegun: readonly SwapState[] = ['REJECTED', 'ABANDONED']

/** Whether a swap counts against the limit of a strategy: what was booked from the chain may be any one's. */
export const countsFor = (strategy: string, { strategy: of }: Pick<LimitEntry, 'strategy'>) =>
  of === strategy || of === recoveredStrategy

/** A swap as the limits see it. Instants in milliseconds since the epoch. */
export type LimitEntry = {
  readonly swapId: string
  readonly strategy: string
  readonly chainId: number
  readonly wallet: string
  readonly state: SwapState
  /** Addresses; what is bought is absent in entries older than the limits in a unit of account. */
  readonly sell: string
  readonly buy: string | undefined
  readonly amountIn: bigint
  /** The sold amount in the unit of account, and the address of that unit. */
  readonly notional: bigint
  readonly unit: string | undefined
  /** Limits over time count from here; undefined for what is not signed yet. */
  readonly signedAt: number | undefined
  /** The cooldown counts from here. */
  readonly createdAt: number
}

/**
 * Whether a swap counts against the limits of a day at `at`: what is open, however old it is, and what was signed in the
 * 24 hours before and is not proven dead. A plan may wait for its approvals longer than a limit looks back.
 */
export const counts = (
  { state, signedAt }: Pick<LimitEntry, 'state' | 'signedAt'>,
  at: number,
): boolean =>
  !isFinal(state) || (!dead.includes(state) && signedAt !== undefined && signedAt > at - dayMs)

/**
 * Use of the limits by the other swaps of a plan's wallet, from all that is known of them. The one rule, for the
 * journal and for all code that only plays what the bot would do.
 *
 * The cooldown is of a strategy and a pair, in either direction; the two names of the `coin` are one asset to it.
 */
export function spentOf(
  entries: readonly LimitEntry[],
  { plan, at, coin }: { plan: Plan; at: number; coin: Coin | undefined },
): Spent {
  const { sell } = plan.intent
  const others = entries.filter(({ swapId }) => swapId !== plan.swapId)
  const counted = others.filter(
    (one) =>
      one.chainId === sell.token.chainId && sameAddress(one.wallet, plan.wallet) && counts(one, at),
  )
  const unit = plan.notional?.token.address
  const inUnit = counted.filter(
    (one) => unit !== undefined && one.unit !== undefined && sameAddress(one.unit, unit),
  )
  const sum = (some: readonly LimitEntry[]) =>
    some.reduce((total, { notional }) => total + notional, 0n)
  const begun = others.filter(
    (one) => !unbegun.includes(one.state) && isOfPair(one, { plan, coin }),
  )
  return {
    sold: counted
      .filter((one) => sameAddress(one.sell, sell.token.address))
      .reduce((total, { amountIn }) => total + amountIn, 0n),
    hour: sum(inUnit.filter(({ signedAt }) => signedAt === undefined || signedAt > at - hourMs)),
    day: sum(inUnit),
    strategy: sum(inUnit.filter((one) => countsFor(plan.strategy, one))),
    otherUnit: counted.length - inUnit.length,
    lastAt: begun.length === 0 ? undefined : Math.max(...begun.map(({ createdAt }) => createdAt)),
  }
}

/** Whether the same strategy traded the same two assets, in either direction. */
function isOfPair(
  { strategy, sell, buy }: LimitEntry,
  { plan, coin }: { plan: Plan; coin: Coin | undefined },
): boolean {
  if (!countsFor(plan.strategy, { strategy }) || buy === undefined) return false
  const [one, other] = pairNames(plan, coin)
  const is = (names: readonly string[], address: string) => names.includes(address.toLowerCase())
  return (is(one, sell) && is(other, buy)) || (is(other, sell) && is(one, buy))
}

/**
 * The addresses that each side of a plan's pair goes by, in lower case: a strategy that alternates between the two names
 * of the coin waits all the same.
 */
export function pairNames(
  { intent: { sell, buy } }: Plan,
  coin: Coin | undefined,
): readonly [readonly string[], readonly string[]] {
  const namesOf = (token: Token) => {
    const both = coin === undefined ? [] : [coin.native, coin.wrapped]
    const names = both.some((name) => sameToken(name, token)) ? both : [token]
    return names.map(({ address }) => address.toLowerCase())
  }
  return [namesOf(sell.token), namesOf(buy)]
}
