import { decodeFunctionData, encodeAbiParameters, parseAbiParameters } from 'viem'
import { expect, test } from 'vitest'
import { swapRouterAbi } from '../../../contracts/abi/swapRouter.ts'
import { erc20Abi } from '../../../src/chain/abi/contracts.ts'
import type { Hex } from '../../../src/chain/calls/fields.ts'
import type { RpcOutcome } from '../../../src/chain/rpc/rpc.ts'
import type { Address } from '../../../src/core/token.ts'
import { stockReads } from '../../../src/service/inventory/stockReads.ts'

const [router, maker]: readonly [Address, Address] = [
  '0x000000000000000000000000000000000000dd01',
  '0x000000000000000000000000000000000000dD02',
]
const tokens: readonly [Address, Address, Address] = [
  '0x000000000000000000000000000000000000aA01',
  '0x000000000000000000000000000000000000aA02',
  '0x000000000000000000000000000000000000aA03',
]
const [first, second, third] = tokens
const ids = [3n, 255n, 256n]

const word = (value: bigint) => encodeAbiParameters(parseAbiParameters('uint256'), [value])
const read = (value: unknown): RpcOutcome<unknown> => ({ ok: true, value })
const failed: RpcOutcome<unknown> = { ok: false, error: new Error('away') }
const stockOf = (...answers: readonly RpcOutcome<unknown>[]) =>
  stockReads.stock(answers, { timestamp: 100, tokens })

test('reads each token, balance and allowance, and behind them each word of ids once, all of one block', () => {
  const calls = stockReads.reads(7, { router, maker, tokens, ids })
  const said = calls.map(({ method, params: [call, block] }) => {
    const { to, data } = call as { to: Address; data: Hex }
    const { functionName, args } = decodeFunctionData({
      abi: [...erc20Abi, ...swapRouterAbi],
      data,
    })
    return { method, block, to, functionName, args }
  })
  const at = { method: 'eth_call', block: '0x7' }
  const balanceOf = { ...at, functionName: 'balanceOf', args: [maker] }
  const allowance = {
    ...at,
    functionName: 'allowance',
    args: [maker, expect.stringMatching(new RegExp(router, 'i'))],
  }
  const used = { ...at, to: router, functionName: 'nonceBitmap' }
  expect(said).toEqual([
    ...tokens.flatMap((to) => [
      { ...balanceOf, to },
      { ...allowance, to },
    ]),
    { ...used, args: [maker, 0n] },
    { ...used, args: [maker, 1n] },
  ])
})

test('holds the smaller of balance and allowance of each token, and knows the ids that are used', () => {
  // Through its own calls: whose answer it is follows from where the call stands.
  const calls = stockReads.reads(7, { router, maker, tokens, ids })
  const values = [10n, 20n, 40n, 30n, 50n, 60n, 1n << 255n, 1n]
  const stock = stockOf(...values.map((value, nth) => read(calls[nth]?.parse(word(value)))))
  expect(stock.timestamp).toBe(100)
  expect([...stock.held]).toEqual([
    [first, 10n],
    [second, 30n],
    [third, 50n],
  ])
  expect([3n, 255n, 256n, 257n].map(stock.isUsed)).toEqual([false, true, true, false])
})

test('a token of which balance or allowance could not be read is left out', () => {
  const used = read({ word: 0n, bits: 1n << 3n })
  const stock = stockOf(failed, read(20n), read(40n), failed, failed, failed, used)
  expect([...stock.held]).toEqual([])
  expect(stock.isUsed(3n)).toBe(true)
})

test('what was not answered at all is not there, and is not used', () => {
  const stock = stockOf(read(10n), read(20n), read(30n))
  expect([...stock.held]).toEqual([[first, 10n]])
  expect(stock.isUsed(3n)).toBe(false)
})
