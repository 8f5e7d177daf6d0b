import { sendRawTransaction } from '../../chain/calls/sendRawTransaction.ts'
import { RpcRefused } from '../../chain/rpc/errors.ts'
import type { Rpc } from '../../chain/rpc/rpc.ts'
import { display } from '../../core/display.ts'
import { withoutSecrets } from '../../core/secret.ts'
import type { Journaled } from '../stages.ts'
import type { Verdict } from './verdict.ts'

/** What the endpoint said. Only `accepted` is knowledge; `ambiguous` is everything else, and never "failed". */
export type BroadcastAnswer = {
  readonly verdict: Verdict
  /** The endpoint's own words, cut to a readable length. */
  readonly words: string
}

/** "Already known" in the words of geth, erigon, nethermind, besu and reth. Not `unknown transaction`. */
const alreadyKnown = /already (known|imported|exists)|alreadyknown|(?<!un)known transaction/i

/**
 * Sends journaled bytes, once. Never retried here: sending the same bytes again is a step that {@link next} decides.
 *
 * A refusal does not end anything. Nodes refuse transactions that other nodes mine.
 */
export async function broadcast(rpc: Rpc, { raw, hash }: Journaled): Promise<BroadcastAnswer> {
  try {
    const answered = await rpc.request(sendRawTransaction(raw))
    return answered === hash
      ? { verdict: 'accepted', words: 'accepted' }
      : { verdict: 'ambiguous', words: display(`answered with another hash, ${answered}`, 300) }
  } catch (error) {
    const words = display(
      withoutSecrets(
        error instanceof RpcRefused
          ? error.rpcMessage
          : error instanceof Error
            ? error.message
            : 'failed without a reason',
      ),
      300,
    )
    return { verdict: alreadyKnown.test(words) ? 'accepted' : 'ambiguous', words }
  }
}
