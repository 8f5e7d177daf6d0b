import { expect, test } from 'vitest'
import { strategyDetail } from '../../../src/app/dashboard/strategyDetail.ts'
import { usdc, weth } from '../../bot/report/dossierOf.ts'

test('of all that it has traded, what was booked from the chain is marked', async () => {
  const none = async () => []
  const total = { sold: { token: weth, wei: 1n }, bought: { token: usdc, wei: 3n }, swaps: 2 }
  const totals = [total, { ...total, swaps: 1, recovered: true }]
  const schedule = { kind: 'every', seconds: 5 }
  const served = {
    strategies: () => [{ name: 'a', strategy: { summary: 'Sells.' }, params: {}, schedule }],
    clock: { now: () => 0 },
    journal: {
      slots: { missedAndFailed: none },
      decisions: {
        ...{ newest: none, latest: none, paramsHistory: none },
        inputs: async () => ({ inflight: [], lastFill: undefined, fills: [], totals }),
      },
    },
  }
  const view = await strategyDetail(served as never, { name: 'a', before: undefined })
  expect(view?.totals).toMatchObject([
    { swaps: 2, recovered: false },
    { swaps: 1, recovered: true },
  ])
})
