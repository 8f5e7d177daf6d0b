import { describe, expect, test } from 'vitest'
import { type Overrides, overrideCall } from '../../../src/bot/paper/overrideCall.ts'

const parse = (answer: unknown) => answer
const ours: Overrides = {
  '0xaa': { balance: '0x1' },
  '0xbb': { stateDiff: { '0x01': '0x11', '0x02': '0x22' } },
}
const over = (method: string, params: readonly unknown[]) =>
  overrideCall({ method, params, parse }, ours).params

describe('overrideCall', () => {
  test('eth_call: with and without overrides of its own, which stay', () => {
    expect(over('eth_call', [{}, 'latest'])).toEqual([{}, 'latest', ours])
    const own = { '0xAA': { code: '0xfe' }, '0xBb': { stateDiff: { '0x02': '0x99' } } }
    expect(over('eth_call', [{}, 'latest', own, { time: '0x5' }])).toEqual([
      {},
      'latest',
      {
        '0xaa': { balance: '0x1', code: '0xfe' },
        '0xbb': { stateDiff: { '0x01': '0x11', '0x02': '0x99' } },
      },
      { time: '0x5' },
    ])
  })

  test('eth_simulateV1: in its block', () => {
    const block = { calls: [1], stateOverrides: { '0xcc': { code: '0x00' } } }
    expect(over('eth_simulateV1', [{ blockStateCalls: [block] }, 'latest'])).toEqual([
      {
        blockStateCalls: [{ calls: [1], stateOverrides: { ...ours, '0xcc': { code: '0x00' } } }],
      },
      'latest',
    ])
  })

  test('debug_traceCall: the money a trace gives its caller goes before the virtual', () => {
    const tracer = { tracer: 'prestateTracer', stateOverrides: { '0xAa': { balance: '0x777' } } }
    expect(over('debug_traceCall', [{}, 'latest', tracer])).toEqual([
      {},
      'latest',
      { tracer: 'prestateTracer', stateOverrides: { ...ours, '0xaa': { balance: '0x777' } } },
    ])
  })

  test('what depends on no state is asked as it is', () => {
    expect(over('eth_chainId', [])).toEqual([])
    expect(over('eth_getBlockByNumber', ['latest', false])).toEqual(['latest', false])
  })
})
