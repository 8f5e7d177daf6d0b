import { basename, join, resolve } from 'node:path'
import { createLog } from '../bot/report/createLog.ts'
import { aborted } from '../core/aborted.ts'
import { ballastError } from '../core/errors.ts'
import { secret, secretUrl } from '../core/secret.ts'
import { shellWord } from '../core/shellWord.ts'
import { readWorld } from '../sandbox/readWorld.ts'
import type { ReadyDocument } from '../sandbox/readyDocument.ts'
import { shippedWorld } from '../sandbox/shippedFile.ts'
import { startSandbox } from '../sandbox/startSandbox.ts'
import { defineStreaming } from './command.ts'
import { wholeNumber } from './options.ts'

export const command = defineStreaming({
  name: 'sandbox',
  summary: 'the embedded market alone: chain, pools, makers, quoting service',
  example: 'ballast sandbox --data-dir .ballast/market --port 8788',
  options: {
    world: { flags: '--world <file>', summary: 'the market to start; without it, the one we ship' },
    dataDir: {
      flags: '--data-dir <dir>',
      summary: 'keeps the chain between starts; without it, .ballast/sandbox/<world>',
    },
    port: {
      flags: '--port <n>',
      summary: 'of the quoting service; without it, a free one',
      read: wholeNumber({ name: '--port', min: 0, max: 65_535 }),
    },
    rpcPort: {
      flags: '--rpc-port <n>',
      summary: 'of the chain; without it, a free one',
      read: wholeNumber({ name: '--rpc-port', min: 0, max: 65_535 }),
    },
    forkUrl: {
      flags: '--fork-url <url>',
      summary: 'build on the state of this chain; a list of processes shows the URL',
      read: readForkUrl,
    },
  },
  async run({ options, json, cwd, clock, signal, terminal, logLevel }) {
    const file = options.world === undefined ? shippedWorld() : resolve(cwd, options.world)
    const world = readWorld(file)
    const name = basename(file).replace(/\.ya?ml$/, '')
    const dataDir = resolve(cwd, options.dataDir ?? join('.ballast', 'sandbox', name))
    const log = createLog({ level: logLevel ?? 'warn', sink: terminal.log })
    const { ready, ended, close } = await startSandbox({
      world,
      dataDir,
      clock,
      log,
      ...(options.port === undefined ? {} : { port: options.port }),
      ...(options.rpcPort === undefined ? {} : { rpcPort: options.rpcPort }),
      ...(options.forkUrl === undefined ? {} : { forkUrl: options.forkUrl }),
    })
    // Its keys are published development keys, and the person who starts a sandbox needs them.
    if (json) terminal.jsonLine(ready)
    else terminal.event(describe(ready, world.prices !== undefined))

    const stopped = aborted(signal).then(() => 'stopped' as const)
    const end = await Promise.race([stopped, ended])
    await close()
    if (end === 'stopped') return undefined
    throw ballastError('CHAIN_ENDED', 'The chain of the sandbox ended by itself.')
  },
})

/** The URL as anvil takes it, with a block behind an @ or without; what may be a key in it is printed nowhere. */
function readForkUrl(text: string): string {
  const url = text.replace(/@\d+$/, '')
  // A name alone, or a host, holds none.
  if (/[/@?]/.test(url)) void (URL.canParse(url) ? secretUrl : secret)(url)
  return text
}

function describe({ rpcUrl, serviceUrl, tokens, config }: ReadyDocument, moving: boolean): string {
  return [
    `quotes   ${serviceUrl}/v1`,
    `chain    ${rpcUrl}`,
    `tokens   ${Object.keys(tokens).join(' ')}`,
    `prices   ${moving ? 'synthetic: a seeded random walk' : 'fixed'}`,
    `config   ${config}`,
    '',
    `try      ballast run --config ${shellWord(config)}`,
    'Ctrl-C ends it.',
  ].join('\n')
}
