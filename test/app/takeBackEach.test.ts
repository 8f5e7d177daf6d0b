import { expect, test } from 'vitest'
import { readAllowances } from '../../src/app/allowancesOnChain.ts'
import { takeBackEach } from '../../src/app/takeBackAllowances.ts'
import { type Rpc, RpcGarbled, RpcRefused } from '../../src/chain/rpc/rpc.ts'
import { ballastError } from '../../src/core/errors.ts'
import type { Address } from '../../src/core/token.ts'

const pairOf = (digit: string) => ({
  token: `0x${digit.repeat(40)}` as Address,
  spender: `0x${'f'.repeat(40)}` as Address,
})
const [one, two, three] = ['1', '2', '3'].map(pairOf)
const all = [one, two, three].filter((pair) => pair !== undefined)
const { signal } = new AbortController()

test('what the signer refuses keeps no other allowance standing', async () => {
  const [taken, notes]: [unknown[], string[]] = [[], []]
  const refused = await takeBackEach(all, {
    async takeBack(pair) {
      if (pair === one) throw ballastError('SIGNER_REFUSED', 'The signer refused.')
      taken.push(pair)
    },
    ...{ signal, note: (line: string) => notes.push(line) },
  })
  expect([refused, taken]).toEqual([1, [two, three]])
  expect(notes).toEqual([
    `${one?.token} to ${one?.spender} stands: The signer refused. (SIGNER_REFUSED)`,
  ])
})

test.each([
  ballastError('LOCKED', 'Halted.'),
  ballastError('SIGNED_DIFFERS', 'Another amount.'),
  ballastError('SIGNED_GARBLED', 'No signature.'),
])('what is no refusal ends it, and a holder that signs otherwise: $code', async (error) => {
  const takeBack = () => Promise.reject(error)
  await expect(takeBackEach(all, { takeBack, signal, note: () => {} })).rejects.toBe(error)
})

const refusal = (code: number, message: string, data?: string) =>
  new RpcRefused('eth_call', { code, message, data })
const read = (error: RpcRefused | RpcGarbled) => {
  const batch = async () => [{ ok: false, error }]
  const rpc = { batch } as unknown as Rpc
  return readAllowances(rpc, {
    wallet: all[0]?.token ?? '0x',
    block: 'latest',
    pairs: [pairOf('1')],
  })
}

test.each([
  ['by its words', refusal(-32_000, 'execution reverted')],
  ['by its bytes', refusal(-32_015, 'VM execution error', '0x08c379a0')],
  ['without gas left', refusal(-32_000, 'out of gas')],
  ['and is no contract', new RpcGarbled('eth_call', '0x', { shape: 'empty' })],
])('a token that reverts %s has no allowance', async (_, error) => {
  expect(await read(error)).toEqual({ standing: [], unread: [] })
})

test.each([
  refusal(-32_000, 'block is out of range'),
  refusal(-32_000, 'Must be authenticated!'),
  refusal(-32_600, 'API key disabled'),
])('an answer that says nothing of the token leaves it unread: $rpcMessage', async (error) => {
  expect(await read(error)).toEqual({ standing: [], unread: [pairOf('1')] })
})
