import { dirname, join } from 'node:path'
import type { Clock } from '../../core/clock.ts'
import type { Coin } from '../../core/token.ts'
import { createArchives } from './archive/createArchives.ts'
import { createUnsigned } from './createUnsigned.ts'
import type { Treasury } from './limits/treasury.ts'
import { createPaper } from './paper/createPaper.ts'
import { openKind } from './schema/openKind.ts'
import { type Database, watchPlace } from './store/database.ts'
import { diskOf } from './store/disk.ts'
import type { Fence } from './store/postgres/takeLease.ts'

/** The books of a run on paper. */
export type PaperJournal = Awaited<ReturnType<typeof openPaperJournal>>

/**
 * Opens the books of a run on paper: the same tables, limits and locks, a virtual balance for each token, and no way to
 * store signed bytes. Begins them where there are none; throws JOURNAL_IS_LIVE for those of real money.
 */
export async function openPaperJournal({
  database,
  clock,
  haltFile,
  coin,
  fence,
  treasury,
}: {
  database: Database
  clock: Clock
  haltFile: string
  coin: Coin
  fence?: Fence | undefined
  /** Limits over all wallets of the database. */
  treasury?: Omit<Treasury, 'dialect'> | undefined
}) {
  const db = await openKind(database, { kind: 'paper', fence })
  const store = {
    db,
    clock,
    haltFile,
    coin,
    fence,
    treasury: treasury && { ...treasury, dialect: database.dialect },
    disk: () => diskOf(database),
    moved: watchPlace(database),
    // They are never archived.
    archives: createArchives(db, join(dirname(haltFile), 'archives')),
  }
  return { ...createUnsigned(store), paper: createPaper(store) }
}
