import { readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { encodeFunctionData, parseAbi } from 'viem'
import { afterAll, beforeAll, beforeEach, describe, expect, inject, test } from 'vitest'
import { openMarket } from '../../../src/app/openMarket.ts'
import { createAppraise } from '../../../src/bot/reference/createAppraise.ts'
import type { Reference } from '../../../src/bot/reference/reference.ts'
import type { AsOf } from '../../../src/bot/stages.ts'
import { erc20Abi, uniswapV3PoolAbi } from '../../../src/chain/abi/contracts.ts'
import type { Hex } from '../../../src/chain/calls/fields.ts'
import { type Block, getBlock } from '../../../src/chain/calls/node.ts'
import { readContract } from '../../../src/chain/calls/readContract.ts'
import { createRpc } from '../../../src/chain/rpc/createRpc.ts'
import type { Rpc } from '../../../src/chain/rpc/rpc.ts'
import { loadConfig } from '../../../src/config/loadConfig.ts'
import { parseAmount, tokenOf } from '../../../src/core/amount.ts'
import { systemClock } from '../../../src/core/clock.ts'
import type { BallastError } from '../../../src/core/errors.ts'
import { hostOf } from '../../../src/core/hostOf.ts'
import { worthAt } from '../../../src/core/price.ts'
import { type Address, nativeAddress, type Token, usdOf } from '../../../src/core/token.ts'
import { accountsOf } from '../../../src/sandbox/accounts.ts'
import { ownArtifact } from '../../../src/sandbox/artifact.ts'
import { anvilCalls } from '../../../src/sandbox/startAnvil.ts'
import { ask } from '../../support/ask.ts'
import { type Fork, forkOrigin } from '../../support/forkOrigin.ts'
import { startLyingNode } from '../../support/lyingNode.ts'
import { transact } from '../../support/transact.ts'

const { feeds, pools, tokens: deployed } = inject('origin').deployment
const usd = usdOf(31337)
const day = 24 * 60 * 60

let fork: Fork
let bySymbol: ReadonlyMap<string, Token>
/** For what a test does to the chain: undone after it. */
let untouched: string

const snapshot = { method: 'evm_snapshot', params: [], parse: String }
const back = (id: string) => ({ method: 'evm_revert', params: [id], parse: Boolean })

beforeAll(async () => {
  fork = await forkOrigin({ mining: 'auto' })
  bySymbol = new Map([
    ['ETH', { ...usd, address: nativeAddress, symbol: 'ETH', decimals: 18 }],
    ['USD', usd],
    ...Object.entries(deployed).map(([symbol, address]): [string, Token] => {
      const decimals = fork.world.tokens[symbol]?.decimals ?? 18
      return [symbol, { ...usd, address, symbol, decimals }]
    }),
  ])
})
beforeEach(async () => {
  if (untouched !== undefined) await fork.rpc.request(back(untouched))
  untouched = await fork.rpc.request(snapshot)
})
afterAll(async () => {
  await fork.close()
})

const token = (symbol: string) => tokenOf(symbol, bySymbol)
const pairOf = (text: string) => text.split('/').map(token) as unknown as readonly [Token, Token]
const at = (list: Readonly<Record<string, Address>>, key: string): Address => {
  const address = list[key]
  if (address === undefined) throw new Error(`the fixed world has ${key}`)
  return address
}
const feed = (symbol: string): Reference => ({
  kind: 'feed',
  pair: pairOf(`${symbol}/USD`),
  address: at(feeds, symbol),
  ageMsMax: day * 1_000,
})
const pool = (pair: string, venue: 'uniswap-v2' | 'uniswap-v3'): Reference => {
  const index = fork.world.pools.findIndex(
    ({ kind, tokens }) => kind === venue && tokens.join('/') === pair,
  )
  return { kind: 'pool', pair: pairOf(pair), venue, address: pools[index] ?? nativeAddress }
}

function appraise(
  sell: string,
  buy: string,
  references: readonly Reference[],
  {
    unit = 'USD',
    stablecoins = [],
    rpc = fork.rpc,
    witness,
    fallbacks,
    blockTimeMs = 12_000,
    asOf,
  }: Bent = {},
) {
  return createAppraise({
    rpc,
    witness,
    fallbacks,
    references,
    unit: token(unit),
    stablecoins: stablecoins.map((symbol) => ({ token: token(symbol) })),
    tokens: { native: token('ETH'), wrapped: token('WETH') },
    blockTimeMs,
    clock: systemClock,
  })({ sell: parseAmount(sell, bySymbol), buy: token(buy), asOf })
}
type Bent = {
  readonly unit?: string
  readonly stablecoins?: readonly string[]
  readonly rpc?: Rpc
  readonly witness?: Rpc
  readonly fallbacks?: readonly string[]
  readonly blockTimeMs?: number
  readonly asOf?: AsOf | undefined
}

const fairs = async (...asked: Parameters<typeof appraise>) =>
  (await appraise(...asked)).references.map(({ fair }) => fair.wei)

const mine = (blocks: number) =>
  fork.rpc.batch(Array.from({ length: blocks }, () => anvilCalls.mine))

const deployer = () => accountsOf(fork.world).deployer.key
const answer = (symbol: string, value: bigint, updatedAt?: bigint) =>
  transact(fork.rpc, {
    privateKey: deployer(),
    to: at(feeds, symbol),
    data: encodeFunctionData({
      abi: ownArtifact('PriceFeed').abi,
      functionName: updatedAt === undefined ? 'answerNow' : 'answerWith',
      args: updatedAt === undefined ? [value] : [value, updatedAt],
    }),
  })
const chainTime = async () => {
  const head = await fork.rpc.request(getBlock('latest'))
  if (head === undefined) throw new Error('the fork has a head')
  return BigInt(head.timestamp)
}

/** The time of the next block, to the second. */
async function nextBlockAt(time: bigint): Promise<bigint> {
  const params = [Number(time)]
  await fork.rpc.request({ method: 'evm_setNextBlockTimestamp', params, parse: () => undefined })
  return time
}

describe('createAppraise: each kind is right to the unit', () => {
  test('a v2 pool, either way round, and for the currency itself', async () => {
    const references = [pool('WETH/USDC', 'uniswap-v2')]
    expect(await fairs('1.5 WETH', 'USDC', references)).toEqual([4_500_000_000n])
    expect(await fairs('1.5 ETH', 'USDC', references)).toEqual([4_500_000_000n])
    // 0.000001 / 3000 of 10^18, rounded down.
    expect(await fairs('0.000001 USDC', 'ETH', references)).toEqual([333_333_333n])
    const { references: told } = await appraise('1 ETH', 'USDC', references)
    const head = await fork.rpc.request(getBlock('latest'))
    expect(told).toEqual([
      {
        source: `uniswap-v2 WETH/USDC ${pools[0]}`,
        fair: { token: token('USDC'), wei: 3_000_000_000n },
        independent: true,
        endpoints: [hostOf(fork.ready.rpcUrl)],
        liarsMin: 1,
        at: (head?.timestamp ?? 0) * 1_000,
      },
    ])
  })

  test.for([
    ['WBTC/USDC', '1 WBTC', 'USDC'],
    ['WETH/WBTC', '1 WETH', 'WBTC'],
    ['DAI/USDC', '1 DAI', 'USDC'],
    ['DAI/USDC', '1 USDC', 'DAI'],
  ] as const)('a v3 pool of %s: %s for %s', async ([pair, sell, buy]) => {
    const reference = pool(pair, 'uniswap-v3')
    if (reference.kind !== 'pool') throw new Error('a pool')
    const [root] = await fork.rpc.request(
      readContract({
        address: reference.address,
        abi: uniswapV3PoolAbi,
        functionName: 'slot0',
        args: [],
      }),
    )
    const { token: sold, wei } = parseAmount(sell, bySymbol)
    const upwards = BigInt(sold.address) < BigInt(token(buy).address)
    const expected = upwards ? (wei * root ** 2n) >> 192n : (wei << 192n) / root ** 2n
    expect(await fairs(sell, buy, [reference])).toEqual([expected])
  })

  test('feeds, crossed in the dollar over 6, 8 and 18 decimals', async () => {
    await answer('WETH', 312_345_678_901n)
    await answer('USDC', 99_990_001n)
    await answer('DAI', 100_010_003n)
    const references = ['WETH', 'USDC', 'WBTC', 'DAI'].map(feed)
    expect(await fairs('1 WETH', 'USD', references)).toEqual([312_345_678_901n])
    const ratio = (wei: bigint, sold: bigint, bought: bigint, digits: bigint, from: bigint) =>
      (wei * sold * 10n ** digits) / (bought * 10n ** from)
    expect(await fairs('1.7 WETH', 'USDC', references)).toEqual([
      ratio(17n * 10n ** 17n, 312_345_678_901n, 99_990_001n, 6n, 18n),
    ])
    expect(await fairs('0.00000003 WBTC', 'DAI', references)).toEqual([
      ratio(3n, 9_000_000_000_000n, 100_010_003n, 18n, 8n),
    ])
    expect(await fairs('123.456789 USDC', 'WBTC', references)).toEqual([
      ratio(123_456_789n, 99_990_001n, 9_000_000_000_000n, 8n, 6n),
    ])
    const { references: told } = await appraise('1 WETH', 'USDC', references)
    expect(told.map(({ source }) => source)).toEqual([
      `feed WETH/USD ${feeds.WETH} × feed USDC/USD ${feeds.USDC}`,
    ])
  })

  test('what is worth few units has its exact rate as well, for the coin too', async () => {
    await answer('WETH', 312_345_678_901n)
    await answer('USDC', 99_990_001n)
    const references = ['WETH', 'USDC'].map(feed)
    const [whole] = (await appraise('1000000 WETH', 'USDC', references)).references
    expect(whole?.exact).toBeUndefined()
    for (const coin of ['WETH', 'ETH']) {
      const [one] = (await appraise(`0.000001 ${coin}`, 'USDC', references)).references
      expect(one?.fair).toEqual(parseAmount('0.003123 USDC', bySymbol))
      const at = (text: string) => one?.exact && worthAt(one.exact, parseAmount(text, bySymbol))
      expect(at(`1000000 ${coin}`)).toEqual(whole?.fair)
    }
  })

  test('the age of a cross is that of its older half', async () => {
    const old = (await chainTime()) - 4_000n
    await answer('USDC', 100_000_000n, old)
    const { references } = await appraise('1 WETH', 'USDC', [feed('WETH'), feed('USDC')])
    expect(references.map(({ at: time }) => time)).toEqual([Number(old) * 1_000])
  })

  test('the order book of the service', async () => {
    const { body } = await ask(fork.ready.serviceUrl, 'orderbook', { chain: 'local' })
    const file = join(fork.dataDir, 'book.yaml')
    const market = await open(file, ['    - { kind: order-book, pair: WETH/USDC }'])
    try {
      const { references, absent } = await market.appraise({
        sell: parseAmount('1 WETH', bySymbol),
        buy: token('USDC'),
      })
      const best = (side: string, pick: (...values: number[]) => number) =>
        pick(
          ...body
            .filter(
              (row: { side: string; base_symbol: string; quote_symbol: string }) =>
                row.side === side && row.base_symbol === 'WETH' && row.quote_symbol === 'USDC',
            )
            .flatMap(({ levels }: { levels: [number, number][] }) => levels.map(([, p]) => p)),
        )
      const middle = (best('bid', Math.max) + best('ask', Math.min)) / 2
      expect(middle).toBe(3005)
      expect(references.map(({ fair }) => fair.wei)).toEqual([3_005_000_000n])
      // It does not know dollars, which the configuration counts in.
      expect(absent.map(({ reason }) => reason)).toEqual([
        'no reference prices WETH in USD',
        'no reference prices ETH in USD',
        'no reference prices USDC in USD',
      ])
    } finally {
      await market.close()
    }
  })
})

describe('createAppraise: what a swap is worth', () => {
  test('notional and coin in the unit, by the median; the larger of two middles', async () => {
    const references = [feed('WETH'), feed('USDC'), pool('WETH/USDC', 'uniswap-v2')]
    const inDollars = await appraise('500 USDC', 'ETH', references)
    expect([inDollars.notional, inDollars.coin]).toEqual([
      { token: usd, wei: 50_000_000_000n },
      { token: usd, wei: 300_000_000_000n },
    ])
    await answer('WETH', 310_000_000_000n)
    // The pool says 3000, the feeds 3100.
    const inUsdc = await appraise('2 ETH', 'USDC', references, { unit: 'USDC' })
    expect([inUsdc.notional?.wei, inUsdc.coin?.wei]).toEqual([6_200_000_000n, 3_100_000_000n])
    const inEther = await appraise('2 WETH', 'USDC', references, { unit: 'ETH' })
    expect([inEther.notional, inEther.coin?.wei]).toEqual([
      { token: token('ETH'), wei: 2n * 10n ** 18n },
      10n ** 18n,
    ])
  })

  test('pegs: of the stablecoins in play, any loss counts, and the worst source does', async () => {
    const bent = { stablecoins: ['USDC', 'DAI'] }
    const references = [feed('WETH'), feed('USDC'), feed('DAI')]
    expect((await appraise('1 WETH', 'USDC', references, bent)).pegs).toEqual([
      { token: token('USDC'), offBps: 0 },
    ])
    await answer('USDC', 97_000_000n)
    await answer('DAI', 100_000_001n)
    expect((await appraise('1 DAI', 'USDC', references, bent)).pegs).toEqual([
      { token: token('USDC'), offBps: 300 },
      { token: token('DAI'), offBps: 1 },
    ])
    // A unit of account that is a stablecoin is in play as well.
    expect(
      (await appraise('1 WETH', 'WBTC', references, { ...bent, unit: 'USDC' })).pegs,
    ).toMatchObject([{ offBps: 300 }])
    // A second source that sees nothing wrong does not speak for the first.
    const other: Reference = { ...feed('TETHER'), pair: pairOf('USDC/USD') }
    expect((await appraise('1 WETH', 'USDC', [...references, other], bent)).pegs).toMatchObject([
      { offBps: 300 },
    ])
    await answer('USDC', 0n)
    expect((await appraise('1 WETH', 'USDC', references, bent)).pegs).toEqual([
      { token: token('USDC'), offBps: undefined },
    ])
  })
})

const pairAbi = parseAbi([
  'function swap(uint256 amount0Out, uint256 amount1Out, address to, bytes data)',
  'function getReserves() view returns (uint112 reserve0, uint112 reserve1, uint32 blockTimestampLast)',
])

describe('createAppraise: a hostile market', () => {
  test.each([
    [5, 12_000],
    [8, 2_000],
    [60, 250],
  ])(
    '[TOKEN-23] a pool that is moved for %i blocks of %i ms moves the median by nothing',
    async (held, blockTimeMs) => {
      const bent = { blockTimeMs }
      // The pool is older than the window.
      await mine(2 * held)
      const references = [pool('WETH/USDC', 'uniswap-v2')]
      const address = pools[0] as Address
      const { treasury } = fork.ready.wallets
      if (treasury === undefined) throw new Error('the fixed world has a treasury')
      const { privateKey } = treasury
      const before = await fairs('1 WETH', 'USDC', references, bent)
      const sold = parseAmount('100 WETH', bySymbol).wei
      const data = encodeFunctionData({
        abi: erc20Abi,
        functionName: 'transfer',
        args: [address, sold],
      })
      await transact(fork.rpc, { privateKey, to: at(deployed, 'WETH'), data })
      const wethFirst = BigInt(at(deployed, 'WETH')) < BigInt(at(deployed, 'USDC'))
      const out = parseAmount('270000 USDC', bySymbol).wei
      const swapped = await transact(fork.rpc, {
        privateKey,
        to: address,
        data: encodeFunctionData({
          abi: pairAbi,
          functionName: 'swap',
          args: wethFirst ? [0n, out, treasury.address, '0x'] : [out, 0n, treasury.address, '0x'],
        }),
      })
      expect(swapped.success).toBe(true)
      // 2,730,000 USDC for 1100 WETH, a sixth less: this is what one look at the head would have said.
      const moved = (2_730_000n * 10n ** 6n) / 1_100n
      expect(await fairs('1 WETH', 'USDC', references, bent)).toEqual(before)
      await mine(held - 1)
      expect(await fairs('1 WETH', 'USDC', references, bent)).toEqual(before)
      // What holds for longer is the market.
      await mine(1)
      expect(await fairs('1 WETH', 'USDC', references, bent)).toEqual([moved])
    },
  )

  const feedLies: readonly (readonly [string, bigint, number | undefined, string])[] = [
    ['a negative answer', -1n, undefined, 'its answer is -1'],
    ['an answer of nothing', 0n, undefined, 'its answer is 0'],
    ['an answer of the future', 300_000_000_000n, 60, 'its answer is of 60 s in the future'],
    [
      'an answer of yesterday',
      300_000_000_000n,
      -day - 1,
      `its answer is ${day + 1} s old, at most ${day} s are allowed`,
    ],
  ]
  test.for(feedLies)('a feed with %s is absent', async ([, value, offset, reason]) => {
    const time = await nextBlockAt((await chainTime()) + 2n)
    await answer('WETH', value, offset === undefined ? undefined : time + BigInt(offset))
    const told = await appraise('1 WETH', 'USDC', [
      feed('WETH'),
      feed('USDC'),
      pool('WETH/USDC', 'uniswap-v2'),
    ])
    expect(told.references.map(({ source }) => source)).toEqual([
      `uniswap-v2 WETH/USDC ${pools[0]}`,
    ])
    expect(told.absent).toEqual([{ source: `feed WETH/USD ${feeds.WETH}`, reason }])
    expect([told.notional, told.coin]).toEqual([undefined, undefined])
  })

  test('an answer exactly as old as allowed, and one of this very second, count', async () => {
    const time = await nextBlockAt((await chainTime()) + 2n)
    await answer('WETH', 300_000_000_000n, time - BigInt(day))
    expect(await fairs('1 WETH', 'USD', [feed('WETH')])).toEqual([300_000_000_000n])
    await nextBlockAt(time + 2n)
    await answer('WETH', 300_000_000_001n, time + 2n)
    expect(await fairs('1 WETH', 'USD', [feed('WETH')])).toEqual([300_000_000_001n])
  })

  const zeros: Hex = '0x60a06000f3'
  /** Answers everything with 2^96, but `liquidity()` with zero. */
  const withoutLiquidity: Hex = `0x60003560e01c631a686502146038577f${(2n ** 96n).toString(16).padStart(64, '0')}60005260206000f35b60206000f3`
  const brokenContracts: readonly (readonly [string, Reference['kind'], string, Hex, RegExp])[] = [
    ['a feed that is gone', 'feed', '', '0x', /answer/],
    ['a feed that reverts', 'feed', '', '0x60006000fd', /refused/],
    ['a feed of zeros', 'feed', '', zeros, /^its answer is 0$/],
    ['a pool that is gone', 'pool', 'uniswap-v2', '0x', /blocks before the head: /],
    ['an empty v2 pool', 'pool', 'uniswap-v2', zeros, /^it was empty \d+ blocks before the head$/],
    ['a v3 pool of zeros', 'pool', 'uniswap-v3', zeros, /^it was empty/],
    ['a v3 pool without liquidity', 'pool', 'uniswap-v3', withoutLiquidity, /^it was empty/],
  ]
  test.for(brokenContracts)('%s is absent', async ([, kind, venue, code, reason]) => {
    const reference =
      kind === 'feed' ? feed('WETH') : pool('WBTC/USDC', venue as 'uniswap-v2' | 'uniswap-v3')
    if (reference.kind === 'order-book') throw new Error('a contract')
    await fork.rpc.request(anvilCalls.setCode(reference.address, code))
    await mine(11)
    const [sell, buy] = kind === 'feed' ? ['1 WETH', 'USD'] : ['1 WBTC', 'USDC']
    const told = await appraise(sell ?? '', buy ?? '', [reference])
    expect(told.references).toEqual([])
    expect(told.absent[0]?.reason).toMatch(reason)
  })

  test('a feed that counts in absurd units is absent, not a long computation', async () => {
    const word = (255).toString(16)
    const code: Hex = `0x60${word}6000526001602052600160605260a06000f3`
    await fork.rpc.request(anvilCalls.setCode(at(feeds, 'WETH'), code))
    const { absent } = await appraise('1 WETH', 'USD', [feed('WETH')])
    expect(absent).toMatchObject([{ reason: 'it has 255 decimals' }])
  })

  test('every source failing: nothing is thrown, nothing is priced, each says why', async () => {
    const rpc = createRpc({ url: 'http://127.0.0.1:9' })
    const book = {
      label: 'https://books.example',
      own: false,
      read: async () => {
        throw new Error('socket of 10.0.0.1 hung up')
      },
    }
    const references: readonly Reference[] = [
      feed('WETH'),
      feed('USDC'),
      pool('WETH/USDC', 'uniswap-v2'),
      { kind: 'order-book', pair: pairOf('WETH/USDC'), book, ageMsMax: 1_000 },
    ]
    const told = await appraise('1 WETH', 'USDC', references, { rpc, stablecoins: ['USDC'] })
    await rpc.close()
    expect(told).toMatchObject({
      references: [],
      notional: undefined,
      coin: undefined,
      pegs: [{ offBps: undefined }],
    })
    expect(told.absent.map(({ source }) => source.split(' ')[0])).toEqual([
      'uniswap-v2',
      'order-book',
      'feed',
      'feed',
    ])
    for (const { reason } of told.absent) expect(reason).toMatch(/cannot be reached|not answered/)
    expect(JSON.stringify(told.absent)).not.toContain('10.0.0.1')
  })

  test('the book of the service itself is compared with and values nothing', async () => {
    const row = {
      base_symbol: 'WETH',
      base_address: token('WETH').address,
      quote_symbol: 'USDC',
      quote_address: token('USDC').address,
      minimum_in_base: 0,
    }
    const rows = [
      { ...row, side: 'bid', levels: [[1, 2_990]] },
      { ...row, side: 'ask', levels: [[1, 3_010]] },
    ] as const
    const ofService = (own: boolean): readonly Reference[] => [
      {
        kind: 'order-book',
        pair: pairOf('WETH/USDC'),
        book: { label: 'x', own, read: async () => ({ rows: rows as never, askedAt: 0 }) },
        ageMsMax: Number.MAX_SAFE_INTEGER,
      },
      feed('USDC'),
    ]
    const told = await appraise('1 WETH', 'USDC', ofService(true))
    expect(told.references).toMatchObject([{ independent: false, fair: { wei: 3_000_000_000n } }])
    expect([told.notional, told.coin]).toEqual([undefined, undefined])
    const other = await appraise('1 WETH', 'USDC', ofService(false))
    expect(other.references).toMatchObject([{ independent: true }])
    expect(other.notional?.wei).toBe(3_000_00000000n)
  })

  test('a chain without a head, and a block that the node does not have, are told apart', async () => {
    const headless: Rpc = {
      ...fork.rpc,
      request: async (call) =>
        (call.method === 'eth_getBlockByNumber'
          ? undefined
          : await fork.rpc.request(call)) as never,
    }
    const reasons = async (asOf?: AsOf) => {
      const { absent } = await appraise('1 WETH', 'USDC', [feed('WETH')], { rpc: headless, asOf })
      return absent[0]?.reason
    }
    expect([await reasons(), await reasons({ block: 7, at: 0 })]).toEqual([
      'the chain has no head',
      'the node has no such block',
    ])
  })

  test('without any reference it says so', async () => {
    expect(await appraise('1 WETH', 'USDC', [])).toEqual({
      askedAt: expect.any(Number),
      references: [],
      absent: [
        { source: 'policy.references', reason: 'no reference prices WETH in USDC' },
        { source: 'policy.references', reason: 'no reference prices WETH in USD' },
        { source: 'policy.references', reason: 'no reference prices ETH in USD' },
      ],
      notional: undefined,
      coin: undefined,
      pegs: [],
    })
  })
})

describe('createAppraise: two nodes', () => {
  type Bend = (call: { method: string; params: readonly unknown[] }, value: unknown) => unknown
  /** A second node: the same chain, with answers bent. */
  const second = (bend: Bend = (_, value) => value): Rpc => ({
    ...fork.rpc,
    label: 'https://second.example',
    request: async (call) => bend(call, await fork.rpc.request(call)) as never,
    batch: async (calls) =>
      (await fork.rpc.batch(calls)).map((outcome, index) =>
        outcome.ok && calls[index] !== undefined
          ? { ok: true, value: bend(calls[index], outcome.value) }
          : outcome,
      ) as never,
  })
  const head =
    (changes: (block: Block) => Partial<Block>): Bend =>
    (call, value) =>
      call.params[0] === 'latest' ? { ...(value as Block), ...changes(value as Block) } : value
  const both = (witness: Rpc, references = [feed('WETH'), pool('WETH/USDC', 'uniswap-v2')]) =>
    appraise('1 WETH', 'USDC', [...references, feed('USDC')], { witness })
  const mute = async (witness: Rpc) => {
    const { references, notional, absent } = await both(witness)
    expect({ references, notional }).toEqual({ references: [], notional: undefined })
    return absent[0]?.reason
  }

  test('that agree are two opinions, and each price counts once', async () => {
    const { references, notional } = await both(second())
    expect(notional?.wei).toBe(300_000_000_000n)
    expect(references.map(({ endpoints, liarsMin }) => ({ endpoints, liarsMin }))).toEqual(
      [0, 1].map(() => ({
        endpoints: [hostOf(fork.ready.rpcUrl), 'second.example'],
        liarsMin: 2,
      })),
    )
  })

  test('are one opinion where the second is the host of a fallback, which may be who answers', async () => {
    const references = [feed('WETH'), pool('WETH/USDC', 'uniswap-v2'), feed('USDC')]
    const told = async (...fallbacks: readonly string[]) => {
      const { references: found } = await appraise('1 WETH', 'USDC', references, {
        ...{ witness: second(), fallbacks },
      })
      return found.map(({ endpoints, liarsMin }) => [endpoints.length, liarsMin])
    }
    expect(await told('https://other.example/v2/key')).toEqual([
      [2, 2],
      [2, 2],
    ])
    expect(await told('https://other.example', 'https://second.example/v2/key')).toEqual([
      [1, 1],
      [1, 1],
    ])
  })

  test('that differ, by one wei too, are refused with what each says', async () => {
    const lies =
      (more: bigint): Bend =>
      (_, value) =>
        Array.isArray(value) && value.length === 5
          ? [value[0], (value[1] as bigint) + more, ...value.slice(2)]
          : value
    await expect(both(second(lies(1n)))).rejects.toMatchObject({ code: 'REFERENCES_DISAGREE' })
    const { facts } = (await both(second(lies(100_000_000n))).catch(
      (error: unknown) => error,
    )) as BallastError
    const name = Object.keys(facts).find((key) => key.startsWith('feed WETH/USD'))
    expect(String(facts[name ?? ''])).toMatch(
      /^3000 USD per WETH at http:\/\/127\.0\.0\.1:\d+, 3001 USD per WETH at https:\/\/second\.example, both at block \d+$/,
    )
  })

  test('one of them a block behind: both are read at its block', async () => {
    await mine(1)
    const behind = await fork.rpc.request(getBlock('latest'))
    await mine(1)
    const { references } = await both(second(head(() => ({ ...behind }))))
    expect(references[0]?.at).toBe((behind?.timestamp ?? 0) * 1_000)
  })

  test('one that names an old block, or one of another chain, prices nothing', async () => {
    await mine(3)
    await nextBlockAt((await chainTime()) + 60n)
    await mine(1)
    const old = await fork.rpc.request(getBlock(1))
    expect(await mute(second(head(() => ({ ...old }))))).toMatch(/too far apart to compare$/)
    // Its time alone is no excuse: the block itself must be the one that the other node has.
    const backdated = head(({ number, timestamp }) => ({ number: number - 5, timestamp }))
    expect(await mute(second(backdated))).toMatch(/^block \d+ is 0x/)
  })

  test('an old block by its true hash, with the time of now, prices nothing, whichever node names it', async () => {
    const old = await fork.rpc.request(getBlock('latest'))
    await nextBlockAt((await chainTime()) + 60n)
    await mine(3)
    const now = Number(await chainTime())
    const named = head(() => ({ ...old, timestamp: now }))
    const time = new RegExp(
      `^block ${old?.number} is of ${old?.timestamp} at .* named with ${now}$`,
    )
    expect(await mute(second(named))).toMatch(time)
    // One that says the same when it is called again is contradicted by the other.
    const insistent: Bend = (call, value) =>
      call.method === 'eth_getBlockByNumber' ? { ...old, timestamp: now } : value
    expect(await mute(second(insistent))).toMatch(/^block \d+ is of \d+ at /)
    const references = [feed('WETH'), pool('WETH/USDC', 'uniswap-v2'), feed('USDC')]
    const { absent } = await appraise('1 WETH', 'USDC', references, {
      ...{ rpc: second(named), witness: fork.rpc },
    })
    expect(absent[0]?.reason).toMatch(time)
  })

  test('one that is away prices nothing', async () => {
    const away: Rpc = { ...second(), request: () => Promise.reject(new Error('away')) }
    expect(await mute(away)).toBe('it was not answered')
  })
})

test('createAppraise: asks the chain for its head, and then once for everything', async () => {
  const sent: (readonly unknown[])[] = []
  const counting: Rpc = {
    ...fork.rpc,
    request: (call) => {
      sent.push([call.method])
      return fork.rpc.request(call)
    },
    batch: (calls) => {
      sent.push(calls.map(({ method }) => method))
      return fork.rpc.batch(calls)
    },
  }
  const references = [
    ...['WETH', 'USDC', 'WBTC', 'DAI'].map(feed),
    pool('WETH/USDC', 'uniswap-v2'),
    pool('WBTC/USDC', 'uniswap-v3'),
  ]
  await appraise('1 WETH', 'USDC', references, { rpc: counting, stablecoins: ['USDC'] })
  // Two feeds of two reads, a pool of three; what has no say in this swap is not read.
  expect(sent).toEqual([['eth_getBlockByNumber'], Array.from({ length: 7 }, () => 'eth_call')])
})

/** The market of a configuration with other references. */
async function open(file: string, lines: readonly string[], environment = {}) {
  const yaml = readFileSync(fork.ready.config, 'utf8')
  const bent = yaml.replace(
    / {2}references:[\s\S]*?(?= {2}stablecoins)/,
    `  references:\n${lines.join('\n')}\n`,
  )
  expect(bent).not.toBe(yaml)
  writeFileSync(file, bent)
  return openMarket(loadConfig({ file, environment, cwd: fork.dataDir }), systemClock)
}

describe('openMarket: references', () => {
  const wrong: readonly (readonly [string, () => string, RegExp])[] = [
    [
      'a pool of other tokens',
      () => `{ kind: pool, pair: WETH/USDC, venue: uniswap-v2, address: "${pools[1]}" }`,
      /^The pool at 0x\w{40} is not of WETH\/USDC but of 0x\w{40} and 0x\w{40}: correct .*wrong\.yaml:\d+:\d+\.$/,
    ],
    [
      'a pool of another kind',
      () => `{ kind: pool, pair: WETH/USDC, venue: uniswap-v3, address: "${pools[0]}" }`,
      /^There is no uniswap-v3 pool at 0x\w{40}: correct .*wrong\.yaml:\d+:\d+\.$/,
    ],
    [
      'an account that is no pool',
      () => `{ kind: pool, pair: WETH/USDC, venue: uniswap-v2, address: "0x${'ab'.repeat(20)}" }`,
      /^There is no uniswap-v2 pool at 0x\w{40}: correct .*wrong\.yaml:\d+:\d+\.$/,
    ],
  ]
  test.for(wrong)('%s is a mistake of the file', async ([, line, sentence]) => {
    await expect(open(join(fork.dataDir, 'wrong.yaml'), [`    - ${line()}`])).rejects.toMatchObject(
      {
        code: 'REFERENCE_NOT_OF_PAIR',
        fault: 'usage',
        remedy: 'halt',
        summary: expect.stringMatching(sentence),
      },
    )
  })

  test.each([
    ['a pool', 'eth_call', 1],
    ['a token', 'eth_call', 0],
    ['tracing', 'debug_traceCall', 0],
    ['its chain', 'eth_chainId', 0],
  ])('a node that fails by itself is no mistake of the file: %s', async (_, failing, after) => {
    let reads = 0
    const error = { code: -32_603, message: 'internal error' }
    const node = await startLyingNode(fork.ready.rpcUrl, {
      bend: ({ method, nth }, answer) => {
        if (method !== failing) return undefined
        if (nth === 0) reads += 1
        return reads > after ? { id: answer?.id ?? 0, jsonrpc: '2.0', error } : undefined
      },
    })
    const line = `    - { kind: pool, pair: WETH/USDC, venue: uniswap-v2, address: "${pools[0]}" }`
    const opened = open(join(fork.dataDir, 'failing.yaml'), [line], { RPC_URL: node.url })
    await expect(opened).rejects.toMatchObject({ code: 'RPC_REFUSED', remedy: 'retry' })
    await node.close()
  })

  test('a node that stands still prices nothing: a feed would be as old as its block, and no older', async () => {
    let secondsBehind = 600
    const node = await startLyingNode(fork.ready.rpcUrl, {
      bend: ({ method, params }, reply) => {
        const block = reply?.result as { timestamp?: string } | undefined
        if (method !== 'eth_getBlockByNumber' || params[0] !== 'latest' || !block?.timestamp)
          return undefined
        const timestamp = `0x${(Number(block.timestamp) - secondsBehind).toString(16)}`
        return { ...reply, id: reply?.id ?? 0, result: { ...block, timestamp } }
      },
    })
    const lines = [
      `    - { kind: pool, pair: WETH/USDC, venue: uniswap-v2, address: "${pools[0]}" }`,
      `    - { kind: feed, pair: WETH/USD, address: "${at(feeds, 'WETH')}", maxAge: 1h }`,
    ]
    const market = await open(join(fork.dataDir, 'still.yaml'), lines, { RPC_URL: node.url })
    try {
      const sell = parseAmount('1 WETH', bySymbol)
      const { absent, references } = await market.appraise({ sell, buy: token('USDC') })
      expect(references).toEqual([])
      expect(absent.map(({ reason }) => reason)).toEqual([
        expect.stringMatching(/^the newest block of http\S+ is \d+ s old$/),
        expect.stringMatching(/^the newest block of http\S+ is \d+ s old$/),
      ])
      const [first, ...more] = market.silent()
      expect(more).toHaveLength(1)
      expect(first?.reason).toBe(absent[0]?.reason)
      await market.appraise({ sell, buy: token('USDC') })
      const [again] = market.silent()
      expect(again?.since).toBe(first?.since)
      expect(again?.until).toBeGreaterThan(first?.until ?? Number.POSITIVE_INFINITY)
      secondsBehind = 0
      await market.appraise({ sell, buy: token('USDC') })
      expect(market.silent()).toEqual([])
    } finally {
      await market.close()
      await node.close()
    }
  })

  test("another service's book is asked without our key", async () => {
    const asked: { url: string | undefined; apiKey: unknown }[] = []
    const server = createServer(({ url, headers }, response) => {
      asked.push({ url, apiKey: headers.apikey })
      response.end('[]')
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const { port } = server.address() as AddressInfo
    const line = `    - { kind: order-book, pair: WETH/USDC, url: "http://127.0.0.1:${port}" }`
    const market = await open(join(fork.dataDir, 'other.yaml'), [line], {
      QUOTE_API_KEY: 'key-of-the-service',
    })
    try {
      const sell = parseAmount('1 WETH', bySymbol)
      const { absent } = await market.appraise({ sell, buy: token('USDC') })
      expect(absent[0]).toEqual({
        source: `order-book WETH/USDC http://127.0.0.1:${port}`,
        reason: 'the book does not have the pair',
      })
      expect(asked).toEqual([{ url: '/v1/orderbook?chain=local', apiKey: undefined }])
    } finally {
      await market.close()
      server.closeAllConnections()
      server.close()
    }
  })
})
