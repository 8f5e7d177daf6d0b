import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import pg from 'pg'
import { type JournalRows, noRows, readJournal } from './readJournal.ts'

/** Where the journal of one case is kept, and a way to it past the bot. */
export type Place = {
  /** What the configuration says. */
  readonly setting: string
  rows(): Promise<JournalRows>
  /** What time alone would do for a process that is dead: nothing keeps the next one out. */
  bury(): Promise<void>
  close(): Promise<void>
}

export function inFile(dir: string): Place {
  const path = join(dir, 'ballast.db')
  return {
    setting: 'sqlite:./ballast.db',
    async rows() {
      if (!existsSync(path)) return noRows
      const file = new DatabaseSync(path, { readOnly: true, timeout: 60_000 })
      try {
        const tables = file.prepare("select name from sqlite_master where type = 'table'").all()
        if (!tables.some(({ name }) => name === 'lock')) return noRows
        return await readJournal(async (sql) => file.prepare(sql).all())
      } finally {
        file.close()
      }
    },
    bury: async () => {},
    close: async () => {},
  }
}

/** A database of its own, copied from the template: an empty journal. */
export async function onServer(
  server: { readonly url: string; readonly template: string },
  name: string,
): Promise<Place> {
  const ask = async (url: string, sql: string) => {
    const client = new pg.Client({ connectionString: url })
    await client.connect()
    try {
      return (await client.query(sql)).rows
    } finally {
      await client.end()
    }
  }
  await ask(server.url, `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`)
  await ask(server.url, `CREATE DATABASE ${name} TEMPLATE ${server.template}`)
  const url = server.url.replace(/[^/]*$/, name)
  const pool = new pg.Pool({ connectionString: url, max: 2 })
  // A server that goes away ends idle connections; the next query has a new one.
  pool.on('error', () => {})
  return {
    setting: url,
    rows: () => readJournal(async (sql) => (await pool.query(sql)).rows),
    async bury() {
      await pool.query('UPDATE wallet_lease SET expires_at = 0')
    },
    close: () => pool.end(),
  }
}
