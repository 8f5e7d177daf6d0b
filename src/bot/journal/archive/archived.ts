import { type Kysely, type Selectable, sql } from 'kysely'
import { readFacts } from '../log/facts.ts'
import { chainHash } from '../log/log.ts'
import type { EventTable, Tables } from '../store/tables.ts'

/**
 * Entries that may lose their facts to an archive: only a person reads these. All others are read by the books, the
 * ledger, the locks or the audit, and stay.
 */
export const bodied: readonly string[] = [
  ...['PLANNED', 'VERIFIED', 'REJECTED', 'OFFERED', 'SENT', 'INCLUDED', 'DECIDED'],
]

/** In the words of the index over entries that still have theirs. */
export const hasBody = sql<boolean>`type IN ('PLANNED', 'VERIFIED', 'REJECTED', 'OFFERED', 'SENT', 'INCLUDED', 'DECIDED')
  AND length(facts) > 0`

/**
 * Whether an entry is what was written, as far as it is here: the hash of one that an archive has covers the facts there,
 * which `verifyArchives` reads.
 */
export const isWritten = (entry: Selectable<EventTable>, upto: number): boolean =>
  entry.facts === ''
    ? entry.seq <= upto && bodied.includes(entry.type)
    : chainHash(entry.prev, entry) === entry.hash

/** An archive as the log has it. */
export type Archived = Awaited<ReturnType<typeof archivesOf>>[number]

/** Every archive of a journal, oldest first. Each took over where the one before it ended. */
export async function archivesOf(db: Kysely<Tables>) {
  const rows = await db
    .selectFrom('event')
    .select(['seq', 'facts'])
    .where(sql<boolean>`type = 'ARCHIVED'`)
    .orderBy('seq')
    .execute()
  return rows.map(({ seq, facts }) => ({ seq, ...readFacts('archived', facts) }))
}

/** The last entry that an archive has: an entry without its facts is whole up to there, and torn behind it. */
export async function archivedUpto(db: Kysely<Tables>): Promise<number> {
  return Math.max(0, ...(await archivesOf(db)).map(({ upto }) => upto))
}
