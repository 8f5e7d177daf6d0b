import { marketOf } from '../../src/app/service/marketOf.ts'
import { readServiceConfig } from '../../src/config/service/readServiceConfig.ts'
import { systemClock } from '../../src/core/clock.ts'
import { createService, type ServiceOptions } from '../../src/service/createService.ts'
import type { Fork } from './forkOrigin.ts'
import { silent } from './silent.ts'
import { writeDesk } from './writeDesk.ts'

/** A second quoting service over a fork's chain, with keys, limits and a clock of the test's own. */
export async function serveDesk(
  fork: Fork,
  options: Partial<ServiceOptions> = {},
  desk: Readonly<Record<string, unknown>> = {},
) {
  const config = readServiceConfig({ ...writeDesk(fork, desk), cwd: fork.dataDir })
  const service = createService({
    market: marketOf(config, { clock: systemClock, log: silent }).market,
    rpc: fork.rpc,
    apiKeys: [],
    clock: systemClock,
    log: silent,
    ...options,
  })
  return { service, serviceUrl: await service.listen() }
}
