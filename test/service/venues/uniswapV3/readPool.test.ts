import { type Abi, maxUint256, parseAbi } from 'viem'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { getTransactionCount } from '../../../../src/chain/calls/account.ts'
import { multicall3Address } from '../../../../src/chain/calls/aggregateCalls.ts'
import { getReceipt } from '../../../../src/chain/calls/getReceipt.ts'
import { readContract } from '../../../../src/chain/calls/readContract.ts'
import { sendRawTransaction } from '../../../../src/chain/calls/sendRawTransaction.ts'
import { createRpc } from '../../../../src/chain/rpc/createRpc.ts'
import type { Rpc } from '../../../../src/chain/rpc/rpc.ts'
import { spacingOf } from '../../../../src/chain/uniswapV3/ticks.ts'
import { systemClock } from '../../../../src/core/clock.ts'
import type { Address, Token } from '../../../../src/core/token.ts'
import { accountsOf } from '../../../../src/sandbox/accounts.ts'
import { ownArtifact, uniswapV3PeripheryArtifact } from '../../../../src/sandbox/artifact.ts'
import { createSandboxSigner } from '../../../../src/sandbox/signer.ts'
import { anvilCalls } from '../../../../src/sandbox/startAnvil.ts'
import { createSnapshots } from '../../../../src/service/createSnapshots.ts'
import { createUniswapV3Venue } from '../../../../src/service/venues/createUniswapV3Venue.ts'
import type { Venue, VenueFill } from '../../../../src/service/venues/venue.ts'
import { type Fork, forkOrigin } from '../../../support/forkOrigin.ts'
import { startRpcProxy } from '../../../support/rpcProxy.ts'
import { silent } from '../../../support/silent.ts'
import { random } from './randomPool.ts'

const quoterAbi = parseAbi([
  'struct Asked { address tokenIn; address tokenOut; uint256 amountIn; uint24 fee; uint160 sqrtPriceLimitX96; }',
  'function quoteExactInputSingle(Asked asked) view returns (uint256 amountOut, uint160 sqrtPriceX96After, uint32 initializedTicksCrossed, uint256 gasEstimate)',
])
const executorAbi = parseAbi(['function v3Factory() view returns (address)'])
const poolAbi = parseAbi([
  'function slot0() view returns (uint160 price, int24 tick, uint16, uint16, uint16, uint8, bool)',
])

type Pool = {
  readonly address: Address
  readonly tokens: readonly [Token, Token]
  readonly fee: 100 | 500 | 3000 | 10000
}

let fork: Fork
let pools: readonly Pool[]
let quoter: Address
let positions: Address
let signer: ReturnType<typeof createSandboxSigner>
const send = async (raw: Promise<`0x${string}`>) => {
  const hash = await fork.rpc.request(sendRawTransaction(await raw))
  // A block is mined at once, but not before the answer.
  while ((await fork.rpc.request(getReceipt(hash))) === undefined) await systemClock.sleep(2)
}
const positionsAbi = uniswapV3PeripheryArtifact('NonfungiblePositionManager').abi

beforeAll(async () => {
  fork = await forkOrigin({ mining: 'auto' })
  const { deployment } = inject('origin')
  const token = (symbol: string): Token => {
    const { address, decimals } = fork.ready.tokens[symbol] ?? { address: '0x', decimals: 0 }
    return { chainId: 31337, address, symbol, decimals }
  }
  pools = fork.world.pools.flatMap((pool, index): Pool[] => {
    if (pool.kind !== 'uniswap-v3') return []
    const address = deployment.pools[index] ?? '0x'
    return [{ address, fee: pool.fee, tokens: [token(pool.tokens[0]), token(pool.tokens[1])] }]
  })
  const { account } = accountsOf(fork.world).deployer
  const nonce = await fork.rpc.request(getTransactionCount(account.address))
  signer = createSandboxSigner({ account, chainId: 31337, nonce })
  const factory = await fork.rpc.request(
    readContract({
      address: fork.ready.executor,
      abi: executorAbi,
      functionName: 'v3Factory',
      args: [],
    }),
  )
  const deploy = async (
    name: 'QuoterV2' | 'NonfungiblePositionManager',
    args: readonly unknown[],
  ) => {
    const { address, raw } = await signer.deploy(uniswapV3PeripheryArtifact(name), args)
    await send(Promise.resolve(raw))
    return address
  }
  const weth = token('WETH').address
  quoter = await deploy('QuoterV2', [factory, weth])
  positions = await deploy('NonfungiblePositionManager', [factory, weth, weth])
  await send(signer.pay(weth, 200n * 10n ** 18n))
  for (const symbol of ['WETH', 'WBTC', 'USDC', 'DAI']) {
    const { abi } = ownArtifact(symbol === 'WETH' ? 'WrappedNative' : 'Token')
    const { address } = token(symbol)
    if (symbol !== 'WETH')
      await send(signer.call(address, abi, 'mint', [signer.address, 10n ** 30n]))
    await send(signer.call(address, abi as Abi, 'approve', [positions, maxUint256]))
  }
})
afterAll(() => fork?.close())

const openPosition = async ({ address, tokens, fee }: Pool, next: () => number) => {
  const [, tick] = await fork.rpc.request(
    readContract({ address, abi: poolAbi, functionName: 'slot0', args: [] }),
  )
  const spacing = spacingOf[fee]
  const at = (offset: number) => Math.round((tick + offset) / spacing) * spacing
  const middle = (next() - 0.5) * 600
  const width = spacing * (1 + Math.floor(next() * 30))
  const [token0, token1] = [...tokens].sort((a, b) =>
    BigInt(a.address) < BigInt(b.address) ? -1 : 1,
  )
  if (token0 === undefined || token1 === undefined) throw new Error('a pool has two tokens')
  const worth = (token: Token) =>
    BigInt(Math.floor(next() * 1_000)) *
    10n ** BigInt(token.decimals - (token.symbol === 'WETH' ? 3 : 2))
  await send(
    signer.call(positions, positionsAbi, 'mint', [
      {
        token0: token0.address,
        token1: token1.address,
        fee,
        tickLower: at(middle - width),
        tickUpper: at(middle + width) + spacing,
        amount0Desired: worth(token0) + 1_000n,
        amount1Desired: worth(token1) + 1_000n,
        amount0Min: 0n,
        amount1Min: 0n,
        recipient: signer.address,
        deadline: maxUint256,
      },
    ]),
  )
}

const venueOf = (pool: Pool): Venue =>
  createUniswapV3Venue({ ...pool, spacing: spacingOf[pool.fee] })

/** A pool's fills at the newest block, as the service would read them. */
const reading = (venues: readonly Venue[], rpc: Rpc = fork.rpc) => {
  const snapshots = createSnapshots({
    rpc,
    venues,
    blockTimeSeconds: 600,
    clock: systemClock,
    log: silent,
  })
  return {
    async fill(pool: Pool, sell: Token, amount: bigint): Promise<VenueFill | undefined> {
      const { states } = await snapshots.latest()
      return states
        .flatMap((state) => state.offers(60))
        .find(
          (offer) =>
            offer.source === `univ3:${pool.address}` && offer.sell.address === sell.address,
        )
        ?.fill(amount)
    },
    close: snapshots.close,
  }
}

const quoted = async ({ fee }: Pool, sell: Token, buy: Token, amountIn: bigint) => {
  const asked = {
    tokenIn: sell.address,
    tokenOut: buy.address,
    amountIn,
    fee,
    sqrtPriceLimitX96: 0n,
  }
  const [amountOut, , crossed, gas] = await fork.rpc.request(
    readContract({
      address: quoter,
      abi: quoterAbi,
      functionName: 'quoteExactInputSingle',
      args: [asked],
    }),
  )
  return { amountOut, crossed, gas }
}

describe('v3 pools on a chain', () => {
  test('equal QuoterV2 to the wei, while positions are opened', async () => {
    const next = random(99)
    const { fill, close } = reading(pools.map(venueOf))
    const gas: { crossed: number; gas: bigint }[] = []
    let compared = 0
    for (let round = 0; round < 12; round += 1) {
      for (const pool of pools) await openPosition(pool, next)
      for (const pool of pools)
        for (const [sell, buy] of [pool.tokens, [pool.tokens[1], pool.tokens[0]]] as const) {
          for (let turn = 0; turn < 5; turn += 1) {
            const largest = { WETH: 100, WBTC: 5, USDC: 300_000, DAI: 300_000 }[sell.symbol] ?? 1
            const amount = BigInt(Math.floor(largest * 10 ** (sell.decimals - 6 * next())))
            const ours = await fill(pool, sell, amount)
            const { amountOut, ...cost } = await quoted(pool, sell, buy, amount)
            expect({ pool, sell: sell.symbol, amount, ours }).toEqual({
              pool,
              sell: sell.symbol,
              amount,
              ours:
                amountOut === 0n
                  ? { kind: 'below-minimum' }
                  : { kind: 'filled', buyWei: amountOut },
            })
            gas.push(cost)
            compared += 1
          }
        }
    }
    await close()
    const mean = (crossed: number) => {
      const some = gas.filter((each) => each.crossed === crossed)
      return some.length === 0
        ? 0n
        : some.reduce((sum, each) => sum + each.gas, 0n) / BigInt(some.length)
    }
    process.stdout.write(
      `v3: ${compared} quotes equal QuoterV2; its gas by ticks crossed: ${[0, 1, 2, 4, 8].map((count) => `${count}: ${mean(count)}`).join(', ')}\n`,
    )
  })

  test('with Multicall3 one call per round, without it the same answers', async () => {
    const proxy = await startRpcProxy(fork.ready.rpcUrl)
    const rpc = createRpc({ url: proxy.url })
    const [pool] = pools
    if (pool === undefined) throw new Error('no pool')
    const [sell] = pool.tokens
    const amount = 10n ** BigInt(sell.decimals)
    const shared = reading(pools.map(venueOf), rpc)
    const expected = await shared.fill(pool, sell, amount)
    await fork.rpc.request(anvilCalls.mine)
    const before = proxy.count('eth_call')
    expect(await shared.fill(pool, sell, amount)).toEqual(expected)
    expect(proxy.count('eth_call') - before).toBe(1)
    await shared.close()

    const snapshot = await fork.rpc.request({ method: 'evm_snapshot', params: [], parse: String })
    await fork.rpc.request(anvilCalls.setCode(multicall3Address, '0x'))
    const single = reading(pools.map(venueOf), rpc)
    expect(await single.fill(pool, sell, amount)).toEqual(expected)
    await single.close()
    await fork.rpc.request({ method: 'evm_revert', params: [snapshot], parse: Boolean })
    await rpc.close()
    await proxy.close()
  })

  test('what a reorganised block said is forgotten', async () => {
    const [pool] = pools
    if (pool === undefined) throw new Error('no pool')
    const [sell] = pool.tokens
    const amount = 10n ** BigInt(sell.decimals)
    const { fill, close } = reading(pools.map(venueOf))
    const before = await fill(pool, sell, amount)
    const snapshot = await fork.rpc.request({ method: 'evm_snapshot', params: [], parse: String })
    await openPosition(pool, () => 0.5)
    expect(await fill(pool, sell, amount)).not.toEqual(before)
    await fork.rpc.request({ method: 'evm_revert', params: [snapshot], parse: Boolean })
    await fork.rpc.request(anvilCalls.mine)
    expect(await fill(pool, sell, amount)).toEqual(before)
    await close()
  })

  test('beyond the ticks that were read the depth ends', async () => {
    const { fill, close } = reading(pools.map(venueOf))
    for (const pool of pools)
      expect(await fill(pool, pool.tokens[0], 2n ** 120n)).toEqual({ kind: 'exceeds-depth' })
    await close()
  })

  test('a contract that is no pool is left out', async () => {
    const [pool] = pools
    if (pool === undefined) throw new Error('no pool')
    const stranger: Pool = { ...pool, address: fork.ready.router }
    const { fill, close } = reading([venueOf(stranger), venueOf(pool)])
    expect(await fill(stranger, pool.tokens[0], 1_000n)).toBeUndefined()
    expect(await fill(pool, pool.tokens[0], 10n ** 6n)).toBeDefined()
    await close()
  })
})
