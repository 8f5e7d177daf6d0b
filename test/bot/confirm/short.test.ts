import { pad, toEventSelector, toHex, zeroAddress } from 'viem'
import { describe, expect, test } from 'vitest'
import { measure } from '../../../src/bot/confirm/measure.ts'
import type { Receipt } from '../../../src/chain/calls/getReceipt.ts'
import { type Rpc, type RpcCall, RpcRefused } from '../../../src/chain/rpc/rpc.ts'
import { type Address, nativeAddress, type Token } from '../../../src/core/token.ts'

const [wallet, friend, router, pool] = ['1', '2', '3', '4'].map(
  (digit): Address => `0x${digit.repeat(40)}`,
) as [Address, Address, Address, Address]
const token = (symbol: string, digit: string): Token => ({
  chainId: 1,
  address: `0x${digit.repeat(40)}`,
  symbol,
  decimals: 0,
})
const [sell, buy] = [token('SOLD', '5'), token('GOT', '6')]
const block = 7

const transfer = (of: Token, { from, to, wei }: { from: Address; to: Address; wei: bigint }) => ({
  address: of.address,
  topics: [toEventSelector('Transfer(address,address,uint256)'), pad(from), pad(to)],
  data: toHex(wei, { size: 32 }),
})

/** A swap of 5 for 10 of which the receiver's balance shows 9, on a node that counts its transactions like this. */
function shortBy(recipient: Address, counts: readonly [number, number], refusal?: RpcRefused) {
  const answer = ({ method, params }: RpcCall<unknown>) => {
    const isAfter = params[1] === toHex(block)
    if (method === 'eth_getTransactionCount') {
      if (params[0] !== recipient) return isAfter ? 4 : 3
      return counts[isAfter ? 1 : 0]
    }
    const isSold = (params[0] as { to: string }).to === sell.address
    return isSold ? (isAfter ? 0n : 5n) : isAfter ? 9n : 0n
  }
  const rpc = {
    batch: async (calls: readonly RpcCall<unknown>[]) =>
      calls.map((call) =>
        refusal === undefined ? { ok: true, value: answer(call) } : { ok: false, error: refusal },
      ),
  } as unknown as Rpc
  const receipt = {
    hash: '0x',
    blockNumber: block,
    gasUsed: 1n,
    gasPaid: 1n,
    logs: [
      transfer(sell, { from: wallet, to: pool, wei: 5n }),
      transfer(buy, { from: pool, to: recipient, wei: 10n }),
    ],
  } as unknown as Receipt
  const settling = {
    receipt,
    router,
    authorization: undefined,
    wallet,
    recipient,
    sell,
    buy,
    planned: 5n,
  }
  return measure(rpc, settling).then(({ short, agrees }) => ({ short, agrees }))
}

test('what is missing of a swap for the wallet is short, whatever the wallet sent', async () => {
  expect(await shortBy(wallet, [3, 4])).toEqual({ short: true, agrees: false })
})

test('a node that answers for an old block with the state of its head proves nothing', async () => {
  expect(await shortBy(wallet, [9, 9])).toEqual({ short: undefined, agrees: undefined })
})

test('what another account is missing is short, unless it sent a transaction in the block', async () => {
  expect(await shortBy(friend, [3, 3])).toMatchObject({ short: true, agrees: false })
  expect(await shortBy(friend, [3, 4])).toMatchObject({ short: false, agrees: false })
})

test('a node without balances that old proves nothing; one that limits calls, or fails by itself, is called again', async () => {
  const refused = (code: number, message: string) => new RpcRefused('eth_call', { code, message })
  for (const pruned of [
    refused(-32_000, 'missing trie node'),
    refused(-32_603, 'state at block 7 is unavailable'),
  ])
    expect(await shortBy(wallet, [3, 4], pruned)).toEqual({ short: undefined, agrees: undefined })
  for (const passing of [
    refused(429, 'slow down'),
    refused(-32_603, 'internal error'),
    refused(-32_000, 'header not found'),
    refused(-32_002, 'request timed out'),
  ])
    await expect(shortBy(wallet, [3, 4], passing)).rejects.toBe(passing)
})

/** A swap of the wallet by a router without an event, by these logs and balances; `pruned` where the node has none. */
function measured({
  logs,
  left,
  came,
}: {
  readonly logs: readonly ReturnType<typeof transfer>[]
  readonly left: bigint
  readonly came: bigint | 'pruned'
}) {
  const answers = [3, 4, left, 0n, 0n, came]
  const state = new RpcRefused('eth_call', { code: -32_000, message: 'missing trie node' })
  const rpc = {
    batch: async () =>
      answers.map((value) =>
        came === 'pruned' ? { ok: false, error: state } : { ok: true, value },
      ),
  } as unknown as Rpc
  const receipt = { hash: '0x', blockNumber: block, gasUsed: 1n, gasPaid: 1n, logs }
  const settling = {
    authorization: undefined,
    router,
    wallet,
    recipient: wallet,
    sell,
    buy,
    planned: 500n,
  }
  const slack = [sell, buy].map((one) => ({ token: one, wei: 2n }))
  return measure(rpc, { ...settling, receipt: receipt as never, rounding: slack }).then(
    ({ sold, received, short }) => [sold.wei, received.wei, short],
  )
}

describe('a token that bears interest logs it as minted, and no balance moves by it', () => {
  const paid = transfer(sell, { from: wallet, to: pool, wei: 500n })
  const got = transfer(buy, { from: pool, to: wallet, wei: 1_000n })
  const accrued = (of: Token, wei: bigint) => transfer(of, { from: zeroAddress, to: wallet, wei })

  test('bought: what came in is booked, and the interest is not', async () => {
    const logs = [paid, accrued(buy, 110n), got]
    expect(await measured({ logs, left: 500n, came: 1_000n })).toEqual([500n, 1_000n, false])
    expect(await measured({ logs, left: 500n, came: 'pruned' })).toEqual([500n, 1_000n, undefined])
  })

  test('sold: what left is booked, however much had accrued', async () => {
    for (const interest of [110n, 3_300n]) {
      const logs = [accrued(sell, interest), paid, got]
      expect(await measured({ logs, left: 499n, came: 1_000n })).toEqual([499n, 1_000n, false])
      expect(await measured({ logs, left: 0n, came: 'pruned' })).toEqual([500n, 1_000n, undefined])
    }
  })

  test('redeemed: the log lacks the interest, and the balance decides', async () => {
    const burned = transfer(sell, { from: wallet, to: zeroAddress, wei: 390n })
    const logs = [burned, got]
    expect(await measured({ logs, left: 500n, came: 1_000n })).toEqual([500n, 1_000n, false])
    expect(await measured({ logs, left: 0n, came: 'pruned' })).toEqual([390n, 1_000n, undefined])
  })

  test('minted for the wallet, as wstETH is: booked as that', async () => {
    const logs = [paid, accrued(buy, 1_000n)]
    expect(await measured({ logs, left: 500n, came: 1_000n })).toEqual([500n, 1_000n, false])
    expect(await measured({ logs, left: 500n, came: 'pruned' })).toEqual([500n, 1_000n, undefined])
  })

  test('what leaves beside the transfers, or does not come by them, is a loss all the same', async () => {
    const sold = [accrued(sell, 110n), paid, got]
    expect(await measured({ logs: sold, left: 503n, came: 1_000n })).toEqual([503n, 1_000n, true])
    const bought = [paid, accrued(buy, 110n), got]
    expect(await measured({ logs: bought, left: 500n, came: 997n })).toEqual([500n, 997n, true])
    const redeemed = [transfer(sell, { from: wallet, to: zeroAddress, wei: 390n }), got]
    expect(await measured({ logs: redeemed, left: 503n, came: 1_000n })).toEqual([
      503n,
      1_000n,
      true,
    ])
  })
})

test('coins that a contract receives and passes on in the same block are no loss', async () => {
  const coin: Token = { ...token('ETH', '7'), address: nativeAddress }
  const of = ({ method, params }: RpcCall<unknown>) => {
    const isAfter = params[1] === toHex(block)
    if (method === 'debug_traceTransaction')
      return new Map([
        [wallet, -1n],
        [friend, 10n],
      ])
    if (method === 'eth_getTransactionCount') return params[0] === wallet && isAfter ? 4 : 3
    // Of the ten it keeps four.
    return method === 'eth_getBalance' ? (isAfter ? 4n : 0n) : isAfter ? 0n : 5n
  }
  const rpc = {
    batch: async (calls: readonly RpcCall<unknown>[]) =>
      calls.map((call) => ({ ok: true, value: of(call) })),
  } as unknown as Rpc
  const logs = [transfer(sell, { from: wallet, to: pool, wei: 5n })]
  const receipt = { hash: '0x', blockNumber: block, gasUsed: 1n, gasPaid: 1n, logs }
  const swap = { authorization: undefined, router, wallet, recipient: friend, planned: 5n }
  expect(await measure(rpc, { ...swap, receipt: receipt as never, sell, buy: coin })).toMatchObject(
    { received: { wei: 10n }, agrees: false, short: false },
  )
})
