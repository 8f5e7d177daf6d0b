import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync, renameSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { seedPast } from '../app/seedPast.ts'
import { lockJournal } from '../bot/journal/holdJournal.ts'
import { createLog } from '../bot/report/createLog.ts'
import { assertNoDatabase } from '../config/assertNoDatabase.ts'
import type { Config } from '../config/config.ts'
import { loadConfig } from '../config/loadConfig.ts'
import { daySeconds } from '../core/spans.ts'
import { demoExample, demoWorld } from '../sandbox/demoMarket.ts'
import { type Sandbox, startSandbox } from '../sandbox/startSandbox.ts'
import { defineStreaming } from './command.ts'
import { demoWelcome } from './demoWelcome.ts'
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
    const { options, clock, cwd, environment, terminal, signal, json, logLevel } = invocation
    const say = json ? terminal.note : terminal.event
    const dataDir = resolve(cwd, options.dataDir ?? '.ballast/demo')
    // The bot is handed the same environment, and reads the same files.
    assertNoDatabase({ environment, cwd, file: join(dataDir, 'ballast.yaml') })
    const log = createLog({ level: logLevel ?? 'warn', sink: terminal.log })
    say('Starting the embedded market …')
    const world = demoWorld()
    const sandbox = await startSandbox({
      world,
      example: demoExample,
      ...{ dataDir, clock, log },
    })
    try {
      const { ready, continued } = sandbox
      if (json) terminal.jsonLine(ready)
      const configFile = relative(cwd, ready.config)
      const program = environment.npm_command === undefined ? 'ballast' : 'npx ballast-bot'
      say(demoWelcome(ready, { port: options.port, continued, configFile, program }))
      setAside(sandbox, invocation)
      if (!sandbox.continued)
        await seedPast({ world, config: configOf(sandbox, invocation), clock })
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
  // A bot that still runs would go on writing to it under the other name.
  const lock = lockJournal(journal)
  try {
    for (const end of ['', '-wal', '-shm'])
      if (existsSync(journal + end)) renameSync(journal + end, `${journal}${suffix}${end}`)
  } finally {
    lock.release()
  }
  terminal.note(`The chain is new: the old journal is now ${journal}${suffix}`)
}

/** As the bot reads it. */
const configOf = ({ ready }: Sandbox, { environment, cwd }: DemoInvocation): Config =>
  loadConfig({ file: ready.config, environment, cwd, needs: 'market' })

/** The bot is its own process, as it would be for real: it holds the key, the market does not. */
async function runBot(
  { ready, ended }: Sandbox,
  { options, signal, clock, json, terminal, logLevel }: DemoInvocation,
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
      ...(logLevel === undefined ? [] : [logLevel === 'error' ? '--quiet' : '--verbose']),
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
