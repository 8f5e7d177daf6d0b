import type { Token } from '../../core/token.ts'
import type { Dossier } from '../dossier.ts'
import type { Shortfall } from './shortfall.ts'

/** The settled swaps of one strategy in one direction of one pair, added up. Money in smallest units. */
export type ExecutionTotal = {
  readonly strategy: string
  readonly sell: Token
  readonly buy: Token
  readonly swaps: number
  readonly sold: bigint
  readonly received: bigint
  /** For swaps with the benchmark: the worth of the sold amounts, and where the rest of it went. */
  readonly measured: number
  readonly worth: bigint
  readonly delay: bigint
  readonly spread: bigint
  readonly slippage: bigint
  readonly gas: bigint
  /** The tips in it, as far as they were written down. */
  readonly tip: bigint
  readonly total: bigint
  /** Measured ones whose gas has no price: it is in none of the sums. */
  readonly gasUnpriced: number
  /** Held to the price they were shown, for want of a better one: in none of the sums. */
  readonly indicationOnly: number
  readonly withoutBenchmark: number
}

type Sum = { -readonly [key in keyof ExecutionTotal]: ExecutionTotal[key] }

/** Adds up what settled swaps cost, by strategy and pair. Costs of different tokens are never added to each other. */
export function createExecutionTally() {
  const sums = new Map<string, Sum>()
  return {
    add({ strategy, plan, moved }: Dossier, cost: Shortfall | undefined): void {
      if (moved === undefined) return
      const { sell, buy } = plan.intent
      const key = [strategy, sell.token.address, buy.address].join(' ').toLowerCase()
      const sum = sums.get(key) ?? begin(strategy, sell.token, buy)
      sums.set(key, sum)
      sum.swaps += 1
      sum.sold += moved.sold.wei
      sum.received += moved.received.wei
      if (cost === undefined) sum.withoutBenchmark += 1
      else if (cost.benchmark.kind === 'indication') sum.indicationOnly += 1
      else {
        sum.measured += 1
        sum.worth += cost.benchmark.worth.wei
        sum.delay += cost.delay ?? 0n
        sum.spread += cost.spread
        sum.slippage += cost.slippage
        sum.gas += cost.gas ?? 0n
        sum.tip += cost.tip ?? 0n
        sum.total += cost.total
        if (cost.gas === undefined) sum.gasUnpriced += 1
      }
    },
    result: (): readonly ExecutionTotal[] =>
      [...sums.entries()].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, sum]) => sum),
  }
}

const begin = (strategy: string, sell: Token, buy: Token): Sum => ({
  strategy,
  sell,
  buy,
  swaps: 0,
  sold: 0n,
  received: 0n,
  measured: 0,
  worth: 0n,
  delay: 0n,
  spread: 0n,
  slippage: 0n,
  gas: 0n,
  tip: 0n,
  total: 0n,
  gasUnpriced: 0,
  indicationOnly: 0,
  withoutBenchmark: 0,
})
