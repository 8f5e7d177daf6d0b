import type { Kysely } from 'kysely'
import type { Planned, Spent } from '../stages.ts'
import { note } from './change.ts'
import type { Coin } from './coin.ts'
import { writePlan } from './planText.ts'
import { spent } from './spent.ts'
import type { Tables } from './tables.ts'

/**
 * Writes a plan down and reserves what it sells, in one transaction with the check of the limits:
 * two plans cannot spend one limit.
 *
 * Returns false when a swap with this key exists already: the slot was planned before.
 * `screen` is given what others spent and throws when the plan does not fit.
 */
export async function reserve(
  db: Kysely<Tables>,
  {
    planned,
    at,
    coin,
    screen,
  }: { planned: Planned; at: number; coin: Coin | undefined; screen: (spent: Spent) => void },
): Promise<boolean> {
  const { swapId, key, strategy, intent, wallet, notional } = planned
  return db.transaction().execute(async (trx) => {
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
        created_at: at,
        updated_at: at,
      })
      .onConflict((conflict) => conflict.column('key').doNothing())
      .executeTakeFirst()
    if (inserted.numInsertedOrUpdatedRows !== 1n) return false

    screen(await spent(trx, { plan: planned, at, coin }))
    await note(trx, { swapId, at, type: 'PLANNED', facts: { reason: intent.reason } })
    return true
  })
}
