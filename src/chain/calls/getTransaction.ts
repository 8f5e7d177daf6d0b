import { keccak256, serializeTransaction } from 'viem'
import { z } from 'zod'
import { type Address, sameAddress } from '../../core/token.ts'
import type { RpcCall } from '../rpc/rpc.ts'
import {
  address,
  blockParameter,
  bytes,
  type Hex,
  hash,
  quantity,
  smallQuantity,
} from './fields.ts'

/** A mined transaction, as its sender signed it. */
export type MinedTransaction = {
  readonly hash: Hex
  /** The sender by the endpoint's word; `raw` proves it. */
  readonly from: Address
  readonly nonce: number
  readonly blockNumber: number
  /** The signed bytes, whose hash is `hash`; undefined for a type that this bot never signs. */
  readonly raw: Hex | undefined
  readonly to: Address | undefined
  readonly data: Hex
  readonly value: bigint
}

const mined = z.looseObject({
  hash,
  from: address,
  nonce: smallQuantity,
  blockNumber: smallQuantity,
  to: address.nullish(),
  input: bytes,
  value: quantity,
})

/** EIP-1559 without an access list: the one form in which this bot signs. */
const signedHere = z.looseObject({
  type: z.literal('0x2'),
  chainId: smallQuantity,
  gas: quantity,
  maxFeePerGas: quantity,
  maxPriorityFeePerGas: quantity,
  accessList: z.array(z.unknown()).max(0),
  r: quantity,
  s: quantity,
  yParity: smallQuantity.nullish(),
  v: smallQuantity.nullish(),
})

/** Whether a block of the endpoint holds a transaction (`eth_getTransactionByHash`), receipt or not. */
export function isInBlock(of: Hex): RpcCall<boolean> {
  const found = z.looseObject({ hash: z.literal(of), blockHash: hash.nullish() })
  return {
    method: 'eth_getTransactionByHash',
    params: [of],
    parse: (answer) => answer !== null && found.parse(answer).blockHash != null,
  }
}

/** The transactions of one sender in a block (`eth_getBlockByNumber`); undefined where the endpoint lacks the block. */
export function getTransactionsOf(
  sender: Address,
  block: number,
): RpcCall<readonly MinedTransaction[] | undefined> {
  const transactions = z.looseObject({ transactions: z.array(z.looseObject({ from: address })) })
  return {
    method: 'eth_getBlockByNumber',
    params: [blockParameter(block), true],
    parse: (answer) =>
      answer === null
        ? undefined
        : transactions
            .parse(answer)
            .transactions.filter(({ from }) => sameAddress(from, sender))
            .map(readTransaction),
  }
}

function readTransaction(answer: unknown): MinedTransaction {
  const { to, input, ...rest } = mined.parse(answer)
  const { hash, from, nonce, blockNumber, value } = rest
  const read = { hash, from, nonce, blockNumber, value, data: input, to: to ?? undefined }
  return { ...read, raw: rawOf(answer, read) }
}

/** The bytes put together again; anything but the very bytes of this hash is none. */
function rawOf(answer: unknown, transaction: Omit<MinedTransaction, 'raw'>): Hex | undefined {
  const read = signedHere.safeParse(answer)
  if (!read.success || transaction.to === undefined) return undefined
  const { chainId, gas, maxFeePerGas, maxPriorityFeePerGas, r, s, yParity, v } = read.data
  const { to, nonce, data, value } = transaction
  const fields = { to, nonce, data, value, chainId, gas, maxFeePerGas, maxPriorityFeePerGas }
  const raw = serializeTransaction(
    { type: 'eip1559', ...fields },
    { r: word(r), s: word(s), yParity: yParity ?? v ?? 0 },
  )
  return keccak256(raw) === transaction.hash ? raw : undefined
}

const word = (value: bigint): Hex => `0x${value.toString(16).padStart(64, '0')}`
