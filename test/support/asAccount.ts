import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chownSync, existsSync, mkdirSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { pathToFileURL } from 'node:url'

/** An account that owns nothing here, and its group. */
export type Account = { readonly uid: number; readonly gid: number }

/** Whether a test can act as other accounts. */
export const mayActAsOthers = process.getuid?.() === 0

/** Node sees that it is a module. Where it is told, it takes the text of each worker of the program for one too. */
const argsOf = (script: string) => ['--no-warnings', '-e', script]

/** Each process compiles the program anew otherwise. What is kept of it is of its account alone, as Node wants it. */
function environmentOf({ uid, gid }: Account): NodeJS.ProcessEnv {
  const { PATH, TMPDIR } = process.env
  const compiled = join(tmpdir(), `compiled-for-${uid}`)
  if (!existsSync(compiled)) {
    mkdirSync(compiled, { mode: 0o700 })
    chownSync(compiled, uid, gid)
  }
  return { PATH, TMPDIR, NODE_COMPILE_CACHE: compiled }
}

/** What a module prints that another account runs from the root of the repository, in a process of its own. */
export function asAccount({ uid, gid }: Account, script: string): string {
  const { stdout, stderr } = spawnSync(process.execPath, argsOf(script), {
    ...{ uid, gid, encoding: 'utf8', timeout: 60_000 },
    env: environmentOf({ uid, gid }),
  })
  return stdout + stderr
}

/** The same, which goes on until it is disposed of. Returns when it has printed something. */
export async function runAsAccount(
  { uid, gid }: Account,
  script: string,
): Promise<{ readonly printed: string; readonly pid: number } & AsyncDisposable> {
  const child = spawn(process.execPath, argsOf(`${script}\nprocess.stdin.resume()`), {
    ...{ uid, gid, stdio: ['pipe', 'pipe', 'inherit'] as const },
    env: environmentOf({ uid, gid }),
  })
  const [printed] = await once(child.stdout, 'data')
  return {
    printed: String(printed),
    pid: child.pid ?? 0,
    async [Symbol.asyncDispose]() {
      child.stdin.end()
      await once(child, 'exit')
    },
  }
}

/** Runs each module that comes as a line, one after the other, and answers with what it printed. */
const runner = `
  import { createInterface } from 'node:readline'
  import { format } from 'node:util'
  for await (const line of createInterface({ input: process.stdin })) {
    let printed = ''
    console.error = console.log = (...words) => { printed += format(...words) + '\\n' }
    await import(JSON.parse(line)).catch((error) => console.log(error))
    process.stdout.write(JSON.stringify(printed) + '\\n')
  }`

/** An account that runs several modules in one process. */
export type Runner = {
  /** What the module prints. It must leave nothing open: the process goes on. */
  run(script: string): Promise<string>
} & AsyncDisposable

const root = `${pathToFileURL(process.cwd())}/`

/** One process for what leaves nothing open: to load the program for each module takes longer than all that it does. */
export function startRunner({ uid, gid }: Account): Runner {
  const child = spawn(process.execPath, argsOf(runner), {
    ...{ uid, gid, stdio: ['pipe', 'pipe', 'inherit'] as const },
    env: environmentOf({ uid, gid }),
  })
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  let modules = 0
  return {
    async run(script) {
      const absolute = script.replaceAll(`'./`, `'${root}`)
      // The number keeps two modules of one text apart.
      const url = `data:text/javascript,${encodeURIComponent(absolute)}//${modules++}`
      child.stdin.write(`${JSON.stringify(url)}\n`)
      const { value = '' } = await lines.next()
      return JSON.parse(value)
    },
    async [Symbol.asyncDispose]() {
      child.stdin.end()
      if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
    },
  }
}
