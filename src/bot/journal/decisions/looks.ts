import type { Selectable, Transaction } from 'kysely'
import { hourMs } from '../../../core/spans.ts'
import type { Context } from '../../stages.ts'
import { packed } from '../store/packed.ts'
import type { DecisionTable, Tables } from '../store/tables.ts'
import { maskedJson } from '../store/text.ts'

/** One row stands for the looks of an hour at most: what was seen is written down whole at least so often. */
export const rowMs = hourMs

/** A decision as its row has it, and what it was made on. */
type Look = Pick<
  Selectable<DecisionTable>,
  'strategy' | 'slot' | 'at' | 'kind' | 'reason' | 'memory' | 'params_hash'
> & { readonly context: Context<unknown> }

/**
 * Counts a look in the row of the strategy's last one where it came to the same, and returns the row's number; undefined
 * where it needs a row of its own. The row keeps what was seen and said first; beside it, what the next look needs and
 * readers show: the last instant, sentence, prices and memory.
 *
 * A wish to swap is counted as well where the last one was refused before it was planned: see `recordWhole`.
 */
export async function countLook(trx: Transaction<Tables>, look: Look): Promise<number | undefined> {
  const row = await trx
    .selectFrom('decision')
    .select(['id', 'kind', 'slot', 'at', 'reason', 'params_hash', 'last_slot', 'last_at'])
    .where('strategy', '=', look.strategy)
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst()
  if (row === undefined || !isSame(row, look)) return undefined
  if (look.kind === 'swap' && !(await cameToNothing(trx, { ...row, strategy: look.strategy })))
    return undefined
  const { slot, at, reason, memory, context } = look
  const last_seen = packed(maskedJson({ indications: context.indications }))
  await trx
    .updateTable('decision')
    .set((eb) => ({ looks: eb('looks', '+', 1), last_slot: slot, last_at: at, last_seen, memory }))
    .set({ last_reason: reason })
    .where('id', '=', row.id)
    .execute()
  return row.id
}

/** Whether a decision to swap was refused and nothing was planned since it was made. */
async function cameToNothing(
  trx: Transaction<Tables>,
  { id, strategy, at }: { id: number; strategy: string; at: number },
): Promise<boolean> {
  const refused = await trx
    .selectFrom('refusal')
    .select('id')
    .where('decision', '=', id)
    .limit(1)
    .executeTakeFirst()
  const planned = await trx
    .selectFrom('swap')
    .select('id')
    .where('strategy', '=', strategy)
    .where('created_at', '>=', at)
    .limit(1)
    .executeTakeFirst()
  return refused !== undefined && planned === undefined
}

type Row = Pick<
  Selectable<DecisionTable>,
  'kind' | 'slot' | 'at' | 'reason' | 'params_hash' | 'last_slot' | 'last_at'
>

function isSame(row: Row, look: Look): boolean {
  return (
    row.kind === look.kind &&
    row.params_hash === look.params_hash &&
    wordsOf(row.reason) === wordsOf(look.reason) &&
    // Slots and instants rise within a row, so that the row of a slot is found between its first and its last.
    isWithin(look.slot, { from: row.slot, last: row.last_slot }) &&
    isWithin(look.at, { from: row.at, last: row.last_at })
  )
}

const isWithin = (instant: number, { from, last }: { from: number; last: number | null }) =>
  instant >= (last ?? from) && instant < from + rowMs

/**
 * A sentence without its figures: a price that moves with every block is no news as long as nothing follows from it. Neither
 * is the name that a service gives to each request, nor the hash of a block.
 */
export const wordsOf = (reason: string) =>
  reason.replace(/\(request [^)]*\)|0x[0-9a-f]{64}/gi, '#').replace(/[+-]?\d+(?:[.,:]\d+)*/g, '#')
