import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { closeSync, fdatasyncSync, openSync, readFileSync, statSync, writeSync } from 'node:fs'
import { performance } from 'node:perf_hooks'

/** Wall-clock milliseconds of a whole command, and what it printed. */
export async function timed(args: readonly string[]): Promise<{ ms: number; stdout: string }> {
  const started = performance.now()
  const child = launch(args)
  let stdout = ''
  child.stdout?.on('data', (chunk) => {
    stdout += chunk
  })
  await new Promise((resolve) => child.on('close', resolve))
  return { ms: performance.now() - started, stdout }
}

/** Starts a command and tells how long it took to say something; it goes on running. */
export async function untilSaid(args: readonly string[], text: RegExp) {
  const started = performance.now()
  const child = launch(args)
  let stdout = ''
  child.stdout?.on('data', (chunk) => {
    stdout += chunk
  })
  const said = (text: RegExp) =>
    new Promise<void>((resolve, reject) => {
      const look = () => {
        if (text.test(stdout)) resolve()
      }
      look()
      child.stdout?.on('data', look)
      child.on('close', () => reject(new Error(`ended without saying ${text}:\n${stdout}`)))
    })
  await said(text)
  const ms = performance.now() - started
  const end = async () => {
    child.removeAllListeners('close')
    const closed = new Promise((resolve) => child.on('close', resolve))
    child.kill('SIGTERM')
    await closed
  }
  return { ms, child, said, stdout: () => stdout, end }
}

/** Resident megabytes of a process, as Linux accounts them; undefined elsewhere. */
export function residentMb(pid: number): number | undefined {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8')
    return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1_024
  } catch {
    // Not Linux, or the process is gone: there is nothing to show.
    return undefined
  }
}

/** Processor time of all threads of a process, user's and system's. */
export function processorMs(pid: number): number {
  const [, fields = ''] = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')
  const [user, system] = fields.split(' ').slice(11, 13)
  const ticksPerSecond = Number(execFileSync('getconf', ['CLK_TCK'], { encoding: 'utf8' }))
  return ((Number(user) + Number(system)) / ticksPerSecond) * 1_000
}

/** The median of a few runs: one figure on a shared machine says little. */
export const median = (figures: readonly number[]) =>
  [...figures].sort((a, b) => a - b)[Math.floor(figures.length / 2)] ?? Number.NaN

function launch(args: readonly string[]): ChildProcess {
  return spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] })
}

/** Bytes in the write-ahead log of a database of SQLite. It grows with every commit until it is first taken over. */
export const logBytes = (path: string): number =>
  statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0

/** The floor of a commit: appends so many bytes to a file and waits until they are on the disk. Milliseconds a call. */
export function startAppends(path: string) {
  const file = openSync(path, 'a')
  return {
    append(bytes: number): number {
      const begun = performance.now()
      writeSync(file, Buffer.alloc(bytes, 1))
      fdatasyncSync(file)
      return performance.now() - begun
    },
    close: () => closeSync(file),
  }
}
