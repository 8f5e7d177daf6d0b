import type { Kysely, Transaction, Updateable } from 'kysely'
import type { Receipt } from '../../../chain/calls/getReceipt.ts'
import type { Check } from '../../../core/check.ts'
import { ballastError } from '../../../core/errors.ts'
import type { SwapState } from '../../state.ts'
import { changeAftermath } from '../aftermath/aftermath.ts'
import type { LogEvent } from '../log/facts.ts'
import { appendEvent } from '../log/log.ts'
import type { SwapTable, Tables } from '../store/tables.ts'
import { masked } from '../store/text.ts'

/** One change of a swap: from which states, to that which its entry of the log is named after, and what comes with it. */
type Change = LogEvent<SwapState> & {
  readonly swapId: string
  readonly from: readonly SwapState[]
  readonly set?: Omit<Updateable<SwapTable>, 'id' | 'key' | 'state' | 'version'>
  readonly at: number
}

/**
 * Moves a swap to another state and writes the event, inside the caller's transaction.
 *
 * The update names the states it may come from; when it changes no row, another process decided meanwhile
 * and everything in hand is dropped.
 */
export async function changeState(
  trx: Transaction<Tables>,
  { swapId, from, set = {}, at, ...event }: Change,
): Promise<void> {
  const { numUpdatedRows } = await trx
    .updateTable('swap')
    .set((eb) => ({ ...set, state: event.type, version: eb('version', '+', 1), updated_at: at }))
    .where('id', '=', swapId)
    .where('state', 'in', [...from])
    .executeTakeFirstOrThrow()
  if (numUpdatedRows !== 1n)
    throw ballastError('SWAP_MOVED_ON', 'A swap was not in the state this step starts from.', {
      swapId,
      from: from.join(' or '),
      to: event.type,
    })
  await appendEvent(trx, { of: swapId, at, ...event })
  await changeAftermath(trx, { swapId, type: event.type, from, block: set.included_block, at })
}

/** An end other than settled. */
type Closing<end extends SwapState> = {
  readonly swapId: string
  readonly as: end
  readonly code: string
  readonly reason: string
  readonly at: number
}

/** Ends a swap that has no signed bytes, and frees its reserved amounts. */
export async function closeUnsigned(
  db: Kysely<Tables>,
  closing: Closing<'REJECTED' | 'ABANDONED'> & {
    /** Of a refusal: every one, passed and failed. */
    readonly checks?: readonly Check[]
  },
): Promise<void> {
  const { swapId, as, code, reason, checks, at } = closing
  await db.transaction().execute((trx) =>
    changeState(trx, {
      swapId,
      from: as === 'REJECTED' ? ['PLANNED'] : ['PLANNED', 'VERIFIED'],
      type: as,
      set: { code, reason: masked(reason) },
      at,
      facts: { code, reason, checks },
    }),
  )
}

/** Ends a swap that was signed, and did not happen. */
export async function closeSigned(
  db: Kysely<Tables>,
  closing: Closing<'REVERTED' | 'EXPIRED_DEAD' | 'DISPLACED'> & { readonly receipt?: Receipt },
): Promise<void> {
  const { swapId, as, code, reason, receipt, at } = closing
  const gas = receipt && { gas_used: receipt.gasUsed.toString(), ...paidFacts(receipt) }
  await db.transaction().execute((trx) =>
    changeState(trx, {
      swapId,
      from: as === 'DISPLACED' ? ['SIGNED', 'SENT', 'CANCELLING'] : ['INCLUDED'],
      type: as,
      set: { code, reason: masked(reason), ...gas },
      at,
      facts: { code, reason, ...gas, ...(receipt && minedFacts(receipt)) },
    }),
  )
}

/** Wei paid for a transaction, and the tip and the base fees in it, as columns and log have them. */
export function paidFacts({
  gasPaid,
  tipPaid,
  basePaid,
}: Pick<Receipt, 'gasPaid'> & {
  readonly tipPaid?: bigint | undefined
  readonly basePaid?: bigint | undefined
}) {
  return {
    gas_paid: gasPaid.toString(),
    ...(tipPaid === undefined ? {} : { tip_paid: tipPaid.toString() }),
    ...(basePaid === undefined ? {} : { base_paid: basePaid.toString() }),
  }
}

/** The log's part of a receipt. */
export function minedFacts({ hash, blockNumber, blockHash, success }: Receipt) {
  return { hash, block: blockNumber, blockHash, success }
}
