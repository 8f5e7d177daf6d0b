import type { Logger } from 'pino'
import type { Rpc } from '../chain/rpc/rpc.ts'
import type { Clock } from '../core/clock.ts'
import { ballastError } from '../core/errors.ts'
import { createSnapshots } from '../service/createSnapshots.ts'
import { createMakerVenue } from '../service/makers/createMakerVenue.ts'
import { createMakerServer } from '../service/makers/http/createMakerServer.ts'
import type { Accounts } from './accounts.ts'
import { createPrices } from './createPrices.ts'
import type { Deployment } from './readyDocument.ts'
import type { SandboxWorld } from './world.ts'
import { booksOf, tokensOf } from './writeConfig.ts'

/** One maker of a deployed world, serving by itself. */
export type RunningMaker = { readonly url: string; close(): Promise<void> }

/** Starts a maker of a world that is deployed already. The service finds it by the `url` the world gives it. */
export async function startMaker({
  rpc,
  world,
  accounts,
  deployment,
  name,
  port = 0,
  apiKey,
  clock,
  log,
}: {
  rpc: Rpc
  world: SandboxWorld
  accounts: Accounts
  deployment: Deployment
  name: string
  port?: number | undefined
  apiKey?: string | undefined
  clock: Clock
  log: Logger
}): Promise<RunningMaker> {
  const maker = world.makers.find((each) => each.name === name)
  const account = accounts.makers.get(name)?.account
  if (maker === undefined || account === undefined)
    throw ballastError('NO_SUCH_MAKER', `The world has no maker named ${name}.`, {
      makers: world.makers.map((each) => each.name).join(' '),
    })
  const { blockTimeSeconds } = world.chain
  const prices =
    world.prices === undefined
      ? undefined
      : createPrices({ prices: world.prices, blockTimeSeconds })
  const { router, chainId } = deployment
  const books = booksOf(maker, { tokens: tokensOf(world, deployment), prices, deployment })
  const venue = createMakerVenue({ name, account, router, books })
  const snapshots = createSnapshots({ rpc, venues: [venue], blockTimeSeconds, clock, log })
  const server = createMakerServer({
    address: account.address,
    chainId,
    router,
    snapshots,
    expiryMaxSeconds: world.service.maxExpirySeconds,
    apiKey,
    clock,
    log,
  })
  const close = async () => {
    await server.close()
    await snapshots.close()
  }
  try {
    return { url: await server.listen({ port }), close }
  } catch (err) {
    await close()
    throw err
  }
}
