import type { Transaction, Updateable } from 'kysely'
import { BallastError } from '../../core/errors.ts'
import type { SwapState } from '../state.ts'
import { appendEvent } from './appendEvent.ts'
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
export async function changeState(
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
  await appendEvent(trx, { swapId, at, type: to, facts })
}
