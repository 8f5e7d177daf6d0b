import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { createLog } from '../bot/report/createLog.ts'
import { createRpc } from '../chain/rpc/createRpc.ts'
import { readMakerConfig } from '../config/maker/readMakerConfig.ts'
import { BallastError } from '../core/errors.ts'
import { compactJson } from '../core/json.ts'
import { accountsOf } from '../sandbox/accounts.ts'
import { deploymentSchema } from '../sandbox/deployment.ts'
import { readWorld } from '../sandbox/readWorld.ts'
import { startMaker } from '../sandbox/startMaker.ts'
import { defineCommand, type Invocation } from './command.ts'
import { openMaker } from './maker/openMaker.ts'
import { wholeNumber } from './wholeNumber.ts'

/** A maker's file is not the bot's: where nobody named one, it is looked for under its own name. */
const botFile = 'ballast.yaml'
const makerFile = 'maker.yaml'

export const command = defineCommand({
  name: 'maker',
  summary: 'one market maker of its own, which quoting services ask for levels and signatures',
  example: 'ballast maker --config maker.yaml --port 9000',
  options: {
    port: {
      flags: '--port <n>',
      summary: 'listen here instead of listen.port; 0 is a free one',
      read: wholeNumber({ name: '--port', min: 0, max: 65_535 }),
    },
    world: { flags: '--world <file>', summary: 'a maker of a sandbox instead of one of its own' },
    name: { flags: '--name <maker>', summary: 'which maker of the world' },
    dataDir: { flags: '--data-dir <dir>', summary: 'of the sandbox that runs the world' },
    rpcUrl: { flags: '--rpc-url <url>', summary: 'the chain of that sandbox' },
  },
  async run(invocation) {
    const { options, json, signal, terminal } = invocation
    const { url, address, close } =
      options.world === undefined
        ? await openConfigured(invocation)
        : await openSandboxed(invocation, options)
    terminal.out(
      json
        ? compactJson({ ready: true, url, address })
        : `maker    ${url}\naddress  ${address}\nCtrl-C ends it.`,
    )
    await new Promise<void>((done) => {
      if (signal.aborted) done()
      signal.addEventListener('abort', () => done(), { once: true })
    })
    await close()
  },
})

type Call = Pick<Invocation, 'configFile' | 'environment' | 'cwd' | 'clock' | 'terminal'> & {
  readonly options: { readonly port: number | undefined }
}

function openConfigured({ options, configFile, environment, cwd, clock, terminal }: Call) {
  const file = configFile === botFile ? makerFile : configFile
  const config = readMakerConfig({ file, environment, cwd })
  const log = createLog({ level: config.logLevel, sink: terminal.note })
  return openMaker(config, { port: options.port, clock, log })
}

async function openSandboxed(
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
    throw usage('A maker of a sandbox needs --world, --name, --data-dir and --rpc-url.')
  const world = readWorld(resolve(cwd, file))
  const accounts = accountsOf(world)
  const deployment = readDeployment(join(resolve(cwd, dataDir), 'deployment.json'))
  const rpc = createRpc({ url: rpcUrl })
  const log = createLog({ level: 'warn', sink: terminal.note })
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
    throw usage('That data directory holds no sandbox: start one there first.', { file }, cause)
  }
}

function usage(summary: string, facts: Record<string, string> = {}, cause?: unknown) {
  return new BallastError(summary, { code: 'USAGE', remedy: 'halt', fault: 'usage', facts, cause })
}
