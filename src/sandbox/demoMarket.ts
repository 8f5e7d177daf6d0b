import { readWorld } from './readWorld.ts'
import { shippedWorld } from './shippedFile.ts'
import type { SandboxWorld } from './world.ts'
import type { Example } from './writeConfig.ts'

/** A strategy of the demo: what a visitor reads of it, and what is configured. */
type Shown = {
  readonly name: string
  readonly does: string
  readonly use: string
  readonly params: string
}

/**
 * Three strategies that go on for good: what the calendar buys more than the limit sells, the rebalancer sells. None has a
 * budget that ends. A rebalancer knows its day by its last 32 swaps, and waits where they are not all of it: so it rests
 * after one, and has a minimum that a cycle passes with one swap.
 */
export const demoStrategies: readonly Shown[] = [
  {
    name: 'weights',
    does: 'keeps 40 % WETH, 30 % WBTC, 30 % USDC; once in 55 minutes',
    use: 'rebalance',
    // A year: what these weights are worth keeping for, so that a small drift is worth its cost.
    params:
      '{ weights: { WETH: 40 %, WBTC: 30 %, USDC: 30 % }, in: USDC, trigger: 30 bps, destination: 0 %, minimum: 5000 USDC, every: 5s, cooldown: 55m, horizon: 365d, turnover: 50 %, tolerance: 50 bps }',
  },
  {
    name: 'dca-weth',
    does: 'buys WETH for 500 USDC every minute',
    use: 'dca',
    params:
      '{ sell: 500 USDC, buy: WETH, cron: "* * * * *", timeZone: Europe/Berlin, tolerance: 50 bps }',
  },
  {
    name: 'sell-strength',
    does: 'sells 0.2 WETH every 2 minutes, at 2850 USDC or better',
    use: 'threshold',
    params: '{ sell: 0.2 WETH, buy: USDC, price: 2850 USDC, every: 2m }',
  },
]

/** The calendar alone sells more in a day than the policy of a sandbox has in USDC. */
export const demoExample: Example = {
  strategies: `strategies:
${demoStrategies.map(({ name, use, params }) => `  - name: ${name}\n    use: ${use}\n    params: ${params}`).join('\n')}`,
  perDay: '1000',
}

/** A price that walked away for good would leave the limit behind, and the range of the pools. */
const halfLifeHours = 8

/** The shipped market with a treasury that is off its weights, gas for months, and prices that come back. */
export function demoWorld(): SandboxWorld {
  const { prices, ...world } = readWorld(shippedWorld())
  return {
    ...world,
    wallets: {
      ...world.wallets,
      treasury: { native: '100', WETH: '200', USDC: '477000', WBTC: '4.7' },
    },
    ...(prices && {
      prices: {
        ...prices,
        model: Object.fromEntries(
          Object.entries(prices.model).map(([symbol, walk]) => [
            symbol,
            { ...walk, halfLifeHours },
          ]),
        ),
      },
    }),
  }
}
