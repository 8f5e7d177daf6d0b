import { type Amount, show } from '../../core/amount.ts'
import { recoveredStrategy } from '../../core/reservedStrategies.ts'
import { hourMs } from '../../core/spans.ts'
import { sameAddress, type Token } from '../../core/token.ts'
import type { LimitEntry } from '../spent.ts'
import type { BreakTally } from './createTally.ts'

/** The permitted allowances, by the policy. */
export type ReconcileLimits = {
  readonly perDay: readonly Amount[]
  /** What one swap may sell, and so needs. */
  readonly perSwap: readonly Amount[]
  /** What may be left standing. */
  readonly allowances: readonly Amount[]
  /** The tokens of which Permit2 may be approved in place of the router. */
  readonly permits: readonly Token[]
  readonly notional: {
    readonly perHour: Amount
    readonly perDay: Amount
    /** Of one strategy in 24 hours. */
    readonly perStrategy: Amount
  }
}

/**
 * I6: reserved and spent are within the limits; bytes that may still be mined count as spent. Where the limits were
 * changed since the books were last in order, an overrun may be theirs: that is unknown, not a break. So is one by swaps
 * that were booked from the chain: their value is that of the day of the booking, and their strategy is not known.
 */
export function checkLimits(
  {
    taken,
    limits,
    at,
    changed,
  }: {
    taken: readonly LimitEntry[]
    limits: Pick<ReconcileLimits, 'perDay' | 'notional'>
    at: number
    changed: boolean
  },
  tally: BreakTally,
): string {
  const { perHour, perDay, perStrategy } = limits.notional
  const counted = taken.filter(
    ({ unit }) => unit !== undefined && sameAddress(unit, perDay.token.address),
  )
  const recent = counted.filter(({ signedAt }) => signedAt === undefined || signedAt > at - hourMs)
  const strategies = new Set(counted.filter(isOwn).map(({ strategy }) => strategy))
  const sums = [
    { limit: 'notional per hour', max: perHour, ...sumsOf(recent, 'notional') },
    { limit: 'notional per day', max: perDay, ...sumsOf(counted, 'notional') },
    ...[...strategies].map((strategy) => ({
      limit: `notional per day of ${strategy}`,
      max: perStrategy,
      ...sumsOf(
        counted.filter((one) => one.strategy === strategy),
        'notional',
      ),
    })),
    ...limits.perDay.map((max) => ({
      limit: `${max.token.symbol} per day`,
      max,
      ...sumsOf(
        taken.filter(({ sell }) => sameAddress(sell, max.token.address)),
        'amountIn',
      ),
    })),
  ]
  for (const { limit, max, sum, own } of sums) {
    if (sum <= max.wei) continue
    const used = show({ token: max.token, wei: sum })
    if (changed)
      tally.unknown(
        `${limit}: ${used} of ${show(max)}, and the limits were changed since the last clean run`,
      )
    else if (own <= max.wei)
      tally.unknown(`${limit}: ${used} of ${show(max)}, with swaps that were booked from the chain`)
    else
      tally.broke({
        key: `I6 ${limit} ${sum}`,
        code: 'LIMIT_OVERRUN',
        facts: { limit, taken: used, max: show(max) },
        next: 'ballast history --limit 50; a limit that was lowered today explains it',
        lock: 'LEDGER_BROKEN',
      })
  }
  const day = show({ token: perDay.token, wei: sumOf(counted, 'notional') })
  return `${taken.length} swaps count, ${day} of ${show(perDay)} in 24 hours; ${sums.length} limits`
}

const isOwn = ({ strategy }: LimitEntry) => strategy !== recoveredStrategy

const sumsOf = (some: readonly LimitEntry[], what: 'notional' | 'amountIn') => ({
  sum: sumOf(some, what),
  own: sumOf(some.filter(isOwn), what),
})

const sumOf = (some: readonly LimitEntry[], what: 'notional' | 'amountIn') =>
  some.reduce((sum, one) => sum + one[what], 0n)
