import { sendRawTransaction } from '../../chain/calls/sendRawTransaction.ts'
import { type Rpc, RpcRefused } from '../../chain/rpc/rpc.ts'
import { display } from '../../core/display.ts'
import { withoutSecrets } from '../../core/secret.ts'
import type { Durable } from '../stages.ts'
import type { Verdict } from '../verdict.ts'
import { classify } from './classify.ts'

/** The answer of one endpoint. */
export type Offered = {
  readonly verdict: Verdict
  /** Its own, cut to a readable length. */
  readonly words: string
  /** It reports another hash: ours is the truth, and the node or its way here is not to be trusted. */
  readonly otherHash?: true
}

/** Offers journaled bytes to one endpoint, once. Never throws: whatever happens is an answer. */
export async function offer(rpc: Rpc, { raw, hash }: Durable): Promise<Offered> {
  try {
    const answered = await rpc.request(sendRawTransaction(raw))
    return answered === hash
      ? { verdict: 'accepted', words: 'accepted' }
      : { verdict: 'ambiguous', words: `answered with another hash, ${answered}`, otherHash: true }
  } catch (error) {
    const { code, message } = saidBy(error)
    const words = display(withoutSecrets(message), wordsMax)
    return { verdict: classify({ code, message }), words }
  }
}

/** A text as long as this is read by a person; a longer one is a page of markup. */
const wordsMax = 300

function saidBy(error: unknown): { code: number | undefined; message: string } {
  if (error instanceof RpcRefused) return { code: error.rpcCode, message: error.rpcMessage }
  const message = error instanceof Error ? error.message : 'failed without a reason'
  return { code: undefined, message }
}
