import type { Transaction, Updateable } from 'kysely'
import { display, foreignMax } from '../../core/display.ts'
import { BallastError } from '../../core/errors.ts'
import { canonicalJson } from '../../core/json.ts'
import type { SwapState } from '../state.ts'
import { genesis, hashOf } from './chain.ts'
import { masked } from './masked.ts'
import type { SwapTable, Tables } from './tables.ts'

/** One change of a swap: from which states, to which, and what comes with it. */
type Change = {
  readonly swapId: string
  readonly from: readonly SwapState[]
  readonly to: SwapState
  readonly set?: Omit<Updateable<SwapTable>, 'id' | 'key' | 'state' | 'version'>
  readonly at: number
  /** What the event log keeps of it. */
  readonly facts?: Readonly<Record<string, unknown>>
}

/**
 * Moves a swap to another state and writes the event, inside the caller's transaction.
 *
 * The update names the states it may come from; when it changes no row, somebody else decided meanwhile
 * and everything in hand is dropped.
 */
export async function change(
  trx: Transaction<Tables>,
  { swapId, from, to, set = {}, at, facts = {} }: Change,
): Promise<void> {
  const { numUpdatedRows } = await trx
    .updateTable('swap')
    .set((eb) => ({ ...set, state: to, version: eb('version', '+', 1), updated_at: at }))
    .where('id', '=', swapId)
    .where('state', 'in', [...from])
    .executeTakeFirstOrThrow()
  if (numUpdatedRows !== 1n)
    throw new BallastError('A swap was not in the state this step starts from.', {
      code: 'SWAP_MOVED_ON',
      remedy: 'halt',
      fault: 'internal',
      facts: { swapId, from: from.join(' or '), to },
    })
  await note(trx, { swapId, at, type: to, facts })
}

/**
 * Appends to the log, chained to the entry before it.
 *
 * Only inside a transaction: it holds the write lock from its begin, so no other process writes between the two.
 */
export async function note(
  trx: Transaction<Tables>,
  { swapId, at, type, facts }: { swapId: string; at: number; type: string; facts: object },
): Promise<void> {
  const last = await trx
    .selectFrom('event')
    .select(['seq', 'hash'])
    .orderBy('seq', 'desc')
    .limit(1)
    .executeTakeFirst()
  const prev = last?.hash ?? genesis
  const told = type === 'PLANNED' ? { ...facts, plan: await planOf(trx, swapId) } : facts
  const entry = {
    seq: (last?.seq ?? 0) + 1,
    swap_id: swapId,
    at,
    type,
    // Whoever reads the log reads it in a terminal.
    facts: canonicalJson(told, (text) => display(masked(text), foreignMax)),
  }
  await trx
    .insertInto('event')
    .values({ ...entry, prev, hash: hashOf(prev, entry) })
    .execute()
}

/** A plan's entry carries the plan: its row was written in this very transaction. */
async function planOf(trx: Transaction<Tables>, swapId: string): Promise<unknown> {
  const { plan } = await trx
    .selectFrom('swap')
    .select('plan')
    .where('id', '=', swapId)
    .executeTakeFirstOrThrow()
  return JSON.parse(plan)
}
