import type { Dossier } from '../dossier.ts'
import { arithmeticMean, inBps } from './benchmarks.ts'
import type { Quality } from './quality.ts'

/** How one maker, or the pools together, did. Bps are means over legs, for display. */
export type MakerTotal = {
  /** Its address; undefined for the pools. */
  readonly maker: string | undefined
  /** Legs in firm quotes that passed every check; those of them that were sent to the chain. */
  readonly offered: number
  readonly taken: number
  /** Settled by it, with what it promised; and settled by a pool in its place. */
  readonly filled: number
  readonly declined: number
  /** Sent, and the whole swap came to nothing. */
  readonly faded: number
  /** From the request of a firm quote with a leg of it to the answer, in milliseconds: the service's time is in it. */
  readonly latencies: readonly number[]
  /** Above the middle before the quote, and above what the pools alone paid; positive is better for the wallet. */
  readonly overMiddleBps: number | undefined
  readonly overPoolsBps: number | undefined
  /** Of swaps with a leg of it, by milliseconds after the block; positive is better for the wallet. */
  readonly markouts: readonly { readonly afterMs: number; readonly bps: number }[]
}

type Own = {
  offered: number
  taken: number
  filled: number
  declined: number
  faded: number
  readonly latencies: number[]
  readonly overMiddle: number[]
  readonly overPools: number[]
  readonly markouts: Map<number, number[]>
}

const faded: readonly string[] = ['REVERTED', 'EXPIRED_DEAD', 'DISPLACED']

/** Scores makers by the legs of firm quotes. The bot hears only of makers whose legs a quote has. */
export function createMakerTally() {
  const sums = new Map<string, Own>()
  const ownOf = (maker: string | undefined): Own => {
    const key = maker?.toLowerCase() ?? ''
    const own = sums.get(key) ?? begin()
    sums.set(key, own)
    return own
  }
  return {
    add({ quote, state, attempts }: Dossier, quality: Quality | undefined): void {
      const legs = quote?.legs ?? []
      const isSent = attempts.some(
        ({ kind, sentAtBlock }) => kind === 'SWAP' && sentAtBlock !== null,
      )
      for (const [index, leg] of legs.entries()) {
        const own = ownOf(leg.maker)
        own.offered += 1
        if (isSent) own.taken += 1
        if (isSent && faded.includes(state)) own.faded += 1
        const judged = quality?.legs[index]
        if (judged === undefined) continue
        if (judged.fill !== undefined && leg.maker !== undefined && judged.fill.by === 'pool')
          own.declined += 1
        else own.filled += 1
        const bps = (over: bigint | undefined) => {
          const base = (judged.fill?.bought ?? leg.bought) - (over ?? 0n)
          // A leg of dust can be worth no unit at all to the benchmark.
          return over === undefined || base <= 0n ? [] : inBps([over], base)
        }
        own.overMiddle.push(...bps(judged.overMiddle))
        own.overPools.push(...bps(judged.overPools))
      }
      for (const maker of new Set(legs.map((leg) => leg.maker))) {
        const own = ownOf(maker)
        if (quote?.requestedAt !== undefined && quote.receivedAt !== undefined)
          own.latencies.push(quote.receivedAt - quote.requestedAt)
        for (const { afterMs, gain, worth } of quality?.marks ?? [])
          if (gain !== undefined && worth !== undefined && worth > 0n)
            own.markouts.set(afterMs, [
              ...(own.markouts.get(afterMs) ?? []),
              ...inBps([gain], worth),
            ])
      }
    },
    result: (): readonly MakerTotal[] =>
      [...sums.entries()]
        .sort(([a], [b]) => (a < b ? -1 : 1))
        .map(([maker, { overMiddle, overPools, markouts, ...own }]) => ({
          maker: maker === '' ? undefined : maker,
          ...own,
          overMiddleBps: arithmeticMean(overMiddle),
          overPoolsBps: arithmeticMean(overPools),
          markouts: [...markouts]
            .map(([afterMs, values]) => ({ afterMs, bps: arithmeticMean(values) ?? 0 }))
            .sort((a, b) => a.afterMs - b.afterMs),
        })),
  }
}

const begin = (): Own => ({
  ...{ offered: 0, taken: 0, filled: 0, declined: 0, faded: 0 },
  ...{ latencies: [], overMiddle: [], overPools: [], markouts: new Map() },
})
