import {
  concat,
  decodeFunctionResult,
  encodeFunctionData,
  keccak256,
  numberToHex,
  pad,
  parseAbi,
  serializeTransaction,
  slice,
} from 'viem'
import type { Address } from '../../core/token.ts'
import { bytes, type Hex } from '../calls/fields.ts'
import { type Rpc, type RpcCall, type RpcOutcome, saysNo } from '../rpc/rpc.ts'

/** Where the OP stack (Optimism, Base and their kin) tells what it takes for a transaction's bytes. */
const gasPriceOracle: Address = '0x420000000000000000000000000000000000000F'

/** Where Arbitrum's node tells the same. A contract of the node alone: no code stands there. */
const nodeInterface: Address = '0x00000000000000000000000000000000000000C8'

const oracleAbi = parseAbi([
  // Of the unsigned bytes: the oracle itself adds room for a signature.
  'function getL1Fee(bytes data) view returns (uint256)',
  'function getOperatorFee(uint256 gasUsed) view returns (uint256)',
])
const nodeInterfaceAbi = parseAbi([
  'function gasEstimateL1Component(address to, bool contractCreation, bytes data) view returns (uint64 gasEstimateForL1, uint256 baseFee, uint256 l1BaseFeeEstimate)',
])

/** Every field of a transaction that its bytes are made of, as it is going to be signed. */
type Fields = {
  readonly to: Address
  readonly data: Hex
  readonly value: bigint
  readonly chainId: number
  readonly nonce: number
  readonly gas: bigint
  readonly maxFeePerGas: bigint
  readonly maxPriorityFeePerGas: bigint
}

/** One endpoint's word on what a chain takes for bytes; on a chain that takes nothing for them both are undefined. */
export type BytesCost = {
  /** Wei on top of the gas: the OP stack's. */
  readonly fee: bigint | undefined
  /** Gas on top of what the call uses, at the price of all gas: Arbitrum's. */
  readonly gas: bigint | undefined
}

/**
 * The questions that {@link costIn} reads the answers of, before nonce, gas and fees of the transaction are known. In
 * their place stand numbers as long as they can be, and with nothing in them to compress.
 */
export const costCalls = (call: Pick<Fields, 'to' | 'data' | 'value' | 'chainId'>) =>
  [feeOf({ ...call, ...longest }), gasOf(call)] as const

const longest = {
  nonce: 0x1e_24_0a_b7,
  gas: 0xfe_dc_ban,
  maxFeePerGas: 0x9a_bc_de_f0_12_34_56n,
  maxPriorityFeePerGas: 0x89_ab_cd_ef_01_23n,
}

/** 1,600 bytes as a swap of one leg has them: words that are half empty, and otherwise not to be compressed. */
const usualData = concat(
  Array.from({ length: 50 }, (_, word) =>
    pad(slice(keccak256(numberToHex(word)), 16), { size: 32 }),
  ),
)

/**
 * What a usual swap costs for its bytes, before there is one. A chain that takes nothing for bytes is asked once.
 */
export function createUsualCost(
  rpc: Rpc,
  { router, chainId }: { router: Address; chainId: number },
): () => Promise<BytesCost> {
  const calls = costCalls({ to: router, data: usualData, value: 0n, chainId })
  let isFree = false
  return async () => {
    if (isFree) return { fee: undefined, gas: undefined }
    const [fee, gas] = await rpc.batch(calls)
    if (!fee.ok) throw fee.error
    if (!gas.ok) throw gas.error
    isFree = fee.value === undefined && gas.value === undefined
    return { fee: fee.value, gas: gas.value }
  }
}

/** The dearer word of several endpoints. */
export function dearer(costs: readonly BytesCost[]): BytesCost {
  return {
    fee: largest(costs.map(({ fee }) => fee)),
    gas: largest(costs.map(({ gas }) => gas)),
  }
}

const largest = (values: readonly (bigint | undefined)[]): bigint | undefined =>
  values.reduce((a, b) => (a === undefined || (b !== undefined && b > a) ? b : a), undefined)

/** What the OP stack takes besides gas, wei: its fee for the bytes on the L1, and its fee for operators. */
export type RollupFee = {
  /** For exactly these bytes and this gas used. */
  readonly paid: bigint
  /** The same for all gas up to its limit: as much must be there. */
  readonly held: bigint
}

/**
 * That fee of a transaction of which every field is known. Only of an endpoint of the OP stack: the others have no such
 * oracle. Chains before Isthmus take nothing for operators.
 */
export async function readRollupFee(
  rpc: Rpc,
  fields: Fields,
  { gasUsed, at }: { gasUsed: bigint; at: <result>(call: RpcCall<result>) => RpcCall<result> },
): Promise<RollupFee> {
  const [fee, used, most] = await rpc.batch([
    at(feeOf(fields)),
    at(operatorFee(gasUsed)),
    at(operatorFee(fields.gas)),
  ])
  if (!fee.ok) throw fee.error
  const onL1 = fee.value ?? 0n
  return { paid: onL1 + orNothing(used), held: onL1 + orNothing(most) }
}

function orNothing(answer: RpcOutcome<bigint | undefined>): bigint {
  if (answer.ok) return answer.value ?? 0n
  if (saysNo(answer.error)) return 0n
  throw answer.error
}

const feeOf = (fields: Fields) =>
  view(
    gasPriceOracle,
    encodeFunctionData({
      abi: oracleAbi,
      functionName: 'getL1Fee',
      args: [serializeTransaction({ type: 'eip1559', ...fields })],
    }),
    (data) => decodeFunctionResult({ abi: oracleAbi, functionName: 'getL1Fee', data }),
  )

const operatorFee = (gas: bigint) =>
  view(
    gasPriceOracle,
    encodeFunctionData({ abi: oracleAbi, functionName: 'getOperatorFee', args: [gas] }),
    (data) => decodeFunctionResult({ abi: oracleAbi, functionName: 'getOperatorFee', data }),
  )

const gasOf = ({ to, data }: Pick<Fields, 'to' | 'data'>) =>
  view(
    nodeInterface,
    encodeFunctionData({
      abi: nodeInterfaceAbi,
      functionName: 'gasEstimateL1Component',
      args: [to, false, data],
    }),
    (answer) =>
      decodeFunctionResult({
        abi: nodeInterfaceAbi,
        functionName: 'gasEstimateL1Component',
        data: answer,
      })[0],
  )

/** The oracle compresses the bytes it is asked about. Every chain takes as much in one transaction (EIP-7825). */
const viewGas = '0xf42400'

/** Undefined where nothing stands at the address: a call to it returns nothing. */
function view(
  to: Address,
  data: Hex,
  decode: (answer: Hex) => bigint,
): RpcCall<bigint | undefined> {
  return {
    method: 'eth_call',
    params: [{ to, data, gas: viewGas }, 'latest'],
    parse(answer) {
      const returned = bytes.parse(answer)
      return returned === '0x' ? undefined : decode(returned)
    },
  }
}
