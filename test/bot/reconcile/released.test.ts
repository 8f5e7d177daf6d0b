import { beforeEach, expect, test, vi } from 'vitest'
import { checkReleased } from '../../../src/bot/reconcile/checkReleased.ts'
import { createBreakTally } from '../../../src/bot/reconcile/createTally.ts'
import { findTransactions } from '../../../src/chain/calls/findTransactions.ts'
import { exactInputSelector } from '../../../src/chain/settlement/codec.ts'
import { ballastError } from '../../../src/core/errors.ts'
import { chain, hash, other, reset, router, rpc, swapped, wallet } from './fewSwaps.ts'

vi.mock(import('../../../src/chain/calls/findTransactions.ts'))
beforeEach(reset)

const call = (changes: object) => ({
  ...{ hash: hash('9'), nonce: 5, from: wallet, blockNumber: 3, raw: undefined, value: 0n },
  ...{ to: router, data: exactInputSelector, ...changes },
})
const released = async (releases: readonly (readonly [number, number])[] = [[5, 7]]) => {
  const tally = createBreakTally({ id: 'I12', says: '' }, new Map())
  const adoption = {
    ...{ nonce: 2, nextNonce: 7 },
    releases: releases.map(([from, to]) => ({ from, to, at: 0, reason: '' })),
  }
  const said = await checkReleased({ rpc, router, wallet, adoption, depth: 18 }, tally)
  const { breaks, unknown } = tally.conclude('')
  const former = `the released transaction ${hash('7')} is a swap of the former router ${other}`
  const told = unknown.map((one) => (one === former ? 'former' : one))
  return { said, codes: [...breaks.map(({ code }) => code), ...told] }
}
const finds = (...calls: object[]) => vi.mocked(findTransactions).mockResolvedValue(calls as never)
beforeEach(() => {
  chain.mined.set(hash('9'), { block: 3, logs: [swapped(hash('a'), 1n, 1n)] })
  chain.mined.set(hash('7'), { block: 3, logs: [swapped(hash('a'), 1n, 1n, other)] })
})

test('none, or of no nonce', async () => {
  const none = { said: 'no nonce was ever released', codes: [] }
  expect([await released([]), await released([[5, 5]])]).toEqual([none, none])
})

test.for<readonly [string, object, readonly string[]]>([
  ['a swap', {}, ['SWAP_UNBOOKED']],
  ['another call of the router', { data: '0x12345678' }, []],
  ['a swap of a former router', { to: other, hash: hash('7') }, ['former']],
  ['a call of another contract', { to: other }, []],
  ['a new contract', { to: undefined }, []],
  ['a swap that reverted', { hash: hash('8') }, []],
  ['a swap without a receipt', { hash: hash('b') }, []],
])('that carried %s', async ([, changes, expected]) => {
  chain.mined.set(hash('8'), { block: 3, success: false })
  finds(call(changes))
  expect(await released()).toEqual({
    said: '2 released nonces, looked at one by one',
    codes: expected,
  })
  expect(findTransactions).toHaveBeenLastCalledWith(rpc, {
    ...{ sender: wallet, from: 5, until: 7, after: 0, to: 18, blocksMax: 0 },
  })
})

test('are left unsaid by a node that does not show them, and by no error of ours', async () => {
  vi.mocked(findTransactions).mockRejectedValueOnce(ballastError('HTTP_TOO_LARGE', 'Away.'))
  const said = '2 released nonces; the endpoint does not show them: Away.'
  expect(await released()).toEqual({ said, codes: [] })
  for (const error of [new TypeError('ours'), ballastError('SIGNER_REFUSED', 'ours')]) {
    vi.mocked(findTransactions).mockRejectedValueOnce(error)
    await expect(released()).rejects.toThrow('ours')
  }
})

test('an empty stretch is not looked for', async () => {
  vi.mocked(findTransactions).mockClear()
  finds()
  await released([
    [5, 5],
    [6, 7],
  ])
  expect(findTransactions).toHaveBeenCalledTimes(1)
})
