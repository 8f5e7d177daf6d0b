/**
 * Decisions in a second, of a strategy in its own world and of the same one without. The best of many short bursts that
 * take turns: what else the machine does is in the others. Printed, never asserted: machines differ.
 *
 * `node bench/strategy.ts`
 */
import { performance } from 'node:perf_hooks'
import { readStrategy } from '../src/bot/strategy/readStrategy.ts'
import { contextWith } from '../src/bot/strategy/testing.ts'
import threshold from '../strategies/threshold.ts'

const token = { chainId: 1, address: `0x${'01'.repeat(20)}`, symbol: 'WETH', decimals: 18 } as const
const sell = { token, wei: 10n ** 18n }
const buy = { ...token, address: `0x${'02'.repeat(20)}`, symbol: 'USDC' } as const
const price = { sold: sell, bought: { token: buy, wei: 3_000n } }
const isolated = readStrategy(new URL('../strategies/threshold.ts', import.meta.url).pathname)
const context = contextWith(
  { sell, buy, price, every: 5 },
  { indications: [{ ...price, route: [] }], balances: [sell] },
)

const strategies = { 'in its own world': isolated, without: threshold }
const best = new Map<string, number>()
for (let burst = 0; burst < 200; burst += 1)
  for (const [name, strategy] of Object.entries(strategies)) {
    const start = performance.now()
    for (let count = 0; count < 500; count += 1) strategy.decide(context as never)
    best.set(name, Math.max(best.get(name) ?? 0, 500_000 / (performance.now() - start)))
  }
for (const [name, perSecond] of best)
  console.log(
    `${name.padEnd(20)}${perSecond.toFixed(0).padStart(10)} decisions/s   target > 100000`,
  )
