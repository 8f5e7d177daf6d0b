import { existsSync } from 'node:fs'
import { sql } from 'kysely'
import type { Database } from './database.ts'
import { openPostgresToRead } from './postgres/openPostgres.ts'

/** Whether there is a journal to read: who only looks makes none. */
export async function journalExists(database: Database): Promise<boolean> {
  if (database.dialect === 'sqlite') return existsSync(database.path)
  const db = openPostgresToRead(database.url)
  try {
    const { rows } = await sql<{ found: string | null }>`
      SELECT to_regclass('public.kysely_migration')::text AS found`.execute(db)
    return (rows[0]?.found ?? null) !== null
  } finally {
    await db.destroy()
  }
}
