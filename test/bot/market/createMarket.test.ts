import { encodeFunctionResult } from 'viem'
import { describe, expect, test } from 'vitest'
import { createMarket } from '../../../src/bot/market/createMarket.ts'
import { erc20Abi } from '../../../src/chain/abi/contracts.ts'
import type { BytesCost } from '../../../src/chain/rollup/bytesCost.ts'
import { type Rpc, type RpcCall, RpcRefused } from '../../../src/chain/rpc/rpc.ts'
import type { Amount } from '../../../src/core/amount.ts'
import { BallastError } from '../../../src/core/errors.ts'
import { headAgeMsMax } from '../../../src/core/headAgeMsMax.ts'
import { nativeAddress, type Token } from '../../../src/core/token.ts'
import { newcomer, quietSources } from '../../support/quietSources.ts'

const wallet = '0x00000000000000000000000000000000000000aa' as const
const weth = {
  chainId: 31337,
  address: '0x0000000000000000000000000000000000000001',
  symbol: 'WETH',
  decimals: 18,
} as const
const usdc = {
  chainId: 31337,
  address: '0x0000000000000000000000000000000000000002',
  symbol: 'USDC',
  decimals: 6,
} as const
const eth = { chainId: 31337, address: nativeAddress, symbol: 'ETH', decimals: 18 } as const
const hash = `0x${'ab'.repeat(32)}`
const noon = Date.UTC(2026, 4, 4, 12)
const sell = { token: weth, wei: 10n ** 18n }
const strategy = { name: 'sell-high', params: { sell }, watches: [{ sell, buy: usdc }] }
const indication = { sold: sell, bought: { token: usdc, wei: 3_000_000_000n }, route: ['maker-a'] }

/** A node in memory: what it answers is decided here, how it is read by the real calls. */
function node({ timestamp = noon / 1_000 - 1, asked = [] as unknown[] } = {}): Rpc {
  const answer = ({ method, params }: RpcCall<unknown>): unknown => {
    asked.push({ method, block: params.at(-1) })
    if (method === 'eth_getBlockByNumber')
      return {
        number: '0x64',
        hash,
        parentHash: hash,
        timestamp: `0x${timestamp.toString(16)}`,
        baseFeePerGas: '0x7',
      }
    if (method === 'eth_getBalance') return '0x5'
    const { to } = params[0] as { to: string }
    const result = to === weth.address ? 7n : 9n
    return encodeFunctionResult({ abi: erc20Abi, functionName: 'balanceOf', result })
  }
  return {
    label: 'http://node',
    request: async (call) => call.parse(answer(call)),
    batch: async (calls) =>
      calls.map((call) => ({ ok: true, value: call.parse(answer(call)) })) as never,
    close: async () => {},
    isOneExchange: () => true,
  }
}

function market({
  rpc = node(),
  indicate = async () => indication as typeof indication | undefined,
  standing = newcomer,
  reserved = quietSources.reserved as () => Promise<readonly Amount[]>,
  now = () => noon,
  blockTimeSeconds = 1,
  bytesCost = quietSources.bytesCost as () => Promise<BytesCost>,
  tokens = [eth, weth, usdc] as readonly Token[],
  absent = quietSources.absent as () => Promise<readonly Token[]>,
}: {
  rpc?: Rpc
  indicate?: () => Promise<typeof indication | undefined>
  standing?: typeof newcomer
  reserved?: () => Promise<readonly Amount[]>
  now?: () => number
  blockTimeSeconds?: number
  bytesCost?: () => Promise<BytesCost>
  tokens?: readonly Token[]
  absent?: () => Promise<readonly Token[]>
} = {}) {
  return createMarket({
    rpc,
    ...quietSources,
    reserved,
    bytesCost,
    quotes: { indicate, levels: async () => [] },
    journal: { standingOf: async () => standing },
    wallet,
    swapLimits: [{ token: weth, wei: 4n }],
    swapWorth: { token: weth, wei: 3n },
    tokens,
    absent,
    blockTimeSeconds,
    clock: { now, sleep: async () => {} },
  })
}

const stale = expect.objectContaining({
  code: 'STALE_MARKET',
  remedy: 'retry',
  fault: 'upstream',
})

describe('observe', () => {
  test('a head before the block of the last swap of this chain shows the balances of before it', async () => {
    const seenWith = (settled: (typeof newcomer)['settled']) =>
      market({ standing: { ...newcomer, settled } }).observe(strategy, noon)
    await expect(seenWith({ chainId: 31337, block: 101 })).rejects.toEqual(stale)
    await expect(seenWith({ chainId: 31337, block: 100 })).resolves.toMatchObject({ slot: noon })
    await expect(seenWith({ chainId: 1, block: 101 })).resolves.toMatchObject({ slot: noon })
  })

  test('the cost of a swap has what a rollup takes for bytes; gas of a settled one has its own', async () => {
    const costOf = async (standing: typeof newcomer) => {
      const bytesCost = async () => ({ fee: 500n, gas: 40n })
      return (await market({ standing, bytesCost }).observe(strategy, noon)).swapCost?.wei
    }
    expect(await costOf(newcomer)).toBe((1_000n + 40n) * (7n + 3n) + 500n)
    expect(await costOf({ ...newcomer, swapGas: 2_000n })).toBe(2_000n * (7n + 3n) + 500n)
  })

  test('puts balances, prices and history into one context', async () => {
    expect(await market().observe(strategy, noon - 3)).toEqual({
      now: noon,
      slot: noon - 3,
      params: { sell },
      indications: [indication],
      balances: [
        { token: eth, wei: 5n },
        { token: weth, wei: 7n },
        { token: usdc, wei: 9n },
      ],
      swapCost: { token: eth, wei: 1_000n * (7n + 3n) },
      swapLimits: [{ token: weth, wei: 4n }],
      swapWorth: { token: weth, wei: 3n },
      depths: [[]],
      references: [undefined],
      inflight: [],
      lastFill: undefined,
      fills: [],
      totals: [],
      memory: undefined,
    })
  })

  test('what open swaps of anybody sell, and what others keep, is not there; more than there is leaves nothing', async () => {
    const left = async (sources: Parameters<typeof market>[0]) =>
      (await market(sources).observe(strategy, noon)).balances.map(({ wei }) => wei)
    const open = [{ sell: { token: weth, wei: 4n } }, { sell: { token: weth, wei: 1n } }]
    const reserved = async () => [
      { token: weth, wei: 1n },
      { token: usdc, wei: 10n },
    ]
    expect(await left({ standing: { ...newcomer, open } })).toEqual([5n, 2n, 9n])
    expect(await left({ reserved })).toEqual([5n, 6n, 0n])
    expect(await left({ standing: { ...newcomer, open }, reserved })).toEqual([5n, 1n, 0n])
  })

  test('[RPC-18] reads every balance at the block it judged', async () => {
    const asked: unknown[] = []
    await market({ rpc: node({ asked }) }).observe(strategy, noon)
    expect(asked).toEqual([
      { method: 'eth_getBlockByNumber', block: false },
      { method: 'eth_getBalance', block: { blockHash: hash } },
      { method: 'eth_call', block: { blockHash: hash } },
      { method: 'eth_call', block: { blockHash: hash } },
    ])
  })

  test('what it returns cannot be changed', async () => {
    const context = await market().observe(strategy, noon)
    const [first] = context.balances as readonly { wei: bigint }[]
    expect(() => {
      if (first !== undefined) first.wei = 10n ** 30n
    }).toThrow(TypeError)
    expect(Object.isFrozen(context.indications[0]?.route)).toBe(true)
  })

  test('a pair without a price is undefined, in its place', async () => {
    const context = await market({ indicate: async () => undefined }).observe(strategy, noon)
    expect(context.indications).toEqual([undefined])
  })

  test('a failure of the service is not a market without a price', async () => {
    const down = new BallastError('Down.', {
      code: 'QUOTE_UNAVAILABLE',
      remedy: 'retry',
      fault: 'upstream',
    })
    const observing = market({ indicate: () => Promise.reject(down) }).observe(strategy, noon)
    await expect(observing).rejects.toBe(down)
  })

  test('[RPC-18] refuses a head older than 15 s where blocks are quick', async () => {
    const at = (age: number) =>
      market({ rpc: node({ timestamp: noon / 1_000 - age }) }).observe(strategy, noon)
    await expect(at(15)).resolves.toBeDefined()
    await expect(at(16)).rejects.toEqual(stale)
  })

  test('refuses a head older than three blocks where they are slow', async () => {
    const at = (age: number) =>
      market({ rpc: node({ timestamp: noon / 1_000 - age }), blockTimeSeconds: 12 }).observe(
        strategy,
        noon,
      )
    await expect(at(36)).resolves.toBeDefined()
    await expect(at(37)).rejects.toEqual(stale)
  })

  test('refuses indications that took longer than 5 s', async () => {
    const taking = (ms: number) => {
      let now = noon
      const indicate = async () => {
        now += ms
        return indication
      }
      return market({ indicate, now: () => now }).observe(strategy, noon)
    }
    await expect(taking(5_000)).resolves.toBeDefined()
    await expect(taking(5_001)).rejects.toEqual(stale)
  })

  test('refuses a look without prices that took longer than a head may be old, as over a sleep of the machine', async () => {
    const watchless = { ...strategy, watches: [] }
    const taking = (ms: number) => {
      let now = noon
      const bytesCost = async () => {
        now += ms
        return { fee: 0n, gas: 0n }
      }
      return market({ bytesCost, now: () => now }).observe(watchless, noon)
    }
    await expect(taking(headAgeMsMax(1_000))).resolves.toBeDefined()
    await expect(taking(headAgeMsMax(1_000) + 1)).rejects.toEqual(stale)
  })

  test('a balance that cannot be read is a failure, not a zero', async () => {
    const rpc = node()
    const broken: Rpc = {
      ...rpc,
      batch: async (calls) =>
        calls.map((_call, index) =>
          index === 1 ? { ok: false, error: new Error('reverted') } : { ok: true, value: 1n },
        ) as never,
    }
    await expect(market({ rpc: broken }).observe(strategy, noon)).rejects.toThrow('reverted')
  })

  test('a token that refuses to tell a balance is named', async () => {
    const rpc = node()
    const error = new RpcRefused('eth_call', { code: 3, message: 'execution reverted: paused' })
    const broken: Rpc = {
      ...rpc,
      batch: async (calls) =>
        calls.map((_call, index) =>
          index === 1 ? { ok: false, error } : { ok: true, value: 1n },
        ) as never,
    }
    await expect(market({ rpc: broken }).observe(strategy, noon)).rejects.toMatchObject({
      ...{ code: 'STALE_MARKET', facts: { token: weth.symbol } },
      summary: expect.stringMatching(/^WETH gives no balance.* execution reverted: paused$/),
    })
  })

  test('a token that refuses to tell a balance stops those alone who name it', async () => {
    const dai = {
      ...usdc,
      address: '0x00000000000000000000000000000000000000Da',
      symbol: 'DAI',
    } as const
    const error = new RpcRefused('eth_call', { code: 3, message: 'execution reverted: paused' })
    const broken: Rpc = {
      ...node(),
      batch: async (calls) =>
        calls.map(({ params }) =>
          JSON.stringify(params).toLowerCase().includes(dai.address.toLowerCase())
            ? { ok: false, error }
            : { ok: true, value: 1n },
        ) as never,
    }
    const desk = market({ rpc: broken, tokens: [eth, dai, weth, usdc] })
    const { balances } = await desk.observe(strategy, noon)
    expect(balances.map(({ token, wei }) => [token.symbol, wei])).toEqual([
      ['ETH', 1n],
      ['WETH', 1n],
      ['USDC', 1n],
    ])
    const named = [
      { ...strategy, params: { keep: [{ token: dai }] } },
      { ...strategy, params: new Map([['of', dai.address.toUpperCase().replace('0X', '0x')]]) },
      { ...strategy, params: { symbol: 'DAI' } },
      { ...strategy, params: { keep: { DAI: 5_000 } } },
      { ...strategy, accounts: [{ account: wallet, token: dai }] },
    ]
    for (const one of named)
      await expect(desk.observe<unknown>(one, noon)).rejects.toMatchObject({
        ...{ code: 'STALE_MARKET', facts: { token: 'DAI' } },
      })
  })

  test('of a token that told no decimals no amount is known: it is not read, and stops those who name it', async () => {
    const dai = { ...usdc, address: `0x${'d'.repeat(40)}`, symbol: 'DAI' } as const
    const desk = market({ tokens: [eth, dai, weth, usdc], absent: async () => [{ ...dai }] })
    const { balances } = await desk.observe(strategy, noon)
    expect(balances.map(({ token }) => token.symbol)).toEqual(['ETH', 'WETH', 'USDC'])
    const named = [
      { ...strategy, params: { keep: dai } },
      { ...strategy, accounts: [{ account: wallet, token: dai }] },
    ] as const
    for (const one of named)
      await expect(desk.observe<unknown>(one, noon)).rejects.toMatchObject({
        ...{ code: 'STALE_MARKET', facts: { token: 'DAI' } },
        summary: expect.stringMatching(/^DAI tells no decimals/),
      })
  })

  test('a node that refuses by itself is no token that refuses: nothing is left out', async () => {
    const dai = { ...usdc, address: `0x${'d'.repeat(40)}`, symbol: 'DAI' } as const
    const error = new RpcRefused('eth_call', { code: -32_000, message: 'missing trie node 1a' })
    const broken: Rpc = {
      ...node(),
      batch: async (calls) =>
        calls.map(({ params }) =>
          JSON.stringify(params).includes(dai.address)
            ? { ok: false, error }
            : { ok: true, value: 1n },
        ) as never,
    }
    const desk = market({ rpc: broken, tokens: [eth, dai, weth, usdc] })
    await expect(desk.observe(strategy, noon)).rejects.toMatchObject({ code: 'STALE_MARKET' })
  })

  test('history is read before the balances', async () => {
    const order: string[] = []
    const rpc = node()
    const watched = createMarket({
      rpc: {
        ...rpc,
        request: (call) => {
          order.push(call.method)
          return rpc.request(call)
        },
      },
      ...quietSources,
      quotes: { indicate: async () => indication, levels: async () => [] },
      journal: {
        standingOf: async (name) => {
          order.push(name)
          return newcomer
        },
      },
      wallet,
      tokens: [],
      blockTimeSeconds: 1,
      clock: { now: () => noon, sleep: async () => {} },
    })
    await watched.observe(strategy, noon)
    expect(order).toEqual(['sell-high', 'eth_getBlockByNumber'])
  })
})
