import { z } from 'zod'
import { type Address, sameAddress } from '../../core/token.ts'
import type { RpcCall } from '../rpc/rpc.ts'
import { address, bytes, type Hex, hash, quantity, smallQuantity } from './fields.ts'

export type ReceiptLog = {
  readonly address: Address
  readonly topics: readonly Hex[]
  readonly data: Hex
}

/** The effect of a mined transaction. Only as final as its block. */
export type Receipt = {
  readonly hash: Hex
  readonly success: boolean
  readonly blockNumber: number
  readonly blockHash: Hex
  readonly gasUsed: bigint
  /** Wei the sender paid for being mined: gas at its price, and what a rollup takes besides. */
  readonly gasPaid: bigint
  /** The tip in it; undefined where the base fee of its block is unknown. */
  readonly tipPaid?: bigint
  /** The base fees in it; undefined likewise. What is left is what a rollup takes besides. */
  readonly basePaid?: bigint
  readonly logs: readonly ReceiptLog[]
}

const receipt = z.looseObject({
  transactionHash: hash,
  from: address.nullish(),
  status: z.enum(['0x0', '0x1']),
  blockNumber: smallQuantity,
  blockHash: hash,
  gasUsed: quantity,
  effectiveGasPrice: quantity,
  // Optimism, Base, Scroll and their kin take it from the sender on top of the gas; other chains have no such field.
  l1Fee: quantity.nullish(),
  // Since Isthmus the OP stack takes a fee for its operators as well, and gives only what it is made of.
  operatorFeeScalar: quantity.nullish(),
  operatorFeeConstant: quantity.nullish(),
  // There since Jovian, from when on the scalar counts otherwise.
  daFootprintGasScalar: quantity.nullish(),
  logs: z.array(z.looseObject({ address, topics: z.array(hash), data: bytes })),
})

/**
 * `eth_getTransactionReceipt`. Undefined means "not known here", never "failed". One of another transaction is refused,
 * and where the sender is known one of another sender: that is an answer to some other question.
 */
export function getReceipt(
  transaction: Hex,
  sender?: Address,
): RpcCall<(Receipt & { readonly gasPrice: bigint }) | undefined> {
  return {
    method: 'eth_getTransactionReceipt',
    params: [transaction],
    parse(answer) {
      if (answer === null || answer === undefined) return undefined
      const { transactionHash, from, status, ...rest } = receipt.parse(answer)
      const { blockNumber, blockHash, gasUsed, effectiveGasPrice, l1Fee, logs } = rest
      const onTop = (l1Fee ?? 0n) + operatorFee(rest)
      if (transactionHash !== transaction.toLowerCase())
        throw new Error(`asked for ${transaction}, answered ${transactionHash}`)
      if (sender !== undefined && from != null && !sameAddress(from, sender))
        throw new Error(`asked for a transaction of ${sender}, answered one of ${from}`)
      return {
        hash: transactionHash,
        success: status === '0x1',
        blockNumber,
        blockHash,
        gasUsed,
        gasPaid: gasUsed * effectiveGasPrice + onTop,
        gasPrice: effectiveGasPrice,
        logs: logs.map(({ address, topics, data }) => ({ address, topics, data })),
      }
    },
  }
}

function operatorFee({
  gasUsed,
  operatorFeeScalar,
  operatorFeeConstant,
  daFootprintGasScalar,
}: Pick<
  z.infer<typeof receipt>,
  'gasUsed' | 'operatorFeeScalar' | 'operatorFeeConstant' | 'daFootprintGasScalar'
>): bigint {
  const scaled = gasUsed * (operatorFeeScalar ?? 0n)
  const ofGas = daFootprintGasScalar == null ? scaled / 1_000_000n : scaled * 100n
  return ofGas + (operatorFeeConstant ?? 0n)
}
