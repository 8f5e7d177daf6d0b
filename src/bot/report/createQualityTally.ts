import type { Token } from '../../core/token.ts'
import type { Dossier } from '../dossier.ts'
import type { Quality } from './quality.ts'

/** A sum over the swaps for which it is known. Money in the smallest unit of the bought token. */
type Sum = {
  /** In the sum, and not: marks that could not be read. Those that are not due yet are in neither. */
  readonly swaps: number
  readonly missing: number
  /** What the gain is a gain over. */
  readonly worth: bigint
  readonly gain: bigint
}

/** How settled swaps of one strategy in one direction of one pair look afterwards. */
export type QualityTotal = {
  readonly strategy: string
  readonly sell: Token
  readonly buy: Token
  readonly swaps: number
  /** By milliseconds after the block, rising; 0 is the block of the swap itself. */
  readonly marks: readonly (Sum & { readonly afterMs: number })[]
  /** Over what the pools alone would have paid, by when they were read. */
  readonly pools: readonly (Sum & { readonly when: 'decision' | 'inclusion' })[]
  /** Swaps that went through pools and whose block was looked at; those with neighbours in them; suspected sandwiches. */
  readonly checked: number
  readonly neighboured: number
  readonly suspected: number
}

type Growing<kept> = { -readonly [key in keyof kept]: kept[key] }

type Own = Growing<Omit<QualityTotal, 'marks' | 'pools'>> & {
  readonly marks: Map<number, Growing<Sum>>
  readonly pools: Map<'decision' | 'inclusion', Growing<Sum>>
}

/** Adds up what came after settled swaps, by strategy and pair. */
export function createQualityTally() {
  const sums = new Map<string, Own>()
  return {
    add({ strategy, plan }: Dossier, { marks, pools, neighbours }: Quality): void {
      const { sell, buy } = plan.intent
      const key = [strategy, sell.token.address, buy.address].join(' ').toLowerCase()
      const own = sums.get(key) ?? begin(strategy, sell.token, buy)
      sums.set(key, own)
      own.swaps += 1
      for (const { afterMs, gain, worth } of marks) grow(own.marks, afterMs, { gain, worth })
      for (const { when, gain, bought } of pools) grow(own.pools, when, { gain, worth: bought })
      if (neighbours === undefined || neighbours.pools === 0) return
      own.checked += 1
      if (neighbours.before + neighbours.after > 0) own.neighboured += 1
      if (neighbours.suspected) own.suspected += 1
    },
    result: (): readonly QualityTotal[] =>
      [...sums.entries()]
        .sort(([a], [b]) => (a < b ? -1 : 1))
        .map(([, { marks, pools, ...own }]) => ({
          ...own,
          marks: [...marks]
            .map(([afterMs, sum]) => ({ afterMs, ...sum }))
            .sort((a, b) => a.afterMs - b.afterMs),
          pools: [...pools].map(([when, sum]) => ({ when, ...sum })),
        })),
  }
}

function grow<key>(
  sums: Map<key, Growing<Sum>>,
  key: key,
  { gain, worth }: { readonly gain: bigint | undefined; readonly worth: bigint | undefined },
): void {
  const sum = sums.get(key) ?? { swaps: 0, missing: 0, worth: 0n, gain: 0n }
  sums.set(key, sum)
  if (gain === undefined || worth === undefined) {
    sum.missing += 1
    return
  }
  sum.swaps += 1
  sum.worth += worth
  sum.gain += gain
}

const begin = (strategy: string, sell: Token, buy: Token): Own => ({
  ...{ strategy, sell, buy, swaps: 0, checked: 0, neighboured: 0, suspected: 0 },
  marks: new Map(),
  pools: new Map(),
})
