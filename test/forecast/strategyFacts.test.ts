import { expect, test } from 'vitest'
import { strategyDetail } from '../../src/app/dashboard/strategyDetail.ts'
import type { Own } from '../../src/bot/strategy/index.ts'
import { checkStrategies, type LoadedStrategy } from '../../src/bot/strategy/load.ts'
import { strategyFacts } from '../../src/forecast/planSummary.ts'
import { planFixture } from '../cli/plan/planFixture.ts'

test.each([null, undefined, 'monthly'])(
  'parameters that are no section, %s, have no facts',
  (params) => {
    expect(strategyFacts({ loaded: { params } } as never, {} as never)).toEqual([])
  },
)

const { config, amount, token } = planFixture()

function loadedOf(use: string, params: object): LoadedStrategy {
  const strategies = [{ name: use, use, params, path: ['strategies', 0, 'params'], priority: 0 }]
  const { loaded, problems } = checkStrategies({ ...config, strategies })
  expect(problems).toEqual([])
  return loaded[0] as LoadedStrategy
}

const reverting = () =>
  loadedOf('mean-reversion', {
    ...{ buy: '1000 USDC', sell: '0.3 WETH', budget: '10000 USDC', band: '3 %', stop: '8 %' },
    ...{ every: '1h', looks: '24', tolerance: '50 bps' },
  })
const leaving = () =>
  loadedOf('threshold', {
    ...{ sell: '1 WETH', buy: 'USDC', price: '2950 USDC per WETH', every: '5s', limit: '5 WETH' },
  })

const total = (sold: string, bought: string) => ({
  ...{ sold: amount(sold), bought: amount(bought), swaps: 1 },
})
const ownOf = (totals: Own['totals']) => ({
  ...{ inflight: [], lastFill: undefined, fills: [], totals, memory: undefined },
})
const round = [total('30000 USDC', '10 WETH'), total('10 WETH', '30500 USDC')]
const down = [total('30000 USDC', '10 WETH'), total('10 WETH', '26000 USDC')]

type Planned = { readonly sell: string; readonly buy: string; readonly received: string }

/** The last of the facts: that of the budget. */
function factOf(loaded: LoadedStrategy, totals: Own['totals'], planned: readonly Planned[] = []) {
  const swaps = planned.map(({ sell, buy, received }) => ({
    ...{ sell: amount(sell), buy: token(buy), received: amount(received), blocks: [] },
  }))
  const forecast = { loaded, asks: [{ at: 0, swaps }], zone: { show: () => 'Thu 1' } }
  const outlook = { views: new Map(), standing: () => ownOf(totals) }
  return strategyFacts(forecast as never, outlook as never).at(-1)
}

/** What its page has of the budgets. */
async function budgetsOfPage(loaded: LoadedStrategy, totals: Own['totals']) {
  const none = async () => []
  const decisions = { newest: none, latest: none, paramsHistory: none }
  const journal = {
    slots: { missedAndFailed: none },
    decisions: { ...decisions, inputs: async () => ownOf(totals) },
  }
  const served = { journal, strategies: () => [loaded], clock: { now: () => 0 } }
  const view = await strategyDetail(served as never, { name: loaded.name, before: undefined })
  return view?.budgets.map(({ name, used, most }) => `${name}: ${used.text} of ${most.text}`)
}

test('a budget whose proceeds are spent again is told as the strategy counts it', async () => {
  expect(factOf(reverting(), round)).toBe(
    'budget: 10000 USDC, 0 USDC spent before, 0 USDC planned, 10000 USDC left at the end.',
  )
  expect(await budgetsOfPage(reverting(), round)).toEqual(['params.budget: 0 of 10000'])
  // Losses use it up.
  expect(await budgetsOfPage(reverting(), down)).toEqual(['params.budget: 4000 of 10000'])
  const sale = { sell: '1 WETH', buy: 'USDC', received: '3000 USDC' }
  expect(factOf(reverting(), down, [sale])).toBe(
    'budget: 10000 USDC, 4000 USDC spent before, 0 USDC planned, 9000 USDC left at the end.',
  )
})

test('a limit of all sales counts what came back for nothing, and no rest is below zero', async () => {
  expect(await budgetsOfPage(leaving(), round)).toEqual(['params.limit: 10 of 5'])
  expect(factOf(leaving(), round)).toBe(
    'limit: 5 WETH, 10 WETH spent before, 0 WETH planned, 0 WETH left at the end.',
  )
  const slice = { sell: '1 WETH', buy: 'USDC', received: '3000 USDC' }
  expect(factOf(leaving(), [total('4 WETH', '12000 USDC')], [slice])).toBe(
    'limit: 5 WETH, 4 WETH spent before, 1 WETH planned; used up on Thu 1, its last slice 1 WETH.',
  )
})
