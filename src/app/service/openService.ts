import type { Logger } from 'pino'
import { createRpc } from '../../chain/rpc/createRpc.ts'
import type { ServiceConfig } from '../../config/service/readServiceConfig.ts'
import type { Clock } from '../../core/clock.ts'
import { createService } from '../../service/createService.ts'
import { examineChain } from './examineChain.ts'
import { followKeys } from './followKeys.ts'
import { marketOf } from './marketOf.ts'

/** A quoting service of its own, listening. */
type OpenService = {
  readonly serviceUrl: string
  close(): Promise<void>
}

/** Starts what a configuration describes; undoes what it started when it cannot. */
export async function openService(
  config: ServiceConfig,
  { port, clock, log }: { port: number | undefined; clock: Clock; log: Logger },
): Promise<OpenService> {
  const { keysFile, rateLimit, errorStyle, listen } = config
  const rpc = createRpc({ url: config.chain.rpcUrl.reveal() })
  const undo: (() => Promise<void>)[] = [rpc.close]
  const close = async () => {
    for (const each of undo.splice(0).reverse()) await each()
  }
  try {
    await examineChain(rpc, config)
    const { market, close: closeMakers } = marketOf(config, { clock, log })
    undo.push(closeMakers)
    const service = createService({ market, rpc, apiKeys: [], rateLimit, errorStyle, clock, log })
    undo.push(service.close)
    if (keysFile !== undefined) {
      const keys = followKeys(service, { file: keysFile, clock, log })
      undo.push(keys.stop)
    }
    const serviceUrl = await service.listen({ host: listen.host, port: port ?? listen.port })
    return { serviceUrl, close }
  } catch (error) {
    await close()
    throw error
  }
}
