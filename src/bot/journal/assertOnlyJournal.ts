import { sql } from 'kysely'
import { BallastError, ballastError } from '../../core/errors.ts'
import type { Address } from '../../core/token.ts'
import { schemaOfWallet } from '../../core/walletSchema.ts'
import { journalName, type ServerDatabase } from './store/database.ts'
import { journalUnreachable } from './store/postgres/openPool.ts'
import { openPostgresToRead } from './store/postgres/openPostgres.ts'
import { serverNow } from './store/postgres/takeLease.ts'

type Wanted = {
  readonly database: ServerDatabase
  readonly chainId: number
  readonly wallet: Address
}

/**
 * Throws WALLET_HAS_JOURNAL where a wallet would begin a second journal in its database, and WALLET_LOCKED where another
 * process spends from that one: a bot with one wallet keeps it in `public`, a fleet in a schema of the wallet. Limits,
 * locks and slots would begin anew, and a bot that is still there would trade beside this one.
 */
export async function assertOnlyJournal({ database, ...owner }: Wanted): Promise<void> {
  const other = otherPlaceOf({ database, ...owner })
  // Tables of other programs may be there.
  if (!(await has(other, tables))) return
  const journal = journalName(other)
  const [held] = await rowsOf<{ holder: string }>(other, leaseOf(owner))
  if (held !== undefined)
    throw ballastError(
      'WALLET_LOCKED',
      'Another process is already spending from this wallet, with another journal.',
      { ...owner, holder: held.holder, journal, next: 'stop that process' },
    )
  const isBegun = (await has(database, tables)) && (await has(database, rowOf(owner)))
  if (isBegun || !(await has(other, unmovedOf(owner)))) return
  throw ballastError(
    'WALLET_HAS_JOURNAL',
    database.schema === undefined
      ? 'This wallet has a journal in the database already, of a fleet.'
      : 'This wallet has a journal in the database already, of a bot with one wallet.',
    {
      journal,
      next:
        database.schema === undefined
          ? 'stop that fleet, then move it with its configuration: ballast migrate --wallet NAME'
          : 'stop that bot, then move it: ballast migrate --fleet, with the configuration of one wallet',
    },
  )
}

function otherPlaceOf({ database, chainId, wallet }: Wanted): ServerDatabase {
  const { url } = database
  const place = { dialect: 'postgres', url } as const
  return database.schema === undefined
    ? { ...place, schema: schemaOfWallet({ chainId, address: wallet }) }
    : place
}

type Owner = Omit<Wanted, 'database'>

const tables = sql`SELECT 1 WHERE to_regclass('wallet') IS NOT NULL
  AND to_regclass('wallet_lease') IS NOT NULL AND to_regclass('lock') IS NOT NULL`

const rowOf = ({ chainId, wallet }: Owner) =>
  sql`SELECT 1 FROM wallet WHERE chain_id = ${chainId} AND address = ${wallet.toLowerCase()}`

const unmovedOf = (owner: Owner) =>
  sql`${rowOf(owner)}
    AND NOT EXISTS (SELECT 1 FROM lock WHERE code = 'JOURNAL_MIGRATED' AND released_at IS NULL)`

const leaseOf = ({ chainId, wallet }: Owner) =>
  sql`SELECT holder FROM wallet_lease WHERE chain_id = ${chainId}
    AND address = ${wallet.toLowerCase()} AND expires_at > ${sql.raw(serverNow)}`

type Query = ReturnType<typeof rowOf>

const has = async (database: ServerDatabase, query: Query): Promise<boolean> =>
  (await rowsOf(database, query)).length > 0

async function rowsOf<row>(database: ServerDatabase, query: Query): Promise<readonly row[]> {
  const db = openPostgresToRead(database)
  try {
    return (await query.execute(db)).rows as row[]
  } catch (error) {
    throw error instanceof BallastError ? error : journalUnreachable(journalName(database), error)
  } finally {
    await db.destroy()
  }
}
