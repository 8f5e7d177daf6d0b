import { getChainId } from '../chain/calls/node.ts'
import { createRpc } from '../chain/rpc/createRpc.ts'
import type { Config } from '../config/config.ts'
import { assertChain } from './assertChain.ts'

/** The endpoints that only get signed bytes (`chain.alsoSendTo`). Nothing they say is read but that. */
export function openSenders(config: Config) {
  const endpoints = config.chain.alsoSendTo.map((url) =>
    createRpc({ url: url.reveal(), setBy: 'chain.alsoSendTo or ALSO_SEND_TO' }),
  )
  return {
    endpoints,
    /**
     * Throws WRONG_CHAIN. One that is away, or answers no other call than a broadcast, stops nothing: it is there for
     * the day another is away, and bytes name their chain, so that no other takes them.
     */
    async check(): Promise<void> {
      await Promise.all(
        endpoints.map(async (rpc) => {
          const found = await rpc.request(getChainId).catch(() => undefined)
          if (found !== undefined) assertChain(config, { found, endpoint: rpc.label })
        }),
      )
    },
    async close(): Promise<void> {
      await Promise.all(endpoints.map((rpc) => rpc.close()))
    },
  }
}
