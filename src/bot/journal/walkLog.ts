import type { Kysely, Selectable } from 'kysely'
import type { Clock } from '../../core/clock.ts'
import { chainHash } from './chain.ts'
import type { LogEntry } from './lastEntry.ts'
import type { EventTable, Tables } from './tables.ts'

/** What walking a stretch of the log found. */
type Walked = {
  /** Entries that follow each other as they were written. */
  readonly count: number
  /** Hash of the last of them. */
  readonly head: string
  /** The first entry that does not, and what is wrong with it; undefined where all do. */
  readonly broken: { readonly seq: number; readonly why: string } | undefined
}

type Row = Selectable<EventTable>

/**
 * Entries hashed at a time. A file is read without a pause, and whoever watches for a halt has its turn between two
 * pages: so many of the largest entries are well within a tenth of a second.
 */
const page = 500

/**
 * Walks the log from behind an entry to its last, or to the first that is wrong. Entries that were marked have to be
 * the ones they were then.
 *
 * @param facts.look is given what is in order, a page at a time.
 */
export async function walkLog(
  db: Kysely<Tables>,
  {
    after,
    marks,
    look,
    clock,
  }: {
    after: LogEntry
    marks: readonly LogEntry[]
    look: (entries: readonly Row[]) => Promise<void>
    clock: Clock
  },
): Promise<Walked> {
  let [count, last] = [0, after]
  for (;;) {
    const rows = await db
      .selectFrom('event')
      .selectAll()
      .where('seq', '>', last.seq)
      .orderBy('seq')
      .limit(page)
      .execute()
    const whole: Row[] = []
    let wrong: string | undefined
    for (const row of rows) {
      wrong = wrongWith(row, { last, marks })
      if (wrong !== undefined) break
      whole.push(row)
      last = row
    }
    count += whole.length
    await look(whole)
    const next = rows[whole.length]
    if (next !== undefined && wrong !== undefined) {
      // Numbers are given without gaps: where one is left out, that entry is what is missing.
      const broken =
        next.prev !== last.hash && next.seq > last.seq + 1
          ? { seq: last.seq + 1, why: 'it is missing' }
          : { seq: next.seq, why: wrong }
      return { count, head: last.hash, broken }
    }
    if (rows.length < page) break
    await clock.sleep(1)
  }
  const end = last.seq
  const broken = marks.some(({ seq }) => seq > end)
    ? { seq: end + 1, why: 'it is missing' }
    : undefined
  return { count, head: last.hash, broken }
}

function wrongWith(
  row: Row,
  { last, marks }: { last: LogEntry; marks: readonly LogEntry[] },
): string | undefined {
  if (row.prev !== last.hash) return 'it does not follow the one before it'
  if (chainHash(row.prev, row) !== row.hash) return 'it is not what was written'
  if (marks.some(({ seq, hash }) => seq === row.seq && hash !== row.hash))
    return 'it is another than when the books were last in order'
  return undefined
}
