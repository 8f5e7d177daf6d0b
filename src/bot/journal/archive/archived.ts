import { createHash } from 'node:crypto'
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

type Outlined = Pick<Selectable<EventTable>, 'seq' | 'swap_id' | 'at' | 'type'>

/** Adds up what stays of entries. Without its facts the hash of an entry cannot be made again: it is held to this one. */
export function createOutline() {
  const hash = createHash('sha256')
  return {
    add: ({ seq, swap_id, at, type }: Outlined) =>
      void hash.update(JSON.stringify([seq, swap_id, at, type])),
    digest: () => hash.digest('hex'),
  }
}

/** Compares entries, from the first one on, with the outlines that their archives took over. */
export function createOutlineCheck(archives: readonly Archived[]) {
  // Of several that end with one entry the first has what is before it.
  const outlines = new Map(archives.toReversed().map(({ upto, outline }) => [upto, outline]))
  let own = createOutline()
  return {
    /** The outline up to this entry, where it is another one. */
    other(entry: Outlined): string | undefined {
      own.add(entry)
      const written = outlines.get(entry.seq)
      if (written === undefined) return undefined
      const digest = own.digest()
      own = createOutline()
      return digest === written ? undefined : digest
    },
  }
}
