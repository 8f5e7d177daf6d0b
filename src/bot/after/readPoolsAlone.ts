import { priceSources, uniswapV3PoolAbi } from '../../chain/abi/contracts.ts'
import { type Block, getBlock } from '../../chain/calls/node.ts'
import { readContract } from '../../chain/calls/readContract.ts'
import type { Rpc } from '../../chain/rpc/rpc.ts'
import type { PoolState } from '../../chain/uniswapV3/poolState.ts'
import { readPool } from '../../chain/uniswapV3/readPool.ts'
import { swap0, swap1 } from '../../chain/uniswapV3/swap.ts'
import { rememberRatios } from '../../chain/uniswapV3/ticks.ts'
import type { Amount } from '../../core/amount.ts'
import { type Address, isNative, sameToken, type Token } from '../../core/token.ts'
import type { PoolsAlone } from '../aftermath.ts'

/** A pool of the references. */
export type AlonePool = {
  readonly venue: 'uniswap-v2' | 'uniswap-v3'
  readonly address: Address
  readonly pair: readonly [Token, Token]
}

type Asked = {
  readonly pools: readonly AlonePool[]
  readonly sell: Amount
  readonly buy: Token
  readonly wrapped: Token
}

/**
 * What each pool of a pair would have paid for an amount at the end of a block, by the pools' own integer steps, and the
 * best of them: one pool, its fee paid, no gas. A pool that cannot be read, or is too shallow, is no answer.
 */
export async function readPoolsAlone(
  rpc: Rpc,
  { pools, sell, buy, wrapped }: Asked,
  { when, block }: Pick<PoolsAlone, 'when' | 'block'>,
): Promise<PoolsAlone> {
  const assetOf = (token: Token) => (isNative(token) ? wrapped : token)
  const [from, to] = [assetOf(sell.token), assetOf(buy)]
  const own = pools.filter(({ pair: [a, b] }) =>
    [
      [a, b],
      [b, a],
    ].some(([first, second]) => first && second && sameToken(first, from) && sameToken(second, to)),
  )
  if (own.length === 0) return { when, block, missing: 'no pool of the references is of this pair' }
  const header = await rpc.request(getBlock(block))
  if (header === undefined) return { when, block, missing: 'the node has no such block' }
  const isFirst = BigInt(from.address) < BigInt(to.address)
  const paid = await Promise.all(
    own.map(async (pool) => ({
      pool: pool.address,
      bought: await outOf(rpc, pool, { header, amount: sell.wei, isFirst }),
    })),
  )
  let best: { readonly pool: Address; readonly bought: bigint } | undefined
  for (const { pool, bought } of paid)
    if (bought !== undefined && bought > (best?.bought ?? 0n)) best = { pool, bought }
  return best === undefined
    ? { when, block, missing: 'no pool could be read there, or none is deep enough' }
    : { when, block, ...best }
}

/** What is sold, and whether it is the pool's first token. */
type Sale = { readonly header: Block; readonly amount: bigint; readonly isFirst: boolean }

const outOf = (rpc: Rpc, pool: AlonePool, sale: Sale) =>
  pool.venue === 'uniswap-v2' ? outOfPair(rpc, pool, sale) : outOfV3(rpc, pool, sale)

/** A pair keeps its reserves in 112 bits and refuses a swap beyond them. */
const reserveMax = 2n ** 112n - 1n

async function outOfPair(
  rpc: Rpc,
  { address }: AlonePool,
  { header, amount, isFirst }: Sale,
): Promise<bigint | undefined> {
  const block = { blockHash: header.hash }
  const abi = priceSources['uniswap-v2']
  const [answer] = await rpc.batch([
    readContract({ address, abi, functionName: 'getReserves', args: [], block }),
  ])
  if (!answer.ok) return undefined
  const [reserve0, reserve1] = answer.value
  const [sold, bought] = isFirst ? [reserve0, reserve1] : [reserve1, reserve0]
  if (sold === 0n || sold + amount > reserveMax) return undefined
  const input = amount * 997n
  return (input * bought) / (sold * 1_000n + input)
}

/** A v3 pool seen for the first time: its price, its words, its ticks. One more in reserve. */
const roundsMax = 3

async function outOfV3(
  rpc: Rpc,
  { address }: AlonePool,
  { header, amount, isFirst }: Sale,
): Promise<bigint | undefined> {
  const block = { blockHash: header.hash }
  const at = { address, abi: uniswapV3PoolAbi, args: [], block } as const
  const [fee, spacing] = await rpc.batch([
    readContract({ ...at, functionName: 'fee' }),
    readContract({ ...at, functionName: 'tickSpacing' }),
  ])
  if (!fee.ok || !spacing.ok) return undefined
  const pool = { address, fee: fee.value, spacing: spacing.value }
  const reader = readPool<PoolState>(pool, (state) => state)
  let state = reader.at(header, await rpc.batch(reader.reads(block)))
  for (let round = 0; round < roundsMax && state !== undefined && 'finish' in state; round += 1)
    state = state.finish(await rpc.batch(state.reads))
  if (state === undefined || 'finish' in state) return undefined
  return (isFirst ? swap0 : swap1)(state, amount, rememberRatios())
}
