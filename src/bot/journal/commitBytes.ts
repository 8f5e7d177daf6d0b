import type { Kysely, Transaction } from 'kysely'
import type { Hex } from '../../chain/calls/fields.ts'
import { BallastError } from '../../core/errors.ts'
import type { Tables } from './tables.ts'

/**
 * Runs the transaction that stores signed bytes, and returns only when they are known to be stored.
 *
 * Where the answer of COMMIT was lost they are looked for: found is stored; not found is not, and the error of the
 * commit goes on, as does that of a look that fails. A look takes the right to write, so a commit that the server is
 * still busy with ends first.
 */
export async function commitBytes(
  db: Kysely<Tables>,
  hash: Hex,
  work: (trx: Transaction<Tables>) => Promise<void>,
): Promise<void> {
  try {
    await db.transaction().execute(work)
  } catch (error) {
    if (!(error instanceof BallastError) || error.code !== 'COMMIT_UNKNOWN') throw error
    const stored = await db
      .transaction()
      .execute((trx) =>
        trx.selectFrom('attempt').select('hash').where('hash', '=', hash).executeTakeFirst(),
      )
    if (stored === undefined) throw error
  }
}
