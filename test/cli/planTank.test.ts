import { expect, test } from 'vitest'
import { loadStrategies } from '../../src/bot/strategy/load.ts'
import { hourMs } from '../../src/core/spans.ts'
import { forecastPlan } from '../../src/forecast/forecastPlan.ts'
import { viewPlan } from '../../src/forecast/viewPlan.ts'
import { planFixture } from './plan/planFixture.ts'

const now = Date.UTC(2026, 8, 1)
const until = now + hourMs
const rest = async () => {}
const tanks = [`0x${'1'.repeat(40)}`, `0x${'2'.repeat(40)}`] as const
const params = `{ sell: 900 USDC, tanks: ["${tanks[0]}", "${tanks[1]}"], below: 0.05 ETH, to: 0.2 ETH, tolerance: 50 bps, every: 5m }`
const { config, amount, outlook } = planFixture([
  ['recipients: []', `recipients: ["${tanks[0]}"]`],
  [
    'use: threshold\n    params: { sell: 1 WETH, buy: USDC, price: 2950 USDC, every: 5s }',
    `use: gas-tank\n    params: ${params}`,
  ],
])
const strategies = await loadStrategies(config)

test('a plan refills a tank once, and counts nothing of it as received', async () => {
  const known = outlook(now, strategies)
  const [first] = strategies
  const view = known.views.get(first?.name ?? '')
  if (first === undefined || view === undefined) throw new Error('it has looked at its market')
  const indications = [{ sold: amount('900 USDC'), bought: amount('0.3 ETH'), route: [] }]
  const accounts = tanks.map((account) => ({ account, held: amount('0.08 ETH') }))
  const low = accounts.map((one, index) => (index === 0 ? { ...one, held: amount('0 ETH') } : one))
  const seen = {
    ...known,
    views: new Map([[first.name, { ...view, indications, levels: [[]], accounts: low }]]),
  }
  const { forecasts } = await forecastPlan({ config, strategies, outlook: seen, until, rest })
  const swaps = forecasts.flatMap(({ asks }) => asks.flatMap((ask) => ask.swaps))
  expect(swaps).toMatchObject([
    { sell: amount('600 USDC'), recipient: tanks[0], received: amount('0.2 ETH'), blocks: [] },
  ])
  const { strategies: plans, months } = viewPlan({
    config,
    outlook: seen,
    forecasts,
    until,
    doubts: [],
  })
  expect(plans[0]?.asks[0]?.swaps).toMatchObject([{ recipient: tanks[0] }])
  expect(months).toMatchObject([{ swaps: 1, sold: [{ text: '600' }], received: [] }])
})

test('what depends on tanks that could not be read is not known', async () => {
  const blind = { ...outlook(now, strategies), balances: undefined, views: new Map() }
  const { forecasts } = await forecastPlan({ config, strategies, outlook: blind, until, rest })
  expect(forecasts.flatMap(({ asks }) => asks.map(({ kind }) => kind))).toContain('unknown')
})
