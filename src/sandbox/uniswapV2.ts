import { type Abi, getContractAddress, keccak256 } from 'viem'
import type { Hex } from '../chain/calls/fields.ts'
import type { Address } from '../core/token.ts'
import { uniswapV2Artifact } from './artifact.ts'
import type { PlacedToken, Site } from './site.ts'
import type { PoolV2 } from './world.ts'

type UniswapV2 = { readonly factory: Address; readonly factoryAbi: Abi }

export async function placeUniswapV2({ deploy, deployer }: Site): Promise<UniswapV2> {
  const artifact = uniswapV2Artifact('UniswapV2Factory')
  return { factory: await deploy(artifact, [deployer.address]), factoryAbi: artifact.abi }
}

/** Creates a pair and fills it with its reserves. */
export async function placePoolV2(
  { deployer, put, give, token }: Site,
  { pool: { tokens, reserves }, v2 }: { pool: PoolV2; v2: UniswapV2 },
): Promise<Address> {
  const { abi, bytecode: initCode } = uniswapV2Artifact('UniswapV2Pair')
  const [a, b] = [token(tokens[0]), token(tokens[1])]
  const address = pairAddress([a, b], { factory: v2.factory, initCode })
  await put(deployer.call(v2.factory, v2.factoryAbi, 'createPair', [a.address, b.address]))
  await give(address, tokens[0], reserves[0])
  await give(address, tokens[1], reserves[1])
  await put(deployer.call(address, abi, 'mint', [deployer.address]))
  return address
}

/** CREATE2: known before the pair exists, so its reserves can be sent in the same block. */
function pairAddress(
  [a, b]: readonly [PlacedToken, PlacedToken],
  { factory, initCode }: { factory: Address; initCode: Hex },
): Address {
  const inOrder = BigInt(a.address) < BigInt(b.address)
  const [low, high] = inOrder ? [a.address, b.address] : [b.address, a.address]
  const salt = keccak256(`0x${low.slice(2)}${high.slice(2)}`.toLowerCase() as Hex)
  return getContractAddress({ opcode: 'CREATE2', from: factory, salt, bytecode: initCode })
}
