import { BallastError, ballastError } from '../../core/errors.ts'
import type { Rpc } from '../rpc/rpc.ts'
import type { Hex } from './fields.ts'
import { getLogs } from './getLogs.ts'
import type { ReceiptLog } from './getReceipt.ts'
import { getBlock } from './node.ts'

/** Requests of one search: a chain of twenty million blocks in ranges of ten thousand takes two thousand. */
const requestsMax = 10_000

/** A node that is silent to so many in a row may be away, and not only slow: no shorter range brings it back. */
const silentMax = 8

/** After so many that were answered a range is twice as long again: what failed may have passed. */
const growAfter = 16

/**
 * Logs of any contract with these topics in a range of blocks, the oldest first. It asks for the whole range, and for half
 * as much each time the endpoint refuses, down to one block. Throws LOGS_NOT_FOUND where that takes too many requests, and
 * the endpoint's own error where it refuses a single block, or is away.
 */
export async function findLogs(
  rpc: Rpc,
  { topics, from, to }: { topics: readonly (Hex | null)[]; from: number; to: number },
): Promise<readonly ReceiptLog[]> {
  const found: ReceiptLog[] = []
  let [at, size] = [from, to - from + 1]
  let [answered, silent] = [0, 0]
  for (let requests = 0; at <= to; requests += 1) {
    if (requests === requestsMax)
      throw ballastError('LOGS_NOT_FOUND', 'The RPC endpoint gives too few blocks at a time.', {
        ...{ endpoint: rpc.label, searchedTo: at - 1, blocksAtATime: size },
        next: 'set chain.rpcUrl to a node that searches longer ranges, or begin later: --from BLOCK',
      })
    const end = Math.min(to, at + size - 1)
    try {
      found.push(
        ...(await rpc.request(getLogs({ contract: undefined, topics, from: at, to: end }))),
      )
      at = end + 1
      silent = 0
      answered += 1
      if (answered % growAfter === 0) size *= 2
    } catch (error) {
      if (!(error instanceof BallastError) || error.fault !== 'upstream' || end === at) throw error
      silent = error.code === 'UNREACHABLE' ? silent + 1 : 0
      if (silent === silentMax) {
        // One that answers what is cheap was too slow for the range.
        await rpc.request(getBlock('latest'))
        silent = 0
      }
      answered = 0
      size = Math.ceil((end - at + 1) / 2)
    }
  }
  return found
}
