import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'

/** An account that owns nothing here, and its group. */
export type Account = { readonly uid: number; readonly gid: number }

/** Whether a test can act as other accounts. */
export const mayActAsOthers = process.getuid?.() === 0

/** Node sees that it is a module. Where it is told, it takes the text of each worker of the program for one too. */
const argsOf = (script: string) => ['--no-warnings', '-e', script]

/** What a module prints that another account runs from the root of the repository. */
export function asAccount({ uid, gid }: Account, script: string): string {
  const { stdout, stderr } = spawnSync(process.execPath, argsOf(script), {
    ...{ uid, gid, encoding: 'utf8', timeout: 60_000 },
    env: { PATH: process.env.PATH, TMPDIR: process.env.TMPDIR },
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
    env: { PATH: process.env.PATH, TMPDIR: process.env.TMPDIR },
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
