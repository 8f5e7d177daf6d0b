import { type Abi, encodeAbiParameters, getContractAddress, keccak256, maxUint256 } from 'viem'
import type { Address } from '../core/token.ts'
import { uniswapV3Artifact, uniswapV3PeripheryArtifact } from './artifact.ts'
import type { PlacedV3 } from './placeV3.ts'
import type { Signer } from './signer.ts'

const zeroAddress: Address = '0x0000000000000000000000000000000000000000'

/** Uniswap v3 on a chain. */
export type UniswapV3 = {
  readonly factory: Address
  readonly factoryAbi: Abi
  readonly positionManager: Address
  readonly positionManagerAbi: Abi
  readonly swapRouter: Address
}

/** Factory, positions and swaps, as Uniswap published them. */
export async function deployUniswapV3({
  deploy,
  wrapped,
}: {
  deploy: (...deployed: Parameters<Signer['deploy']>) => Promise<Address>
  wrapped: Address
}): Promise<UniswapV3> {
  const factoryArtifact = uniswapV3Artifact('UniswapV3Factory')
  const positions = uniswapV3PeripheryArtifact('NonfungiblePositionManager')
  const factory = await deploy(factoryArtifact, [])
  return {
    factory,
    factoryAbi: factoryArtifact.abi,
    // It draws pictures of positions with a third contract, which nobody here looks at.
    positionManager: await deploy(positions, [factory, wrapped, zeroAddress]),
    positionManagerAbi: positions.abi,
    swapRouter: await deploy(uniswapV3PeripheryArtifact('SwapRouter'), [factory, wrapped]),
  }
}

/** Calls of the position manager that open a pool and fill it. */
export function openingCalls(
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
export function poolAddressV3({
  factory,
  token0,
  token1,
  fee,
}: {
  factory: Address
  token0: Address
  token1: Address
  fee: number
}): Address {
  const { bytecode } = uniswapV3Artifact('UniswapV3Pool')
  const key = [{ type: 'address' }, { type: 'address' }, { type: 'uint24' }] as const
  const salt = keccak256(encodeAbiParameters(key, [token0, token1, fee]))
  return getContractAddress({ opcode: 'CREATE2', from: factory, salt, bytecode })
}
