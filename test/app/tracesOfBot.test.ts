import { type Address, decodeFunctionData } from 'viem'
import { expect, test } from 'vitest'
import { tracesOfBot } from '../../src/app/tracesOfBot.ts'
import { erc20Abi } from '../../src/chain/abi/contracts.ts'
import type { Rpc, RpcCall } from '../../src/chain/rpc/rpc.ts'
import { permit2Address } from '../../src/chain/settlement/permit2.ts'
import type { Config } from '../../src/config/config.ts'
import type { Token } from '../../src/core/token.ts'

const router: Address = `0x${'5'.repeat(40)}`
const token = (symbol: string, digit: string): Token => ({
  chainId: 1,
  address: `0x${digit.repeat(40)}`,
  symbol,
  decimals: 18,
})
const [usdc, weth] = [token('USDC', '1'), token('WETH', '2')]

const config = (permits: readonly Token[]) =>
  ({
    chain: { blockTimeMs: 12_000 },
    tokens: { bySymbol: new Map([usdc, weth].map((one) => [one.symbol, one])) },
    wallet: { address: `0x${'a'.repeat(40)}` },
    service: { router },
    policy: { permits },
  }) as unknown as Config

/** A node that says how much each spender may take, and nothing of one it does not know; the router settled nothing. */
function nodeOf(allowed: Readonly<Record<string, bigint>>): Rpc {
  const spender = (call: RpcCall<unknown>) => {
    const [{ data }] = call.params as [{ data: `0x${string}` }]
    return String(decodeFunctionData({ abi: erc20Abi, data }).args?.[1]).toLowerCase()
  }
  const batch = async (calls: readonly RpcCall<unknown>[]) =>
    calls.map((call) => {
      const value = allowed[spender(call)]
      return value === undefined ? { ok: false, error: new Error('away') } : { ok: true, value }
    })
  const request = async ({ method }: RpcCall<unknown>) =>
    method === 'eth_getLogs' ? [] : { number: 100 }
  return { batch, request } as unknown as Rpc
}

const permit2 = permit2Address.toLowerCase()

test('an allowance of Permit2 is a trace of a bot that sells by permits, and of no other', async () => {
  const node = nodeOf({ [router]: 0n, [permit2]: 5n })
  expect(await tracesOfBot(config([weth]), node)).toEqual([
    `Permit2 (${permit2Address}) may take its WETH`,
  ])
  expect(await tracesOfBot(config([]), node)).toEqual([])
})

test('what the node does not say of a spender is said', async () => {
  expect(await tracesOfBot(config([weth]), nodeOf({ [router]: 1n }))).toEqual([
    'the router may take its USDC',
    'the router may take its WETH',
    `the node did not say what Permit2 (${permit2Address}) may take of WETH`,
  ])
})

test('a swap of a router that was configured before is a trace as well', async () => {
  const node = nodeOf({ [router]: 0n, [permit2]: 0n })
  // Its logs are at its own address: asked for those of today's router, a node has none.
  const request = async ({ method, params }: RpcCall<unknown>) => {
    const [asked] = params as [object]
    return method === 'eth_getLogs' ? ('address' in asked ? [] : [{}]) : { number: 100 }
  }
  expect(await tracesOfBot(config([]), { ...node, request } as unknown as Rpc)).toEqual([
    'a router settled 1 swaps of it in the last 5000 blocks',
  ])
})
