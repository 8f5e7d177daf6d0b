import type { Kysely, Transaction } from 'kysely'
import type { Planned, Spent } from '../stages.ts'
import { deadStates, type SwapState } from '../state.ts'
import { appendEvent } from './appendEvent.ts'
import type { Coin } from './coin.ts'
import { writePlan } from './planText.ts'
import { spent } from './spent.ts'
import type { Tables } from './tables.ts'

const dead: readonly SwapState[] = deadStates

/** The slot a plan is for, and which attempt at it this is. */
export type SlotTry = { readonly slot: number; readonly attempt: number }

/**
 * Writes a plan down and reserves what it sells, in one transaction with the check of the limits:
 * two plans cannot spend one limit.
 *
 * Returns false when a swap with this key exists already, or when an earlier attempt at its slot is not proven dead:
 * the slot was planned before.
 * `screen` is given what others spent and throws when the plan does not fit.
 */
export async function reserve(
  db: Kysely<Tables>,
  {
    planned,
    at,
    coin,
    screen,
    slot,
  }: {
    planned: Planned
    at: number
    coin: Coin | undefined
    screen: (spent: Spent) => void
    slot?: SlotTry | undefined
  },
): Promise<boolean> {
  const { swapId, key, strategy, intent, wallet, notional } = planned
  return db.transaction().execute(async (trx) => {
    if (slot !== undefined && (await isTaken(trx, { strategy, ...slot }))) return false
    const inserted = await trx
      .insertInto('swap')
      .values({
        id: swapId,
        key,
        strategy,
        chain_id: intent.sell.token.chainId,
        wallet: wallet.toLowerCase(),
        plan: writePlan(planned),
        sell_token: intent.sell.token.address.toLowerCase(),
        buy_token: intent.buy.address.toLowerCase(),
        amount_in: intent.sell.wei.toString(),
        notional: notional?.wei.toString() ?? null,
        notional_unit: notional?.token.address.toLowerCase() ?? null,
        state: 'PLANNED',
        version: 1,
        slot: slot?.slot ?? null,
        slot_try: slot?.attempt ?? null,
        created_at: at,
        updated_at: at,
      })
      .onConflict((conflict) => conflict.column('key').doNothing())
      .executeTakeFirst()
    if (inserted.numInsertedOrUpdatedRows !== 1n) return false

    screen(await spent(trx, { plan: planned, at, coin }))
    await appendEvent(trx, { swapId, at, type: 'PLANNED', facts: { reason: intent.reason } })
    return true
  })
}

/** Whether another attempt at the slot may have sold something, or still may. */
async function isTaken(
  trx: Transaction<Tables>,
  { strategy, slot, attempt }: SlotTry & { strategy: string },
): Promise<boolean> {
  const rows = await trx
    .selectFrom('swap')
    .select(['state', 'slot_try'])
    .where('strategy', '=', strategy)
    .where('slot', '=', slot)
    .execute()
  return rows.some(({ state, slot_try }) => slot_try !== attempt && !dead.includes(state))
}
