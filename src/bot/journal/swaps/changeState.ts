import type { Kysely, Transaction, Updateable } from 'kysely'
import type { Receipt } from '../../../chain/calls/getReceipt.ts'
import type { Check } from '../../../core/check.ts'
import { ballastError } from '../../../core/errors.ts'
import type { SwapState } from '../../state.ts'
import { changeAftermath } from '../aftermath/aftermath.ts'
import type { LogEvent } from '../log/facts.ts'
import { appendEvent } from '../log/log.ts'
import { prepared } from '../store/prepared.ts'
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
  const given = Object.entries({ ...set, state: event.type, updated_at: at }).filter(
    ([, value]) => value !== undefined,
  )
  const update = updateOf(
    given.map(([column]) => column),
    from,
  )
  const { numAffectedRows } = await update(trx, { swapId, ...Object.fromEntries(given) })
  if (numAffectedRows !== 1n)
    throw ballastError('SWAP_MOVED_ON', 'A swap was not in the state this step starts from.', {
      swapId,
      from: from.join(' or '),
      to: event.type,
    })
  await appendEvent(trx, { of: swapId, at, ...event })
  await changeAftermath(trx, { swapId, type: event.type, from, block: set.included_block, at })
}

type Values = Readonly<Record<string, unknown>> & { readonly swapId: string }

const updates = new Map<string, ReturnType<typeof prepared<Values, unknown>>>()

/** The update of these columns of a swap that is in one of the states, built once for each of the few there are. */
function updateOf(columns: readonly string[], from: readonly SwapState[]) {
  const key = `${columns} ${from}`
  const known = updates.get(key)
  if (known !== undefined) return known
  const made = prepared((db, values: Values) =>
    db
      .updateTable('swap')
      .set((eb) => ({
        ...Object.fromEntries(columns.map((column) => [column, values[column]])),
        version: eb('version', '+', 1),
      }))
      .where('id', '=', values.swapId)
      .where('state', 'in', [...from]),
  )
  updates.set(key, made)
  return made
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
