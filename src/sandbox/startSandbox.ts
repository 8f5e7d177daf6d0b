import { existsSync, mkdirSync, readFileSync, renameSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { Logger } from 'pino'
import { keccak256 } from 'viem'
import { getCode } from '../chain/calls/account.ts'
import { createRpc } from '../chain/rpc/createRpc.ts'
import type { Rpc } from '../chain/rpc/rpc.ts'
import type { Clock } from '../core/clock.ts'
import { ballastError } from '../core/errors.ts'
import { printJson } from '../core/json.ts'
import { type Accounts, accountsOf } from './accounts.ts'
import { assertOwnFolder } from './assertOwnFolder.ts'
import { deployWorld, worldHash } from './deployWorld.ts'
import { holdDataDir } from './holdDataDir.ts'
import {
  type Deployment,
  deploymentSchema,
  type ReadyDocument,
  readyDocument,
} from './readyDocument.ts'
import { replaceFile } from './replaceFile.ts'
import { anvilCalls, startAnvil } from './startAnvil.ts'
import { startMarket } from './startMarket.ts'
import { startSecondEndpoint } from './startSecondEndpoint.ts'
import type { SandboxWorld } from './world.ts'
import { type Example, writeConfig } from './writeConfig.ts'

/** A running embedded market. */
export type Sandbox = {
  /** What `sandbox --json` prints. */
  readonly ready: ReadyDocument
  /** Whether the data directory held this chain already. */
  readonly continued: boolean
  /** Settles when the chain is gone, no matter who ended it. */
  readonly ended: Promise<void>
  close(): Promise<void>
}

export type SandboxOptions = {
  readonly world: SandboxWorld
  /** Holds the chain between starts, the deployment record, and the configuration for a bot. */
  readonly dataDir: string
  /** Of the service; 0 or absent: a free one. */
  readonly port?: number
  /** Of the chain; 0 or absent: a free one. */
  readonly rpcPort?: number
  /** Base the chain on another one. Its state is then not kept between starts. */
  readonly forkUrl?: string
  /** What the written configuration trades; without it, two strategies in the first pool's pair. */
  readonly example?: Example
  /** States of past blocks to keep. */
  readonly statesMax?: number
  readonly clock: Clock
  readonly log: Logger
}

/** In memory and none on disk: there each takes two megabytes, and outlives a process that was killed. */
const statesUsual = 1_000

/** Starts chain, contracts, pools, makers, prices and service. A data directory that has them is continued. */
export async function startSandbox(options: SandboxOptions): Promise<Sandbox> {
  const { world, port, rpcPort, forkUrl, statesMax = statesUsual, example, clock, log } = options
  const dataDir = resolve(options.dataDir)
  assertOwnFolder(dataDir, world)
  mkdirSync(dataDir, { recursive: true })
  const accounts = accountsOf(world)
  await using opened = new AsyncDisposableStack()
  const hold = await holdDataDir(dataDir, { clock })
  const record = forkUrl === undefined ? readRecord(dataDir, world) : undefined
  const stateFile = join(dataDir, 'chain.json')
  // Nobody knows what is on a chain without its record, and a wallet that has sent there has another journal.
  if (forkUrl === undefined && record === undefined && existsSync(stateFile))
    renameSync(stateFile, `${stateFile}.before`)
  const anvil = await startAnvil({
    ...(forkUrl === undefined
      ? { stateFile, chainId: world.chain.chainId }
      : { forkUrl, chainId: world.chain.chainId }),
    ...(rpcPort === undefined ? {} : { port: rpcPort }),
    statesMax,
  })
  hold.by(anvil.pid)
  opened.defer(() => hold.release())
  opened.defer(anvil.close)
  const rpc = createRpc({ url: anvil.rpcUrl })
  opened.defer(rpc.close)
  await rpc.request(anvilCalls.silence)
  const { deployment, continued } = await attachOrDeploy(rpc, { record, world, accounts })
  // A loaded chain has no state before its last block: these give what looks a few blocks back something to find.
  if (continued) await rpc.batch(Array.from({ length: 11 }, () => anvilCalls.mine))
  replaceFile(recordFile(dataDir), `${printJson(deployment)}\n`)
  await rpc.request(anvilCalls.mineEvery(world.chain.blockTimeSeconds))

  const market = await startMarket({
    rpc,
    world,
    accounts,
    deployment,
    clock,
    log,
    ...(port === undefined ? {} : { port }),
  })
  opened.defer(market.close)
  const ready = readyDocument({
    world,
    accounts,
    deployment,
    rpcUrl: anvil.rpcUrl,
    serviceUrl: market.serviceUrl,
    config: join(dataDir, 'ballast.yaml'),
  })
  // A chosen port of the chain chooses this one too, so that a copied configuration stays right: 8545 and 8547.
  const second = await startSecondEndpoint(anvil.rpcUrl, { port: secondPort(rpcPort) })
  opened.defer(second.close)
  writeConfig({ dataDir, world, deployment, ready, witnessUrl: second.url, example })
  log.info(
    { rpcUrl: ready.rpcUrl, serviceUrl: ready.serviceUrl, continued },
    'the sandbox is ready',
  )
  const owned = opened.move()
  return { ready, continued, ended: anvil.ended, close: () => owned.disposeAsync() }
}

const secondPort = (chosen = 0) => (chosen === 0 || chosen > 65_533 ? 0 : chosen + 2)

const recordFile = (dataDir: string) => join(dataDir, 'deployment.json')

/** Undefined where there is nothing to continue. Another world's chain is never overwritten. */
function readRecord(dataDir: string, world: SandboxWorld): Deployment | undefined {
  const file = recordFile(dataDir)
  if (!existsSync(file) || !existsSync(join(dataDir, 'chain.json'))) return undefined
  const written = parsed(readFileSync(file, 'utf8'))
  if (written === undefined) return undefined
  const record = deploymentSchema.safeParse(written)
  if (record.success && record.data.worldHash === worldHash(world)) return record.data
  throw ballastError('OTHER_WORLD', 'The data directory holds another world.', {
    dataDir,
    cure: 'delete it or choose another --data-dir',
  })
}

/** Undefined where a start was killed while it wrote, as earlier versions could be. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

async function attachOrDeploy(
  rpc: Rpc,
  {
    record,
    world,
    accounts,
  }: { record: Deployment | undefined; world: SandboxWorld; accounts: Accounts },
): Promise<{ deployment: Deployment; continued: boolean }> {
  const code = record === undefined ? '0x' : await rpc.request(getCode(record.router))
  // Where the record outlived the chain, anvil found no state to load: an empty chain to build on.
  if (record === undefined || code === '0x' || keccak256(code) !== record.routerCodeHash)
    return { deployment: await deployWorld(rpc, { world, accounts }), continued: false }
  return { deployment: record, continued: true }
}
