import { z } from 'zod'
import type { Address } from '../../core/token.ts'
import type { RpcCall } from '../rpc/rpc.ts'
import { address, blockParameter, bytes, type Hex, hash } from './fields.ts'
import type { ReceiptLog } from './getReceipt.ts'

const logs = z.array(z.looseObject({ address, topics: z.array(hash), data: bytes }))

/** `eth_getLogs` of one contract, or of any. Most nodes refuse a range that is long. */
export function getLogs({
  contract,
  topics,
  from,
  to,
}: {
  /** Undefined for any. */
  contract: Address | undefined
  /** Null for any. */
  topics: readonly (Hex | null)[]
  from: number
  to: number
}): RpcCall<readonly ReceiptLog[]> {
  const range = { fromBlock: blockParameter(from), toBlock: blockParameter(to) }
  return {
    method: 'eth_getLogs',
    params: [{ ...(contract === undefined ? {} : { address: contract }), topics, ...range }],
    parse: (answer) =>
      logs.parse(answer).map(({ address, topics, data }) => ({ address, topics, data })),
  }
}
