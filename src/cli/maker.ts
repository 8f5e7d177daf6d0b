import { openMaker } from '../app/maker/openMaker.ts'
import { createLog } from '../bot/report/createLog.ts'
import { readMakerConfig } from '../config/maker/readMakerConfig.ts'
import { aborted } from '../core/aborted.ts'
import { defineStreaming } from './command.ts'
import type { Invocation } from './invocation.ts'
import { wholeNumber } from './options.ts'

export const command = defineStreaming({
  name: 'maker',
  summary: 'one market maker of its own, which quoting services ask for levels and signatures',
  example: 'ballast maker --config maker.yaml --port 9000',
  // A maker's file is not the bot's: without --config it is looked for under its own name.
  defaultFile: 'maker.yaml',
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
    await using opened = new AsyncDisposableStack()
    const { url, address } = opened.adopt(
      options.world === undefined
        ? await openConfigured(invocation)
        : await (await import('../app/maker/openSandboxed.ts')).openSandboxed(invocation, options),
      (maker) => maker.close(),
    )
    if (json) terminal.jsonLine({ ready: true, url, address })
    else terminal.event(`maker    ${url}\naddress  ${address}\nCtrl-C ends it.`)
    await aborted(signal)
    return undefined
  },
})

type Call = Pick<
  Invocation,
  'configFile' | 'environment' | 'cwd' | 'clock' | 'terminal' | 'logLevel'
> & {
  readonly options: { readonly port: number | undefined }
}

function openConfigured({
  options,
  configFile,
  environment,
  cwd,
  clock,
  terminal,
  logLevel,
}: Call) {
  const config = readMakerConfig({ file: configFile, environment, cwd })
  const log = createLog({ level: logLevel ?? config.logLevel, sink: terminal.log })
  return openMaker(config, { port: options.port, clock, log })
}
