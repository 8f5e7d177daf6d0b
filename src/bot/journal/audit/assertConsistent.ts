import type { Kysely } from 'kysely'
import { keccak256 } from 'viem'
import type { Hex } from '../../../chain/calls/fields.ts'
import { ballastError } from '../../../core/errors.ts'
import { finalStates, openStates } from '../../state.ts'
import { archivedUpto, isWritten } from '../archive/archived.ts'
import { genesis } from '../log/log.ts'
import { openSwaps } from '../store/openIds.ts'
import type { Tables } from '../store/tables.ts'

/** Entries whose chain is looked at; all of them are `ballast audit verify`, not required of every start. */
const tail = 256

const states = [...openStates, ...finalStates]

/**
 * Throws JOURNAL_INCONSISTENT where the end of the log does not follow from itself, or where a swap to be continued
 * differs from its log. Takes as long for a million swaps as for one.
 */
export async function assertConsistent(db: Kysely<Tables>): Promise<void> {
  const why = (await brokenTail(db)) ?? (await brokenSwap(db))
  if (why === undefined) return
  throw ballastError('JOURNAL_INCONSISTENT', 'The journal contradicts itself: nothing is begun.', {
    why,
    next: 'find out who changed it: ballast audit verify',
  })
}

async function brokenTail(db: Kysely<Tables>): Promise<string | undefined> {
  const rows = await db.selectFrom('event').selectAll().orderBy('seq', 'desc').limit(tail).execute()
  const [entries, upto] = [rows.reverse(), await archivedUpto(db)]
  for (const [index, entry] of entries.entries()) {
    const { seq, prev } = entry
    const before = entries[index - 1]
    const follows =
      before === undefined
        ? seq > 1 || prev === genesis
        : prev === before.hash && seq === before.seq + 1
    if (!follows) return `entry ${seq} of the log does not follow the one before it`
    if (!isWritten(entry, upto)) return `entry ${seq} of the log is not what was written`
  }
  return undefined
}

async function brokenSwap(db: Kysely<Tables>): Promise<string | undefined> {
  for (const id of await openSwaps(db)) {
    const { state } = await db
      .selectFrom('swap')
      .select('state')
      .where('id', '=', id)
      .executeTakeFirstOrThrow()
    const last = await db
      .selectFrom('event')
      .select('type')
      .where('swap_id', '=', id)
      .where('type', 'in', states)
      .orderBy('seq', 'desc')
      .limit(1)
      .executeTakeFirst()
    if (last?.type !== state) return `swap ${id} is ${state}, and the log says ${last?.type}`
    const attempts = await db
      .selectFrom('attempt')
      .select(['hash', 'raw'])
      .where('swap_id', '=', id)
      .execute()
    if (attempts.some(({ hash, raw }) => keccak256(raw as Hex) !== hash))
      return `signed bytes of swap ${id} are not those of their hash`
  }
  return undefined
}
