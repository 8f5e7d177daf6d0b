import { type Abi, encodeAbiParameters, getContractAddress, keccak256, maxUint256 } from 'viem'
import { spacingOf, sqrtRatioAtTick } from '../chain/uniswapV3/ticks.ts'
import { parseDecimal } from '../core/decimal.ts'
import type { Address } from '../core/token.ts'
import { zeroAddress } from '../core/token.ts'
import { uniswapV3Artifact, uniswapV3PeripheryArtifact } from './artifact.ts'
import type { PlacedToken, Site } from './site.ts'
import type { PoolV3 } from './world.ts'

/** Uniswap v3 on a chain. */
export type UniswapV3 = {
  readonly factory: Address
  readonly positionManager: Address
  readonly positionManagerAbi: Abi
  readonly swapRouter: Address
}

/** Factory, positions and swaps, as Uniswap published them, with the deployer's right to fill pools. */
export async function placeUniswapV3(
  { deployer, deploy, put, tokens }: Site,
  wrapped: PlacedToken,
): Promise<UniswapV3> {
  const factoryArtifact = uniswapV3Artifact('UniswapV3Factory')
  const positions = uniswapV3PeripheryArtifact('NonfungiblePositionManager')
  const factory = await deploy(factoryArtifact, [])
  // It draws pictures of positions with a third contract, which is unused here.
  const positionManager = await deploy(positions, [factory, wrapped.address, zeroAddress])
  const swapRouter = await deploy(uniswapV3PeripheryArtifact('SwapRouter'), [
    factory,
    wrapped.address,
  ])
  // The factory knows three fees when it is new; its owner, the deployer, adds the fourth.
  await put(deployer.call(factory, factoryArtifact.abi, 'enableFeeAmount', [100, spacingOf[100]]))
  for (const { address, abi } of tokens.values())
    await put(deployer.call(address, abi, 'approve', [positionManager, maxUint256]))
  return { factory, positionManager, positionManagerAbi: positions.abi, swapRouter }
}

/** Opens a pool and fills it; the deployer owns the positions. */
export async function placePoolV3(
  { deployer, put, give, token }: Site,
  { pool, v3 }: { pool: PoolV3; v3: UniswapV3 },
): Promise<Address> {
  const [a, b] = pool.tokens
  for (const { amounts } of pool.positions)
    for (const [side, amount] of amounts.entries())
      await give(deployer.address, pool.tokens[side] ?? a, amount)
  const placed = placeV3(pool, [token(a), token(b)])
  for (const [name, args] of openingCalls(placed, { fee: pool.fee, owner: deployer.address }))
    await put(deployer.call(v3.positionManager, v3.positionManagerAbi, name, args))
  return poolAddress(placed, { factory: v3.factory, fee: pool.fee })
}

/** Calls of the position manager that open a pool and fill it. */
function openingCalls(
  { token0, token1, sqrtPriceX96, positions }: PlacedV3,
  { fee, owner }: { fee: number; owner: Address },
): readonly (readonly [name: string, args: readonly unknown[]])[] {
  return [
    ['createAndInitializePoolIfNecessary', [token0, token1, fee, sqrtPriceX96]],
    ...positions.map(({ tickLower, tickUpper, amount0, amount1 }) => {
      const minimums = { amount0Min: 0n, amount1Min: 0n }
      const desired = { amount0Desired: amount0, amount1Desired: amount1 }
      const pool = { token0, token1, fee, tickLower, tickUpper }
      const args = { ...pool, ...desired, ...minimums, recipient: owner, deadline: maxUint256 }
      return ['mint', [args]] as const
    }),
  ]
}

/** CREATE2: known before the pool exists. */
function poolAddress(
  { token0, token1 }: PlacedV3,
  { factory, fee }: { factory: Address; fee: number },
): Address {
  const { bytecode } = uniswapV3Artifact('UniswapV3Pool')
  const key = [{ type: 'address' }, { type: 'address' }, { type: 'uint24' }] as const
  const salt = keccak256(encodeAbiParameters(key, [token0, token1, fee]))
  return getContractAddress({ opcode: 'CREATE2', from: factory, salt, bytecode })
}

type Placed = { readonly address: Address; readonly decimals: number }

/** A v3 pool as the contracts take it: tokens in the order of their addresses, prices as ticks. */
type PlacedV3 = {
  readonly token0: Address
  readonly token1: Address
  readonly sqrtPriceX96: bigint
  readonly positions: readonly {
    readonly tickLower: number
    readonly tickUpper: number
    readonly amount0: bigint
    readonly amount1: bigint
  }[]
}

/** Turns prices and amounts in text into ticks and smallest units. Range ends go to the nearest usable tick. */
export function placeV3({ positions, fee }: PoolV3, [a, b]: readonly [Placed, Placed]): PlacedV3 {
  const inOrder = BigInt(a.address) < BigInt(b.address)
  const spacing = spacingOf[fee]
  const scale = 10 ** (b.decimals - a.decimals)
  const tickAt = (price: number) =>
    Math.round(Math.log(price) / Math.log(1.0001) / spacing) * spacing
  const placed = positions.map(({ range, amounts }) => {
    const ends = range.map((text) => Number(text) * scale)
    const ticks = ends.map((price) => tickAt(inOrder ? price : 1 / price)).sort((x, y) => x - y)
    const wei = [parseDecimal(amounts[0], a.decimals), parseDecimal(amounts[1], b.decimals)]
    const [amount0 = 0n, amount1 = 0n] = inOrder ? wei : wei.reverse()
    const [tickLower = 0, tickUpper = 0] = ticks
    return { tickLower, tickUpper, amount0, amount1 }
  })
  const [token0, token1] = inOrder ? [a.address, b.address] : [b.address, a.address]
  return { token0, token1, positions: placed, sqrtPriceX96: priceOf(placed[0]) }
}

/**
 * The √price p at which two amounts fill a range with the same liquidity: x·p·u / (u − p) = y / (p − l). In doubles:
 * the starting price of a sandbox is no real money.
 */
function priceOf(first: PlacedV3['positions'][number] | undefined): bigint {
  if (first === undefined) return 0n
  const q96 = 2 ** 96
  const low = Number(sqrtRatioAtTick(first.tickLower)) / q96
  const high = Number(sqrtRatioAtTick(first.tickUpper)) / q96
  const [x, y] = [Number(first.amount0), Number(first.amount1)]
  const b = x * low * high - y
  const root = (b + Math.sqrt(b * b + 4 * x * y * high * high)) / (2 * x * high)
  return BigInt(Math.floor(root * q96))
}

/** Which token an arbitrageur sells into a v3 pool, and the price at which it stops. */
export type MoveV3 = { readonly sells: 0 | 1; readonly sqrtPriceLimitX96: bigint }

/** Below a basis point the trade earns less than any trader's gas. */
const moveMin = 0.0001

/**
 * Brings a v3 pool to the edge of the band its fee leaves around a price; nothing while it is inside. `price` is
 * smallest units of token1 per smallest unit of token0. Doubles: the distance a pool is moved is no real money.
 */
export function moveV3({
  sqrtPriceX96,
  fee,
  price,
}: {
  sqrtPriceX96: bigint
  fee: number
  price: number
}): MoveV3 | undefined {
  const kept = 1 - fee / 1_000_000
  const now = (Number(sqrtPriceX96) / 2 ** 96) ** 2
  const limit = (edge: number) => BigInt(Math.floor(Math.sqrt(edge) * 2 ** 96))
  if (now * kept > price * (1 + moveMin))
    return { sells: 0, sqrtPriceLimitX96: limit(price / kept) }
  if (now * (1 + moveMin) < price * kept)
    return { sells: 1, sqrtPriceLimitX96: limit(price * kept) }
  return undefined
}
