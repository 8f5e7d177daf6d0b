import type { Kysely } from 'kysely'
import type { Clock } from '../../core/clock.ts'
import { ballastError } from '../../core/errors.ts'
import { type AuditReport, defectsIn, verifyLog } from './audit/verifyLog.ts'
import { type ShownTotal, shownTotals } from './books/totals.ts'
import type { OnPage } from './copyTables.ts'
import { type Digest, digestTables } from './digestTables.ts'
import { lastEntry } from './log/log.ts'
import type { Tables } from './store/tables.ts'

/** What shows that two journals are the same: each side was read by itself after the copy. */
export type MigrationProof = {
  readonly tables: readonly {
    readonly table: string
    readonly here: Digest
    readonly there: Digest
  }[]
  /** Of the new journal, walked from its first entry to its last. */
  readonly log: Pick<AuditReport, 'count' | 'head'>
  readonly totals: readonly ShownTotal[]
}

type Copy = {
  readonly source: Kysely<Tables>
  readonly target: Kysely<Tables>
  readonly clock: Clock
  readonly onPageOf: (doing: 'read here' | 'read there') => OnPage
}

/** Compares a copy with its journal. Throws MIGRATION_DIFFERS, or JOURNAL_INCONSISTENT where the journal contradicts itself. */
export async function proveCopy({
  source,
  target,
  clock,
  onPageOf,
}: Copy): Promise<MigrationProof> {
  const here = await digestTables(source, onPageOf('read here'))
  const there = await digestTables(target, onPageOf('read there'))
  const tables = [...here].map(([table, digest]) => ({
    table,
    here: digest,
    there: there.get(table) ?? { rows: 0, sha256: 'none' },
  }))
  const report = await verifyLog(target, { wanted: undefined, clock })
  const { hash: head } = await lastEntry(source)
  const totals = await shownTotals(target)
  const differences = [
    ...tables.flatMap(({ table, here, there }) =>
      here.rows === there.rows && here.sha256 === there.sha256
        ? []
        : [[table, `${shown(here)} here, ${shown(there)} there`]],
    ),
    ...(report.head === head || report.broken !== undefined
      ? []
      : [['log', `head ${head} here, ${report.head} there`]]),
    ...(sameTotals(await shownTotals(source), totals) ? [] : [['totals', 'are others there']]),
  ]
  if (differences.length > 0)
    throw ballastError(
      'MIGRATION_DIFFERS',
      'The copy is not the same as the journal: it was removed, and the journal is as it was.',
      Object.fromEntries(differences),
    )
  assertWhole(report)
  return { tables, log: { count: report.count, head }, totals }
}

const shown = ({ rows, sha256 }: Digest) => `${rows} rows of ${sha256.slice(0, 16)}`

const sameTotals = (one: readonly ShownTotal[], other: readonly ShownTotal[]) =>
  JSON.stringify(one) === JSON.stringify(other)

/** A copy that is the same has the defects of its journal. */
function assertWhole(report: AuditReport): void {
  const [why] = defectsIn(report)
  if (why === undefined) return
  throw ballastError(
    'JOURNAL_INCONSISTENT',
    'The journal contradicts itself: it is not moved before a person has looked.',
    { why, next: 'ballast audit verify' },
  )
}
