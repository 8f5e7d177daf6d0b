import { chmodSync } from 'node:fs'
import { tmpdir } from 'node:os'
import pg from 'pg'
import type { TestProject } from 'vitest/node'
import { openDatabase } from '../../src/bot/journal/schema/openDatabase.ts'
import { secret } from '../../src/core/secret.ts'
import { startPostgres } from './startPostgres.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** A server, and on it a database with an empty journal that others are copied from. */
    postgres: { readonly url: string; readonly template: string }
  }
}

const template = 'journal_template'

/** Starts PostgreSQL once per test run. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  // Where root runs the tests another account runs PostgreSQL, and must get to its folder.
  chmodSync(tmpdir(), 0o711)
  const server = await startPostgres(tmpdir())
  try {
    const client = new pg.Client({ connectionString: server.url })
    await client.connect()
    await client.query(`CREATE DATABASE ${template}`)
    await client.end()
    const url = server.url.replace(/[^/]*$/, template)
    const db = await openDatabase({ dialect: 'postgres', url: secret(url) })
    await db.destroy()
    project.provide('postgres', { url: server.url, template })
  } catch (error) {
    await server.close()
    throw error
  }
  return server.close
}
