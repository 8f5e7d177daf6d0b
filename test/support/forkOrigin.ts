import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { inject } from 'vitest'
import { createRpc } from '../../src/chain/rpc/createRpc.ts'
import type { Rpc } from '../../src/chain/rpc/rpc.ts'
import { type Clock, systemClock } from '../../src/core/clock.ts'
import { accountsOf } from '../../src/sandbox/accounts.ts'
import { type ReadyDocument, readyDocument } from '../../src/sandbox/readyDocument.ts'
import { anvilCalls, startAnvil } from '../../src/sandbox/startAnvil.ts'
import { startMarket } from '../../src/sandbox/startMarket.ts'
import type { SandboxWorld } from '../../src/sandbox/world.ts'
import { writeConfig } from '../../src/sandbox/writeConfig.ts'
import { silent } from './silent.ts'
import { fixedWorld } from './world.ts'

/** One test file's own market: a fork of the prepared origin and a quoting service over it. */
export type Fork = {
  readonly ready: ReadyDocument
  readonly rpc: Rpc
  readonly world: SandboxWorld
  /** Holds `ballast.yaml` and `.env`; removed by close. */
  readonly dataDir: string
  close(): Promise<void>
}

type Options = {
  /** `interval` mines a block per second; `auto` one for each transaction, at once. */
  readonly mining?: 'interval' | 'auto'
  /** Changes what is not deployed: books, prices, the service's settings. */
  readonly world?: (world: SandboxWorld) => SandboxWorld
  readonly clock?: Clock
}

/** An automined chain may stand still for as long as a test takes; the service must not call it stale. */
const patientBlockTimeSeconds = 600

/** Starts them in about 100 ms. Close it in `afterAll`. */
export async function forkOrigin({
  mining = 'interval',
  world: change = (same) => same,
  clock = systemClock,
}: Options = {}): Promise<Fork> {
  const { rpcUrl: forkUrl, deployment } = inject('origin')
  const changed = change(fixedWorld())
  const world: SandboxWorld =
    mining === 'auto'
      ? { ...changed, chain: { ...changed.chain, blockTimeSeconds: patientBlockTimeSeconds } }
      : changed
  const accounts = accountsOf(world)
  const anvil = await startAnvil({ forkUrl })
  const rpc = createRpc({ url: anvil.rpcUrl })
  // A fork continues the origin's time, which stands still.
  const [, time, mine] = await rpc.batch([
    anvilCalls.silence,
    anvilCalls.setTime(Math.floor(clock.now() / 1_000)),
    mining === 'auto' ? anvilCalls.mineAtOnce : anvilCalls.mineEvery(world.chain.blockTimeSeconds),
    anvilCalls.mine,
  ])
  if (!time.ok) throw time.error
  if (!mine.ok) throw mine.error
  const market = await startMarket({ rpc, world, accounts, deployment, clock, log: silent })
  const dataDir = await mkdtemp(join(tmpdir(), 'ballast-'))
  const ready = readyDocument({
    world,
    accounts,
    deployment,
    rpcUrl: anvil.rpcUrl,
    serviceUrl: market.serviceUrl,
    config: join(dataDir, 'ballast.yaml'),
  })
  writeConfig({ dataDir, world, deployment, ready })
  return {
    ready,
    rpc,
    world,
    dataDir,
    async close() {
      await market.close()
      await rpc.close()
      await anvil.close()
      await rm(dataDir, { recursive: true, force: true })
    },
  }
}
