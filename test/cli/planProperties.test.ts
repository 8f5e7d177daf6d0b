import fc from 'fast-check'
import { expect, test } from 'vitest'
import { slots } from '../../src/bot/schedule/slots.ts'
import type { Cron } from '../../src/bot/strategy/index.ts'
import { loadStrategies } from '../../src/bot/strategy/load.ts'
import { formatDecimal } from '../../src/core/decimal.ts'
import { forecastPlan } from '../../src/forecast/forecastPlan.ts'
import { viewPlan } from '../../src/forecast/viewPlan.ts'
import { planFixture } from './plan/planFixture.ts'
import { slicer } from './plan/slicer.ts'

const dayMs = 86_400_000
// A sample, by count: `npm run test:plan` takes 2,000.
const runs = Number(process.env.PLAN_RUNS ?? 30)
const rest = async () => {}
const hourMs = dayMs / 24
const start = Date.UTC(2026, 9, 1)

/** Some that have summer time, some that meet its hours, some that are dense. */
const schedule = fc
  .record({
    expression: fc.constantFrom('0 9 * * 1', '30 2 * * *', '0 */5 * * *', '15 1,2,3 * * *'),
    timeZone: fc.constantFrom('Europe/Berlin', 'America/New_York', 'UTC', 'Australia/Sydney'),
  })
  .map((some): Cron => ({ kind: 'cron', ...some }))

test('what a plan spends of the budget of a dca is the budget, to the unit', async () => {
  const { config, outlook } = planFixture()
  await fc.assert(
    fc.asyncProperty(
      schedule,
      // Forty dollars and more: less than thirty would be dust, which is refused.
      fc.bigInt({ min: 40_000_000n, max: 5_000_000_000n }),
      fc.bigInt({ min: 1n, max: 20n }),
      fc.boolean(),
      async ({ expression, timeZone }, slice, whole, isOdd) => {
        const budget = slice * whole + (isOdd ? slice - 1n : 0n)
        const usdc = (wei: bigint) => `${formatDecimal(wei, 6)} USDC`
        const params = {
          sell: usdc(slice),
          buy: 'WETH',
          cron: expression,
          timeZone,
          tolerance: '50 bps',
          budget: usdc(budget),
        }
        const entry = { name: 'weekly', use: 'dca', params, path: ['strategies', 0], priority: 0 }
        const strategies = await loadStrategies({ ...config, strategies: [entry] })
        const sight = outlook(start, strategies)
        const until = start + 200 * dayMs
        const { forecasts } = await forecastPlan({
          config,
          strategies,
          outlook: sight,
          until,
          rest,
        })
        const sold = forecasts.flatMap(({ asks }) =>
          asks.flatMap(({ swaps }) =>
            swaps.filter(({ blocks }) => blocks.length === 0).map((swap) => swap.sell.wei),
          ),
        )
        expect(sold.reduce((sum, wei) => sum + wei, 0n)).toBe(budget)
        expect(sold.length).toBe(Number(whole) + (isOdd ? 1 : 0))
        const { strategies: shown } = viewPlan({
          config,
          outlook: sight,
          forecasts,
          until,
          doubts: [],
        })
        expect(shown[0]?.facts.join()).toMatch(
          new RegExp(
            `^budget: .* planned; used up on .*, its last slice ${usdc(sold.at(-1) ?? 0n)}`,
          ),
        )
      },
    ),
    { numRuns: runs },
  )
})

test('each rule first stands in the way where a count day by day says so', async () => {
  await fc.assert(
    fc.asyncProperty(
      schedule,
      fc.record({
        slice: fc.integer({ min: 40, max: 900 }),
        perDay: fc.integer({ min: 40, max: 3_000 }),
        holds: fc.integer({ min: 100, max: 30_000 }),
        perHour: fc.integer({ min: 40, max: 2_000 }),
        cooldownHours: fc.integer({ min: 0, max: 30 }),
      }),
      async (when, { slice, perDay, holds, perHour, cooldownHours }) => {
        const { config, amount, token, outlook } = planFixture([
          ['200 ETH, 600000 USDC]', `200 ETH, ${perDay} USDC]`],
          ['perHour: 100000 USD', `perHour: ${perHour} USD`],
          ['cooldown: 0s', `cooldown: ${cooldownHours}h`],
        ])
        const sell = amount(`${slice} USDC`)
        const one = slicer('weekly', { sell, buy: token('WETH'), schedule: when })
        const sight = outlook(start, [one], { balances: [`${holds} USDC`, '10 ETH'] })
        const until = start + 60 * dayMs
        const { forecasts } = await forecastPlan({
          config,
          strategies: [one],
          outlook: sight,
          until,
          rest,
        })
        const { blocks } = viewPlan({ config, outlook: sight, forecasts, until, doubts: [] })
        const found = Object.fromEntries(blocks.map(({ rule, at }) => [rule, Date.parse(at)]))
        expect(found).toEqual(
          firstRefusals(when, { slice, perDay, holds, perHour, cooldownHours, until }),
        )
      },
    ),
    { numRuns: runs },
  )
})

type Limits = Readonly<
  Record<'slice' | 'perDay' | 'holds' | 'perHour' | 'cooldownHours' | 'until', number>
>

/** The rules once more, in whole dollars and without anything of the plan's own. */
function firstRefusals(when: Cron, limits: Limits): Readonly<Record<string, number>> {
  const { slice, perDay, perHour, cooldownHours, until } = limits
  const first: Record<string, number> = {}
  const done: number[] = []
  let left = limits.holds
  for (const at of slots(when, start)) {
    if (at > until) return first
    // Signed up to 30 s after its slot: `quote.expiry`.
    const within = (spanMs: number) =>
      done.filter((one) => one + 30_000 > at - spanMs).length * slice
    const rules: readonly (readonly [string, boolean])[] =
      left < slice
        ? [['funds', true]]
        : [
            ['policy.perDay', within(dayMs) + slice > perDay],
            ['policy.notional.perHour', within(hourMs) + slice > perHour],
            ['policy.cooldown', at - (done.at(-1) ?? -Infinity) < cooldownHours * hourMs],
          ]
    const broken = rules.filter(([, isBroken]) => isBroken)
    for (const [rule] of broken) first[rule] ??= at
    if (broken.length > 0) continue
    done.push(at)
    left -= slice
  }
  return first
}
