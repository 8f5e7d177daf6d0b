import type { createMarket } from '../../src/bot/market/createMarket.ts'
import { usdOf } from '../../src/core/token.ts'

type Sources = Parameters<typeof createMarket>[0]

/** What a market is opened over besides chain and prices, where a test has nothing to say of it. */
export const quietSources = {
  reference: async () => undefined,
  reserved: async () => [],
  absent: async () => [],
  tip: async () => 3n,
  swapGasPrior: 1_000n,
  bytesCost: async () => ({ fee: undefined, gas: undefined }),
  swapLimits: [],
  swapWorth: { token: usdOf(31337), wei: 0n },
} satisfies Partial<Sources>

/** A strategy that never did anything. */
export const newcomer: Awaited<ReturnType<Sources['journal']['standingOf']>> = {
  inflight: [],
  lastFill: undefined,
  fills: [],
  totals: [],
  memory: undefined,
  open: [],
  swapGas: undefined,
  settled: undefined,
}
