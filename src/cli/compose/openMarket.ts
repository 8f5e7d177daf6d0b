import { createQuoteApi } from '../../bot/quote/api/createQuoteApi.ts'
import { getChainId } from '../../chain/calls/getChainId.ts'
import { createRpc } from '../../chain/rpc/createRpc.ts'
import { withRetries } from '../../chain/rpc/withRetries.ts'
import type { Config } from '../../config/config.ts'
import type { Clock } from '../../core/clock.ts'
import { BallastError } from '../../core/errors.ts'

/** The two outside parties: the chain and the quoting service. Checked to be the configured chain before anything else. */
export async function openMarket(config: Config, clock: Clock) {
  const direct = createRpc({ url: config.chain.rpcUrl.reveal() })
  const rpc = withRetries(direct)
  const quotes = createQuoteApi({
    url: config.service.url.reveal(),
    apiKey: config.service.apiKey,
    timeoutMs: config.quote.timeoutMs,
    clock,
  })
  const close = async () => {
    await Promise.all([rpc.close(), quotes.close()])
  }
  try {
    const chainId = await rpc.request(getChainId)
    if (chainId !== config.chain.chainId)
      throw new BallastError(
        `The RPC endpoint serves chain ${chainId}, but ${config.locate(['chain', 'chainId'])} says ${config.chain.chainId}.`,
        {
          code: 'WRONG_CHAIN',
          remedy: 'halt',
          fault: 'usage',
          facts: { endpoint: rpc.label, found: chainId, configured: config.chain.chainId },
        },
      )
  } catch (error) {
    await close()
    throw error
  }
  return { rpc, direct, quotes, close }
}

export type OpenMarket = Awaited<ReturnType<typeof openMarket>>
