import { type ChildProcess, spawn } from 'node:child_process'

type Options = {
  readonly env?: Readonly<Record<string, string>>
  readonly cwd?: string
  /** A module that is loaded before the command. */
  readonly preload?: string
  /** A build of the program; without it, the one of this test run. */
  readonly main?: string
  /** What is piped in; nothing is read from the terminal of the tests. */
  readonly stdin?: string
}

/** A command that ended: what it printed and its exit code. */
export type Ended = {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
  readonly stdout: string
  readonly stderr: string
}

/** A user's environment without anything of Ballast's in it. */
function inherited(): Record<string, string> {
  const names = ['PATH', 'HOME', 'TMPDIR', 'NODE_COMPILE_CACHE']
  return Object.fromEntries(
    names.flatMap((name) => {
      const value = process.env[name]
      return value === undefined ? [] : [[name, value]]
    }),
  )
}

const source = new URL('../../src/main.ts', import.meta.url).pathname

/** The embedded market is not part of a release. */
const sourceOnly = ['demo', 'drill', 'maker', 'sandbox']

/** The release where the run has built one, and knows the command; the source otherwise. */
function mainOf([command = '']: readonly string[]): string {
  return sourceOnly.includes(command) ? source : (process.env.BALLAST_RELEASE ?? source)
}

/** Starts `ballast …` as a user would: its own process, its own environment. */
export function startBallast(
  args: readonly string[],
  { env = {}, cwd, stdin, preload, main = mainOf(args) }: Options = {},
) {
  const child: ChildProcess = spawn(
    process.execPath,
    [...(preload === undefined ? [] : ['--import', preload]), main, ...args],
    {
      // Wide, so that a test of a sentence finds it on one line.
      env: { COLUMNS: '1000', ...inherited(), ...env },
      ...(cwd === undefined ? {} : { cwd }),
      stdio: [stdin === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe'],
    },
  )
  child.stdin?.end(stdin)
  let stdout = ''
  let stderr = ''
  child.stdout?.on('data', (chunk) => {
    stdout += chunk
  })
  child.stderr?.on('data', (chunk) => {
    stderr += chunk
  })
  const ended = new Promise<Ended>((resolve) => {
    child.on('close', (code, signal) => resolve({ code, signal, stdout, stderr }))
  })
  const heard = async (text: string | RegExp, said: () => string): Promise<string> => {
    for (;;) {
      const all = said()
      if (typeof text === 'string' ? all.includes(text) : text.test(all)) return all
      if (child.exitCode !== null || child.signalCode !== null)
        throw new Error(`ended without saying ${text}\n${stdout}\n${stderr}`)
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
  }
  return {
    child,
    ended,
    /** What stdout has so far. */
    said: () => stdout,
    /** Resolves when stdout has the text; rejects when the command ends without it. */
    says: (text: string | RegExp) => heard(text, () => stdout),
    /** The same of stderr. */
    warns: (text: string | RegExp) => heard(text, () => stderr),
  }
}

/** Runs `ballast …` to its end. */
export function runBallast(args: readonly string[], options?: Options): Promise<Ended> {
  return startBallast(args, options).ended
}
