import { spawn, spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'

const require = createRequire(import.meta.url)

/** The program of this system; its package starts it through a process that a kill would leave behind. */
const program = join(
  require.resolve(`@flydotio/litestream-${process.platform}-${process.arch}/package.json`),
  '../litestream',
)
const configuration = new URL('../../deploy/litestream.yml', import.meta.url).pathname

/** Ships a journal into a folder as `deploy/litestream.yml` does, until it is killed. */
export function shipJournal({ journal, into }: { journal: string; into: string }) {
  const env = { ...process.env, JOURNAL: journal, REPLICA: `file://${into}` }
  const shipper = spawn(program, ['replicate', '-config', configuration], { env, stdio: 'ignore' })
  const ended = new Promise<void>((resolve) => shipper.on('exit', () => resolve()))
  return {
    /** It dies with its machine. */
    async kill() {
      shipper.kill('SIGKILL')
      await ended
    },
    /** Puts together what has arrived so far, in a new file. False where nothing has. */
    fetch(file: string): boolean {
      const wanted = [
        'restore',
        '-if-replica-exists',
        '-config',
        configuration,
        '-o',
        file,
        journal,
      ]
      const { status, stderr, error } = spawnSync(program, wanted, { env, encoding: 'utf8' })
      if (status !== 0) throw new Error(`litestream restore: ${error ?? stderr}`)
      return existsSync(file)
    },
  }
}
