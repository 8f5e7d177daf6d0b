import { dirname, join } from 'node:path'
import type { Clock } from '../../core/clock.ts'
import type { Coin } from '../../core/token.ts'
import { createArchives } from './archive/createArchives.ts'
import { createAttempts } from './attempts/createAttempts.ts'
import { createRecovered } from './attempts/recovered.ts'
import { createUnsigned } from './createUnsigned.ts'
import type { Treasury } from './limits/treasury.ts'
import { openKind } from './schema/openKind.ts'
import { type Database, watchPlace } from './store/database.ts'
import { diskOf } from './store/disk.ts'
import type { Fence } from './store/postgres/takeLease.ts'
import type { Store } from './store/store.ts'
import { createSigningWallet } from './wallet/wallet.ts'

/** Everything that is durable. Each write is one transaction, on disk when its promise resolves. */
export type Journal = Awaited<ReturnType<typeof openJournal>>

/**
 * Opens the journal; creates it where there is none. A file at `haltFile` is a halt. A process that plans or
 * signs names the `coin`, so that its two names are one asset to a pair's lock and to the cooldown, and its `fence`.
 * Books of the other kind are refused.
 */
export async function openJournal({
  database,
  clock,
  haltFile,
  coin,
  fence,
  treasury,
  archives = join(dirname(haltFile), 'archives'),
  disk = () => diskOf(database),
}: {
  database: Database
  clock: Clock
  haltFile: string
  coin?: Coin
  fence?: Fence | undefined
  /** Limits over all wallets of the database. */
  treasury?: Omit<Treasury, 'dialect'> | undefined
  /** The folder of the archives. */
  archives?: string
  disk?: Store['disk']
}) {
  const db = await openKind(database, { kind: 'live', fence })
  const store: Store = {
    ...{ db, clock, haltFile, coin, fence, disk, moved: watchPlace(database) },
    treasury: treasury && { ...treasury, dialect: database.dialect },
    archives: createArchives(db, archives),
  }
  return {
    ...createUnsigned(store),
    wallet: createSigningWallet(store),
    attempts: createAttempts(store),
    /** For books that are brought up to the chain. */
    recovered: createRecovered(store),
  }
}
