import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { createLog } from '../../bot/report/createLog.ts'
import { createRpc } from '../../chain/rpc/createRpc.ts'
import type { Clock } from '../../core/clock.ts'
import { usageError } from '../../core/errors.ts'
import { accountsOf } from '../../sandbox/accounts.ts'
import { readWorld } from '../../sandbox/readWorld.ts'
import { deploymentSchema } from '../../sandbox/readyDocument.ts'
import { startMaker } from '../../sandbox/startMaker.ts'

type Call = {
  readonly cwd: string
  readonly clock: Clock
  readonly terminal: { readonly log: (line: string) => void }
}

/** Serves a maker of a sandbox: its key and its books are those of the world file. */
export async function openSandboxed(
  { cwd, clock, terminal }: Call,
  {
    world: file,
    name,
    dataDir,
    rpcUrl,
    port,
  }: {
    readonly world: string | undefined
    readonly name: string | undefined
    readonly dataDir: string | undefined
    readonly rpcUrl: string | undefined
    readonly port: number | undefined
  },
) {
  if (file === undefined || name === undefined || dataDir === undefined || rpcUrl === undefined)
    throw usageError('A maker of a sandbox needs --world, --name, --data-dir and --rpc-url.')
  const world = readWorld(resolve(cwd, file))
  const accounts = accountsOf(world)
  const deployment = readDeployment(join(resolve(cwd, dataDir), 'deployment.json'))
  const rpc = createRpc({ url: rpcUrl })
  const log = createLog({ level: 'warn', sink: terminal.log })
  const running = await startMaker({ rpc, world, accounts, deployment, name, port, clock, log })
  const address = accounts.makers.get(name)?.account.address
  return {
    url: running.url,
    address,
    async close() {
      await running.close()
      await rpc.close()
    },
  }
}

function readDeployment(file: string) {
  try {
    return deploymentSchema.parse(JSON.parse(readFileSync(file, 'utf8')))
  } catch (cause) {
    throw usageError(
      'That data directory holds no sandbox: start one there first.',
      { file },
      cause,
    )
  }
}
