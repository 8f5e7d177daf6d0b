import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync, renameSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createLog } from '../bot/report/createLog.ts'
import { compactJson } from '../core/json.ts'
import { daySeconds } from '../core/spans.ts'
import { readWorld } from '../sandbox/readWorld.ts'
import { type Sandbox, startSandbox } from '../sandbox/startSandbox.ts'
import { defineStreaming } from './command.ts'
import type { Invocation } from './invocation.ts'
import { wholeNumber } from './options.ts'

const options = {
  seconds: {
    flags: '--seconds <n>',
    summary: 'end by itself after so long',
    read: wholeNumber({ name: '--seconds', min: 1, max: daySeconds }),
  },
  port: {
    flags: '--port <n>',
    summary: 'of the status page (8787)',
    read: wholeNumber({ name: '--port', min: 0, max: 65_535 }),
  },
  dataDir: { flags: '--data-dir <folder>', summary: 'chain and journal (.ballast/demo)' },
} as const

type DemoInvocation = Invocation<typeof options>

const shippedWorld = fileURLToPath(new URL('../sandbox/world.yaml', import.meta.url))

/**
 * A bot makes little garbage: V8's usual room for it would double its memory. And it holds a key: no signal may open
 * Node's inspector on it, not even before `main.ts` has taken that signal away.
 */
const nodeFlags = ['--max-semi-space-size=2', '--disable-sigusr1']

/** A child that has not ended this long after the request to end is ended. */
const patienceMs = 15_000

export const command = defineStreaming({
  name: 'demo',
  summary: 'market, bot and dashboard on this machine, nothing needed',
  example: 'ballast demo --seconds 60',
  options,
  async run(invocation): Promise<number> {
    const { options, clock, cwd, terminal, signal, json } = invocation
    const say = json ? terminal.note : terminal.out
    const dataDir = resolve(cwd, options.dataDir ?? '.ballast/demo')
    const log = createLog({ level: 'warn', sink: terminal.note })
    say('Starting the embedded market …')
    const sandbox = await startSandbox({ world: readWorld(shippedWorld), dataDir, clock, log })
    try {
      const { chainId, rpcUrl, serviceUrl } = sandbox.ready
      if (json) terminal.out(compactJson(sandbox.ready))
      say(`SANDBOX chain ${chainId} at ${rpcUrl} · service at ${serviceUrl} · prices are synthetic`)
      setAside(sandbox, invocation)
      return await runBot(sandbox, invocation)
    } finally {
      await sandbox.close()
      if (signal.aborted) say(`Stopped. The next start continues from ${dataDir}.`)
    }
  },
})

/** A journal of a chain that is gone explains nothing about the new one. It is kept under another name. */
function setAside({ continued, ready }: Sandbox, { terminal, clock }: DemoInvocation): void {
  const journal = join(dirname(ready.config), 'ballast.db')
  if (continued || !existsSync(journal)) return
  const suffix = `.before-${Math.floor(clock.now() / 1_000)}`
  for (const end of ['', '-wal', '-shm'])
    if (existsSync(journal + end)) renameSync(journal + end, `${journal}${suffix}${end}`)
  terminal.note(`The chain is new: the old journal is now ${journal}${suffix}`)
}

/** The bot is its own process, as it would be for real: it holds the key, the market does not. */
async function runBot(
  { ready, ended }: Sandbox,
  { options, signal, clock, json, terminal }: DemoInvocation,
): Promise<number> {
  const port = options.port === undefined ? [] : ['--port', String(options.port)]
  const child = spawn(
    process.execPath,
    [
      ...nodeFlags,
      process.argv[1] ?? '',
      'run',
      '--config',
      ready.config,
      ...port,
      ...(json ? ['--json'] : []),
    ],
    { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] },
  )
  const stop = new AbortController()
  const stopping = AbortSignal.any([signal, stop.signal])
  const over = new Promise<number>((done) => {
    child.on('exit', (code, signal) => {
      if (!stopping.aborted)
        terminal.note(
          `The bot ended by itself (${signal ?? `exit ${code}`}); the market stops too.`,
        )
      done(code ?? 1)
    })
  })
  stopping.addEventListener('abort', () => void end(child, clock))
  void ended.then(() => stop.abort())
  const { seconds } = options
  if (seconds !== undefined)
    void clock.sleep(seconds * 1_000, stopping).then(
      () => stop.abort(),
      // Aborted: the bot is being stopped already.
      () => {},
    )
  const code = await over
  const asked = stopping.aborted
  stop.abort()
  return asked ? 0 : code
}

async function end(child: ChildProcess, clock: Invocation['clock']): Promise<void> {
  if (child.exitCode !== null) return
  child.kill('SIGTERM')
  await clock.sleep(patienceMs)
  if (child.exitCode === null) child.kill('SIGKILL')
}
