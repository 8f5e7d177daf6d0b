import { keccak256 } from 'viem'
import type { Transaction } from '../../src/bot/stages.ts'
import type { Hex } from '../../src/chain/calls/fields.ts'
import { compactJson } from '../../src/core/json.ts'
import type { Tx } from './chain.ts'

/** Signed bytes: the fields as text. `salt` stands for the signature, which is another one each time it is made. */
export function writeBytes(transaction: Transaction, salt: number): { raw: Hex; hash: Hex } {
  const raw: Hex = `0x02${Buffer.from(compactJson({ ...transaction, salt })).toString('hex')}`
  return { raw, hash: keccak256(raw) }
}

/** The inverse of {@link writeBytes}. */
export function readBytes(raw: Hex): Tx {
  const fields = JSON.parse(Buffer.from(raw.slice(4), 'hex').toString())
  return {
    hash: keccak256(raw),
    nonce: fields.nonce,
    to: fields.to,
    data: fields.data,
    value: BigInt(fields.value),
    gas: BigInt(fields.gas),
    maxFeePerGas: BigInt(fields.maxFeePerGas),
    maxPriorityFeePerGas: BigInt(fields.maxPriorityFeePerGas),
  }
}
