import { randomUUID } from 'node:crypto'
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import pg from 'pg'
import { inject } from 'vitest'
import { openDatabase } from '../../src/bot/journal/schema/openDatabase.ts'
import type { Database } from '../../src/bot/journal/store/database.ts'
import { unpacked } from '../../src/bot/journal/store/packed.ts'
import { secret } from '../../src/core/secret.ts'

type Row = Readonly<Record<string, unknown>>

/** A place for a journal, and a way to it past the journal: what somebody else could do to it. */
export type Place = {
  readonly database: Database
  readonly haltFile: string
  readonly folder: string
  /** Statements, as they are. */
  exec(sql: string): Promise<void>
  rows<row = Row>(sql: string): Promise<row[]>
  /** Source text that makes the same `database` in another process. */
  readonly source: string
  remove(): Promise<void>
}

/** Every place a journal can be in: a test of the journal is one of each. */
export const places: readonly {
  readonly dialect: Database['dialect']
  readonly make: () => Promise<Place>
}[] = [
  { dialect: 'sqlite', make: inFile },
  { dialect: 'postgres', make: onFleetServer },
]

/** The one of them that several processes can reach. */
export async function onFleetServer(): Promise<Place> {
  return onServer(inject('postgres').template)
}

let template: Promise<string> | undefined

/** An empty journal that others are copied from, as on the server: its making takes ten times as long. */
function templateFile(): Promise<string> {
  template ??= (async () => {
    const path = join(mkdtempSync(join(tmpdir(), 'ballast-template-')), 'journal.db')
    const db = await openDatabase({ dialect: 'sqlite', path })
    await db.destroy()
    return path
  })()
  return template
}

async function inFile(): Promise<Place> {
  const folder = mkdtempSync(join(tmpdir(), 'ballast-journal-'))
  const path = join(folder, 'journal.db')
  copyFileSync(await templateFile(), path)
  const withFile = <result>(work: (file: DatabaseSync) => result): result => {
    const file = new DatabaseSync(path)
    try {
      return work(file)
    } finally {
      file.close()
    }
  }
  return {
    database: { dialect: 'sqlite', path },
    haltFile: join(folder, 'HALT'),
    folder,
    exec: async (sql) => withFile((file) => file.exec(sql)),
    rows: async <row>(sql: string) => legible(withFile((file) => file.prepare(sql).all())) as row[],
    source: `{ dialect: 'sqlite', path: ${JSON.stringify(path)} }`,
    remove: async () => rmSync(folder, { recursive: true }),
  }
}

/** A database of its own on the run's server, copied from `template`; it goes with the server. */
export async function onServer(template: string): Promise<Place> {
  const folder = mkdtempSync(join(tmpdir(), 'ballast-journal-'))
  const { url: server } = inject('postgres')
  const name = `journal_${randomUUID().replaceAll('-', '')}`
  await ask(server, `CREATE DATABASE ${name} TEMPLATE ${template} STRATEGY FILE_COPY`)
  const url = server.replace(/[^/]*$/, name)
  return {
    database: { dialect: 'postgres', url: secret(url) },
    haltFile: join(folder, 'HALT'),
    folder,
    exec: async (sql) => void (await ask(url, sql)),
    rows: async <row>(sql: string) => legible(await ask(url, sql)) as row[],
    source: `{ dialect: 'postgres', url: { reveal: () => ${JSON.stringify(url)} } }`,
    remove: async () => rmSync(folder, { recursive: true }),
  }
}

/** Long texts as they were before they were packed. */
const legible = (rows: readonly unknown[]) =>
  rows.map((row) =>
    Object.fromEntries(
      Object.entries(row as Row).map(([column, value]) => [
        column,
        value instanceof Uint8Array ? unpacked(value) : value,
      ]),
    ),
  )

async function ask(url: string, sql: string): Promise<unknown[]> {
  const client = new pg.Client({ connectionString: url, types: { getTypeParser } })
  await client.connect()
  try {
    return (await client.query(sql)).rows
  } finally {
    await client.end()
  }
}

/** Integers of 64 bits as numbers, as SQLite gives them. */
const getTypeParser = ((oid: number, format: 'text') =>
  oid === 20 ? Number : pg.types.getTypeParser(oid, format)) as typeof pg.types.getTypeParser
