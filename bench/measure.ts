import { type ChildProcess, spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
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
  return { ms, child, said, end }
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

/** The median of a few runs: one figure on a shared machine says little. */
export const median = (figures: readonly number[]) =>
  [...figures].sort((a, b) => a - b)[Math.floor(figures.length / 2)] ?? Number.NaN

function launch(args: readonly string[]): ChildProcess {
  return spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] })
}
