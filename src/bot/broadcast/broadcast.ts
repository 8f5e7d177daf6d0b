import { sendRawTransaction } from '../../chain/calls/sendRawTransaction.ts'
import { RpcRefused } from '../../chain/rpc/errors.ts'
import type { Rpc } from '../../chain/rpc/rpc.ts'
import { display } from '../../core/display.ts'
import { withoutSecrets } from '../../core/secret.ts'
import type { Journaled } from '../stages.ts'
import { classify } from './classify.ts'
import type { Verdict } from './verdict.ts'

/** What the endpoint said, and in which words. */
export type BroadcastAnswer = {
  readonly verdict: Verdict
  /** The endpoint's own words, cut to a readable length. */
  readonly words: string
}

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
      : {
          verdict: 'ambiguous',
          words: display(`answered with another hash, ${answered}`, wordsMax),
        }
  } catch (error) {
    const { code, message } = saidBy(error)
    return {
      verdict: classify({ code, message }),
      words: display(withoutSecrets(message), wordsMax),
    }
  }
}

/** A text as long as this is read by a person; a longer one is a page of markup. */
const wordsMax = 300

function saidBy(error: unknown): { code: number | undefined; message: string } {
  if (error instanceof RpcRefused) return { code: error.rpcCode, message: error.rpcMessage }
  const message = error instanceof Error ? error.message : 'failed without a reason'
  return { code: undefined, message }
}
