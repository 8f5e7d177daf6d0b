import { failedInRow, refusedInRow } from '../../bot/lock/breakers.ts'
import { lockText } from '../../bot/lock/lockText.ts'
import { countsFor } from '../../bot/spent.ts'
import { type Amount, show, toText } from '../../core/amount.ts'
import { showDuration } from '../../core/duration.ts'
import { sumWei } from '../../core/holdings.ts'
import { isoText } from '../../core/isoText.ts'
import { dayMs, hourMs } from '../../core/spans.ts'
import { sameAddress } from '../../core/token.ts'
import type { BreakerView, LimitView, PastLockView } from '../../dashboard/views.ts'
import type { Served } from './served.ts'

/** What the limits over time have been used for, by the swaps that count against them now. */
export async function limitsInUse(served: Served): Promise<readonly LimitView[]> {
  const { journal, config, strategies, clock } = served
  const { chain, wallet, tokens } = config
  const { policy, breakers } = served.rules()
  const owner = { chainId: chain.chainId, wallet: wallet.address }
  const { taken: counted } = await journal.limits.counted(owner)
  const { perDay, notional } = policy
  const unit = notional.perDay.token
  const inUnit = counted.filter(
    (one) => one.unit !== undefined && sameAddress(one.unit, unit.address),
  )
  const worth = (some: typeof inUnit): Amount => ({
    token: unit,
    wei: some.reduce((sum, one) => sum + one.notional, 0n),
  })
  const hourAgo = clock.now() - hourMs
  const limit = (name: string, used: Amount, most: Amount): LimitView => ({
    ...{ name, used: toText(used), most: toText(most) },
  })
  const sold = perDay.map((most) => {
    const own = counted.filter(({ sell }) => sameAddress(sell, most.token.address))
    const wei = own.reduce((sum, { amountIn }) => sum + amountIn, 0n)
    return limit(`${most.token.symbol} sold in 24 hours`, { token: most.token, wei }, most)
  })
  const lately = inUnit.filter(({ signedAt }) => signedAt === undefined || signedAt > hourAgo)
  const gas = breakers.gasPerDayMax
  const paid = await journal.breakers.gasPaid({
    ...owner,
    since: clock.now() - dayMs,
  })
  const coin = (wei: bigint): Amount => ({ token: tokens.native, wei })
  return [
    limit('Traded in an hour', worth(lately), notional.perHour),
    limit('Traded in 24 hours', worth(inUnit), notional.perDay),
    ...strategies().map(({ name }) =>
      limit(
        `${name} in 24 hours`,
        worth(inUnit.filter((one) => countsFor(name, one))),
        notional.perStrategy,
      ),
    ),
    ...sold,
    ...(gas === undefined ? [] : [limit('Gas in 24 hours', coin(sumWei(paid)), coin(gas))]),
  ]
}

/** When each breaker locks, in words of its configuration, and how far it is from there where that is a count. */
export async function breakersInWords(served: Served): Promise<readonly BreakerView[]> {
  const { journal, config, strategies } = served
  const owner = { chainId: config.chain.chainId, wallet: config.wallet.address }
  const { breakers } = served.rules()
  const { refusals, failures, priceJump, priceDrift, clock, gasPerDayMax } = breakers
  const ends = await Promise.all(
    strategies().map(({ name }) => journal.breakers.ends({ strategy: name, ...owner })),
  )
  const refused = ends.map(({ strategyEnds }) => refusedInRow(strategyEnds).length)
  const failed = failedInRow(ends[0]?.walletEnds ?? [])
  const percent = (bps: number) => `${bps / 100} %`
  const breaker = (code: string, locks: string, stands: string | null = null) => ({
    ...{ code, locks, stands },
  })
  return [
    breaker(
      'REFUSALS',
      `${refusals.count} refused swaps of a strategy in a row, over ${showDuration(refusals.overMs)}`,
      `${Math.max(0, ...refused)} of ${refusals.count}`,
    ),
    breaker(
      'FAILURES',
      `${failures.count} swaps in a row that only cost gas, or most of the last ${2 * failures.count}`,
      `${failed.length} of ${failures.count}`,
    ),
    breaker(
      'PRICE_JUMP',
      `a price moves by ${percent(priceJump.bps)} within ${showDuration(priceJump.withinMs)}`,
    ),
    breaker(
      'PRICE_DRIFT',
      `a price is ${percent(priceDrift.bps)} from the middle of our own of a day`,
    ),
    breaker(
      'CLOCK_SKEW',
      `this clock is ${showDuration(clock.aheadMs)} from the chain's, or ${showDuration(clock.serviceMs)} from the service's`,
    ),
    breaker(
      'GAS_SPENT',
      gasPerDayMax === undefined
        ? 'never: breakers.maxGasPerDay is not set'
        : `gas of ${show({ token: config.tokens.native, wei: gasPerDayMax })} in 24 hours`,
    ),
    breaker('STRATEGY_BROKEN', 'a strategy fails while it decides'),
    breaker('SHORTFALL', 'a swap brings less than its minimum'),
    breaker('RPC_DISAGREEMENT', 'two nodes disagree about the chain'),
    breaker('LEDGER_DRIFT', 'the wallet holds less than its ledger'),
  ]
}

/** Locks shown: the older ones are in the log. */
const locksMax = 50

/** Locks that are or were, newest first. */
export async function pastLocks({ journal }: Served): Promise<readonly PastLockView[]> {
  const locks = await journal.locks.history({ limit: locksMax })
  return locks.map(({ releasedAt, releasedReason, openedBy, releasedBy, ...lock }) => ({
    ...lockText(lock),
    openedBy: openedBy ?? null,
    releasedBy: releasedBy ?? null,
    releasedAt: releasedAt === undefined ? null : isoText(releasedAt),
    releasedReason: releasedReason ?? null,
  }))
}
