import type { Logger } from 'pino'
import { maxUint256, parseAbi } from 'viem'
import { erc20Abi, uniswapV3PoolAbi } from '../chain/abi/contracts.ts'
import { getTransactionCount } from '../chain/calls/account.ts'
import type { Hex } from '../chain/calls/fields.ts'
import { type Block, getBlock } from '../chain/calls/node.ts'
import { readContract } from '../chain/calls/readContract.ts'
import { sendRawTransaction } from '../chain/calls/sendRawTransaction.ts'
import type { Rpc, RpcCall, RpcOutcome } from '../chain/rpc/rpc.ts'
import { assert } from '../core/assert.ts'
import type { Clock } from '../core/clock.ts'
import { repeat } from '../core/repeat.ts'
import type { Address } from '../core/token.ts'
import type { Accounts } from './accounts.ts'
import type { Prices } from './createPrices.ts'
import type { Deployment } from './readyDocument.ts'
import { createSandboxSigner, type SandboxSigner } from './signer.ts'
import { tradeToPrice } from './tradeToPrice.ts'
import { type MoveV3, moveV3 } from './uniswapV3.ts'
import type { SandboxWorld } from './world.ts'

const pairAbi = parseAbi([
  'function getReserves() view returns (uint112 reserve0, uint112 reserve1, uint32 blockTimestampLast)',
  'function swap(uint256 amount0Out, uint256 amount1Out, address to, bytes data)',
])

const swapRouterV3Abi = parseAbi([
  'struct ExactInputSingleParams { address tokenIn; address tokenOut; uint24 fee; address recipient; uint256 deadline; uint256 amountIn; uint256 amountOutMinimum; uint160 sqrtPriceLimitX96; }',
  'function exactInputSingle(ExactInputSingleParams params) payable returns (uint256 amountOut)',
])

/** Ahead of the bot in every block, as arbitrageurs are. */
const tip = 50_000_000_000n

type Options = {
  readonly rpc: Rpc
  readonly world: SandboxWorld
  readonly accounts: Accounts
  readonly deployment: Deployment
  readonly prices: Prices
  /** The block of step 0. */
  readonly since: number
  readonly clock: Clock
  readonly log: Logger
}

type Pool = {
  readonly address: Address
  readonly token0: PoolToken
  readonly token1: PoolToken
  /** Of a v3 pool, in millionths. */
  readonly fee: number | undefined
}
type PoolToken = { readonly symbol: string; readonly address: Address; readonly decimals: number }

/**
 * An arbitrageur: once per block it trades every pool whose price left the band its fee leaves around the synthetic
 * price. Its trades are ordinary swaps, so pools move as they do in the world.
 */
export function followPrices(options: Options): { stop(): Promise<void> } {
  const { rpc, world, accounts, clock, log } = options
  const pools = poolsOf(options)
  const everyMs = Math.max(50, (world.chain.blockTimeSeconds * 1_000) / 4)
  const onError = (err: unknown) => log.warn({ err }, 'could not move the pools')
  const { account } = accounts.arbitrageur
  let seen = -1
  return repeat({ everyMs, clock, onError }, async () => {
    const head = await rpc.request(getBlock('latest'))
    if (head === undefined || head.number === seen) return
    seen = head.number
    const nonce = await rpc.request(getTransactionCount(account.address, 'pending'))
    const signer = createSandboxSigner({ account, chainId: world.chain.chainId, nonce, tip })
    await trade(options, { pools, head, signer })
  })
}

async function trade(
  { rpc, prices, since, deployment }: Options,
  { pools, head, signer }: { pools: readonly Pool[]; head: Block; signer: SandboxSigner },
): Promise<void> {
  const values = prices.at(head.number - since)
  const block = { blockHash: head.hash }
  const answers: readonly RpcOutcome<unknown>[] = await rpc.batch(
    pools.map(
      ({ address, fee }): RpcCall<unknown> =>
        fee === undefined
          ? readContract({ address, abi: pairAbi, functionName: 'getReserves', args: [], block })
          : readContract({
              address,
              abi: uniswapV3PoolAbi,
              functionName: 'slot0',
              args: [],
              block,
            }),
    ),
  )
  const raws: Hex[] = []
  for (const [index, pool] of pools.entries()) {
    const answer = answers[index]
    if (answer?.ok !== true) continue
    const { token0, token1, fee } = pool
    const worth = (token: PoolToken) => (values.get(token.symbol) ?? 1) / 10 ** token.decimals
    const price = worth(token0) / worth(token1)
    if (fee !== undefined) {
      const [sqrtPriceX96] = answer.value as readonly [bigint]
      const router = deployment.v3SwapRouter
      const move = moveV3({ sqrtPriceX96, fee, price })
      if (move === undefined || router === undefined) continue
      raws.push(
        await signer.call(router, swapRouterV3Abi, 'exactInputSingle', [
          limitSwap({ pool, fee, move, signer }),
        ]),
      )
      continue
    }
    const [reserve0, reserve1] = answer.value as readonly [bigint, bigint]
    const swap = tradeToPrice({ reserve0, reserve1, price })
    if (swap === undefined) continue
    const sold = swap.sells === 0 ? token0 : token1
    const out = swap.sells === 0 ? [0n, swap.buyWei] : [swap.buyWei, 0n]
    raws.push(await signer.call(sold.address, erc20Abi, 'transfer', [pool.address, swap.sellWei]))
    raws.push(await signer.call(pool.address, pairAbi, 'swap', [...out, signer.address, '0x']))
  }
  const sent = await rpc.batch(raws.map(sendRawTransaction))
  for (const outcome of sent) if (!outcome.ok) throw outcome.error
}

/** More than any trade needs: the pool stops at the limit and takes only what led there. */
const inputMax = 2n ** 100n

function limitSwap({
  pool: { token0, token1 },
  fee,
  move: { sells, sqrtPriceLimitX96 },
  signer,
}: {
  pool: Pool
  fee: number
  move: MoveV3
  signer: SandboxSigner
}) {
  const [sold, bought] = sells === 0 ? [token0, token1] : [token1, token0]
  return {
    tokenIn: sold.address,
    tokenOut: bought.address,
    fee,
    recipient: signer.address,
    deadline: maxUint256,
    amountIn: inputMax,
    amountOutMinimum: 0n,
    sqrtPriceLimitX96,
  }
}

function poolsOf({ world, deployment }: Options): readonly Pool[] {
  return world.pools.map(({ tokens, ...rest }, index) => {
    const address = deployment.pools[index]
    assert(address !== undefined, 'each pool was deployed')
    const [token0, token1] = tokens
      .map((symbol): PoolToken => {
        const token = deployment.tokens[symbol]
        assert(token !== undefined, 'each token was deployed')
        return { symbol, address: token, decimals: world.tokens[symbol]?.decimals ?? 18 }
      })
      .sort((a, b) => (BigInt(a.address) < BigInt(b.address) ? -1 : 1))
    assert(token0 !== undefined && token1 !== undefined, 'a pool has two tokens')
    return { address, token0, token1, fee: rest.kind === 'uniswap-v3' ? rest.fee : undefined }
  })
}
