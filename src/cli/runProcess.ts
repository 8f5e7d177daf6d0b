import { strayText } from '../bot/strategy/callStrategy.ts'
import { fileOfPromise } from '../bot/strategy/worlds.ts'
import { processEnvironment } from '../config/file/variables.ts'
import { aborted } from '../core/aborted.ts'
import { monotonic, systemClock } from '../core/clock.ts'
import { exitCodes } from './exitCodes.ts'
import { reportFailure } from './reportFailure.ts'
import { runCli } from './runCli.ts'
import { createStandardInput } from './standardInput.ts'
import { createTerminal } from './terminal.ts'

/** Connects the command line to this process: arguments, streams, signals, exit code. */
export async function runProcess(): Promise<never> {
  const argv = process.argv.slice(2)
  const environment = processEnvironment()
  const { stdout, stderr } = process
  const terminal = createTerminal({ stdout, stderr, columns: wholeColumns(environment.COLUMNS) })
  let lost: string | undefined
  for (const stream of [stdout, stderr]) {
    keepMoving(stream)
    stream.on('error', ({ code = '' }: NodeJS.ErrnoException) => {
      if (code === 'EPIPE') return
      if (!full.includes(code) || stream.isTTY) process.exit(exitCodes.internal)
      if (stream === stdout) lost = code
    })
  }

  const stop = new AbortController()
  let interrupted = false
  let stopMs = Number.POSITIVE_INFINITY
  for (const name of ['SIGINT', 'SIGTERM'] as const)
    process.on(name, () => {
      // A second Ctrl-C is impatience. One that comes with the first is the same, passed on by npm; so is a SIGTERM.
      if (name === 'SIGINT' && monotonic() - stopMs > 500) process.exit(exitCodes.interrupted)
      interrupted ||= name === 'SIGINT'
      stopMs = Math.min(stopMs, monotonic())
      stop.abort()
    })
  let halt = new AbortController()
  const firstHalt = halt.signal
  process.on('SIGUSR2', () => {
    const due = halt
    halt = new AbortController()
    due.abort()
  })
  // Started by `ballast demo`: when that dies, however it dies, so does its bot.
  process.once('disconnect', () => stop.abort())
  if (environment.npm_command !== undefined) void parentGone().then(() => stop.abort())
  // Node would print the stack by itself, past the filter for secrets.
  const end = (failure: unknown) => {
    const debug = environment.LOG_LEVEL === 'debug'
    process.exit(reportFailure(failure, { terminal, json: argv.includes('--json'), debug }))
  }
  process.on('uncaughtException', end)
  const warned = new Set<string>()
  process.on('unhandledRejection', (failure, promise) => {
    const file = fileOfPromise(promise)
    if (file === undefined) return end(failure)
    // Its answer was another, and is judged by itself. Once for each file: it may leave one behind at every look.
    if (warned.has(file)) return
    warned.add(file)
    terminal.note(`ballast: ${strayText(failure, file)}`)
  })

  const code = await runCli({
    argv,
    environment,
    cwd: process.cwd(),
    terminal,
    stdin: createStandardInput(process.stdin),
    signal: stop.signal,
    isInterrupted: () => interrupted,
    halt: firstHalt,
    nextHalt: () => halt.signal,
    // At a terminal it means that the terminal is gone, and ends the process as it always did.
    onHangUp(listener) {
      if (!stdout.isTTY) process.on('SIGHUP', listener)
    },
    clock: systemClock,
  })
  // The requested output waits as long as its reader takes, unless the process is to stop; logs do not.
  await Promise.race([flushed(stdout), aborted(stop.signal).then(patience)])
  if (lost !== undefined)
    terminal.note(`ballast: Not all of the output could be written (${lost}).`)
  await Promise.race([flushed(stderr), patience()])
  process.exit(lost === undefined || code !== 0 || runsBot(argv) ? code : exitCodes.internal)
}

/** What a bot says while it runs is no result of a command: it ends as it would have. */
const runsBot = (argv: readonly string[]): boolean =>
  argv.find((word) => !word.startsWith('-')) === 'run' &&
  !/ (?:-h|--help) /.test(` ${argv.join(' ')} `)

/** A disk that takes no more lines: a bot goes on all the same, since what it has signed is to be followed. */
const full = ['ENOSPC', 'EDQUOT', 'EIO']

/**
 * npm and npx start a program in a shell, which a signal to them ends without a word to the program: all that it notices
 * is another parent. One who starts it without npm may leave it alone on purpose.
 */
async function parentGone(): Promise<void> {
  const parent = process.ppid
  while (process.ppid === parent) await systemClock.sleep(250)
}

/** `COLUMNS=200 ballast history | grep …` keeps a row on one line. */
const wholeColumns = (text = '') => (/^\d{1,5}$/.test(text) ? Number(text) : undefined)

/** For a reader who may have stopped reading. */
const patience = () => systemClock.sleep(1_000)

/**
 * Node waits for the reader of a pipe with every line it writes. One who stops reading, such as a log collector that is
 * stuck, would hold up signatures, kill switch and all.
 */
function keepMoving(stream: NodeJS.WriteStream): void {
  if (stream.isTTY) return
  const { _handle } = stream as { _handle?: { setBlocking?: (on: boolean) => unknown } | null }
  _handle?.setBlocking?.(false)
}

/** Resolves when everything written has left, and what did not is known; also when the reader is gone. */
async function flushed(stream: NodeJS.WriteStream): Promise<void> {
  if (stream.writable) await new Promise<void>((resolve) => stream.write('', () => resolve()))
  await new Promise(setImmediate)
}
