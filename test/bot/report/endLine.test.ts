import { expect, test } from 'vitest'
import type { SwapRecord } from '../../../src/bot/record.ts'
import { endLine } from '../../../src/bot/report/createLog.ts'

const left = (state: string) =>
  endLine(
    {
      id: 'swap-1',
      strategy: 'sell-high',
      state,
      reason: '1 WETH brings 3000 USDC.',
      code: null,
      createdAt: '2026-11-20T10:00:00.000Z',
      updatedAt: '2026-11-20T10:00:00.000Z',
      sell: { token: 'WETH', wei: '1000000000000000000', text: '1' },
      buy: 'USDC',
      floor: { token: 'USDC', wei: '2950000000', text: '2950' },
      txHash: null,
    } as SwapRecord,
    'ETH',
  )

test.each(['PLANNED', 'VERIFIED'])('endLine: what is %s will be abandoned', (state) => {
  expect(left(state)).toBe(
    `${state} sell-high: 1 WETH for USDC was not signed; the next start abandons it`,
  )
})

test.each(['SIGNED', 'SENT', 'INCLUDED', 'CANCELLING'])(
  'endLine: what is %s will be finished',
  (state) => {
    expect(left(state)).toBe(
      `${state} sell-high: 1 WETH for USDC is still under way; the next start finishes it`,
    )
  },
)
