import { capOf, degreesOf } from '../../bot/proof.ts'
import { createRpc } from '../../chain/rpc/createRpc.ts'
import type { Rpc } from '../../chain/rpc/rpc.ts'
import { withRetries } from '../../chain/rpc/withRetries.ts'
import type { Config } from '../../config/config.ts'
import { show } from '../../core/amount.ts'
import { findPlay } from '../rehearse.ts'
import type { Finding } from './finding.ts'

/** With how much proof swaps are signed, and what they may be worth with it. Nothing where no scenario can be played. */
export async function examineProof(rpc: Rpc, config: Config): Promise<readonly Finding[]> {
  const { chain, policy, tokens } = config
  const more = chain.fallbackUrls.map((url) => withRetries(createRpc({ url: url.reveal() })))
  try {
    const play = await findPlay([rpc, ...more], config)
    const untraced = chain.tracing === 'unavailable' ? undefined : tokens.untraced
    return degreesOf({ play, untraced, witness: chain.witness }).map(({ proof, of }) => {
      const cap = capOf(proof, policy)
      const worth = cap === undefined ? 'no cap of its own' : `at most ${show(cap)} (policy.proof)`
      return { name: `proof of ${of}`, state: 'ok', actual: `${proof}: ${worth}` }
    })
  } catch {
    // Its own lines say why.
    return []
  } finally {
    await Promise.all(more.map((one) => one.close()))
  }
}
