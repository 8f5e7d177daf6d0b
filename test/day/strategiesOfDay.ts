import { openDay } from './openDay.ts'
import type { runDay } from './runDay.ts'

const hourMs = 3_600_000

/** What the day's calendar buys for, in all, and what is sold over the day; whole units. */
const budget = 6_000
const slice = 500
const spread = 6

/** The largest slice of what is sold over the day, in even ones. */
const most = 4

/** Out of it the rebalancer trades, in bps of the whole. */
const triggerBps = 200

/** Four strategies of one wallet: a calendar, a spread order, a limit, and who keeps the weights. */
export function strategiesOfDay({
  startMs,
  hours,
  sliceMost = '60000 USDC',
}: {
  startMs: number
  hours: number
  /** The most that who keeps the weights trades at once. */
  sliceMost?: string
}): string {
  const instant = (ms: number) =>
    new Date(Math.floor(ms / 1_000) * 1_000).toISOString().replace('.000Z', 'Z')
  const start = instant(startMs)
  const end = instant(startMs + hours * hourMs * 0.9)
  return `strategies:
  - name: dca-weth
    use: dca
    priority: 10
    params: { sell: ${slice} USDC, buy: WETH, cron: "0 * * * *", timeZone: Europe/Berlin, tolerance: 50 bps, budget: ${budget} USDC, carryMost: 3, missed: skip }
  - name: spread-weth
    use: twap
    priority: 5
    params: { sell: ${spread} WETH, buy: USDC, start: "${start}", end: "${end}", slices: ${4 * hours}, most: ${most}, tolerance: 50 bps }
  - name: sell-strength
    use: threshold
    params: { sell: 0.2 WETH, buy: USDC, price: 2900 USDC, every: 30m, limit: 2 WETH, repeat: always }
  - name: weights
    use: rebalance
    params: { weights: { WETH: 50 %, USDC: 50 % }, in: USDC, trigger: ${triggerBps} bps, every: 10m, tolerance: 50 bps, impact: 20 bps, keep: 1 ETH, horizon: 90d, maximum: ${sliceMost} }
`
}

/** What the day came to, and everything that is not as it has to be. */
export function judgeStrategies(
  day: Awaited<ReturnType<typeof runDay>>,
  { hours }: { hours: number },
) {
  const { startedAt, endedAt, held, price, reconcile, audit, exits, kills } = day
  const books = openDay(day.journal)
  try {
    const breaks = [
      ...books.calendarBreaks(
        { strategy: 'dca-weth', periodMs: hourMs, budget: BigInt(budget) * 10n ** 6n },
        // The last slot may not be over when the day is.
        { from: startedAt, to: endedAt - hourMs },
      ),
      ...(exits.join() === '0' ? [] : [`exits: ${exits.join()}`]),
      ...(reconcile.code === 0 ? [] : [`reconcile: ${reconcile.stdout}${reconcile.stderr}`]),
      ...(audit.code === 0 ? [] : [`audit: ${audit.stdout}${audit.stderr}`]),
      ...books.locks.map(({ kind, code, reason }) => `${kind} ${code}: ${reason}`),
    ]
    // Small slices meet dear blocks: the last of them has no slot after it. And a slot that waited for its market leaves more
    // to the last one than the largest slice takes.
    const left = BigInt(spread) * 10n ** 18n - books.soldBy('spread-weth')
    const refused = books.refusedLast('spread-weth')
    const largest = (BigInt(spread * most) * 10n ** 18n) / BigInt(4 * hours)
    const isLargest = books.settled('spread-weth').at(-1)?.amount_in === largest.toString()
    const excused = refused.reduce((sum, one) => sum + BigInt(one.amount_in), 0n)
    if (left < 0n || (left > excused && !isLargest)) {
      const swaps = books.swaps
        .filter(({ strategy }) => strategy === 'spread-weth')
        .map(({ amount_in, state, code }) => `${amount_in} ${state} ${code ?? ''}`)
      const waits = books
        .lastWaits('spread-weth')
        .map(({ at, reason }) => `${new Date(at).toISOString()} ${reason}`)
      breaks.push(
        `spread-weth has ${left} left of ${spread} WETH: ${[...swaps, ...waits].join(', ')}`,
      )
    }
    const wanted = BigInt(budget) * 10n ** 6n
    if (hours >= (2 * budget) / slice && books.soldBy('dca-weth') !== wanted)
      breaks.push(`dca-weth spent ${books.soldBy('dca-weth')} of ${wanted}`)
    if (books.soldBy('sell-strength') > 2n * 10n ** 18n)
      breaks.push('sell-strength is over its limit')

    const inWeth = Number((held.WETH ?? 0n) + (held.ETH ?? 0n)) / 1e18
    const inUsdc = Number(held.USDC ?? 0n) / 1e6
    const weight = (inWeth * price) / (inWeth * price + inUsdc)
    if (Math.abs(weight - 0.5) * 10_000 > triggerBps) breaks.push(`the weight of WETH is ${weight}`)
    return {
      kills,
      blocks: day.blocks,
      swaps: books.swaps.length,
      spreadLeft: left.toString(),
      settled: books.swaps.filter(({ state }) => state === 'SETTLED').length,
      slots: books.states('dca-weth'),
      weight,
      breaks,
    }
  } finally {
    books.close()
  }
}
