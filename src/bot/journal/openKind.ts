import type { Kysely } from 'kysely'
import type { Database } from './database.ts'
import { claimKind, type JournalKind } from './journalKind.ts'
import { journalName } from './nameOf.ts'
import { openDatabase } from './openDatabase.ts'
import type { Fence } from './postgres/fence.ts'
import type { Tables } from './tables.ts'

/** Opens a journal's database as one kind of books. Throws JOURNAL_IS_LIVE or JOURNAL_IS_PAPER for the other. */
export async function openKind(
  database: Database,
  { kind, fence }: { kind: JournalKind; fence: Fence | undefined },
): Promise<Kysely<Tables>> {
  const db = await openDatabase(database, { fence })
  try {
    await claimKind(db, { kind, name: journalName(database) })
  } catch (error) {
    await db.destroy()
    throw error
  }
  return db
}
