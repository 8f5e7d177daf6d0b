import type { Journal } from '../bot/journal/openJournal.ts'
import { getBlock } from '../chain/calls/node.ts'
import type { Rpc } from '../chain/rpc/rpc.ts'
import type { Config } from '../config/config.ts'
import { ballastError } from '../core/errors.ts'

/**
 * Height of a head that has seen all that the journal rests on. Throws NODE_BEHIND at one that has not: its old nonce looks
 * like transactions that the chain has lost.
 */
export async function caughtUpHead({
  config: { chain, wallet },
  rpc,
  journal,
}: {
  config: Config
  rpc: Rpc
  journal: Journal
}): Promise<number> {
  const scope = { chainId: chain.chainId, wallet: wallet.address, since: 0 }
  const newest = await journal.books.newestBlock(scope)
  const head = await rpc.request(getBlock('latest'))
  if (head === undefined || head.number < newest)
    throw ballastError(
      'NODE_BEHIND',
      'The RPC endpoint has not seen what the journal knows to be mined.',
      { endpoint: rpc.label, head: head?.number, blockOfJournal: newest },
    )
  return head.number
}
