import type { Kysely } from 'kysely'
import { z } from 'zod'
import type { Amount } from '../../../core/amount.ts'
import { compactJson } from '../../../core/json.ts'
import type { Total } from '../../strategy/index.ts'
import type { Tables } from '../store/tables.ts'
import { tokenText } from '../store/text.ts'

/** All that a strategy's settled swaps ever sold, by pair. */
export async function strategyTotals(
  db: Kysely<Tables>,
  strategy: string,
): Promise<readonly Total[]> {
  const rows = await db
    .selectFrom('strategy_total')
    .selectAll()
    .where('strategy', '=', strategy)
    .orderBy('chain_id')
    .orderBy('sell_token')
    .orderBy('buy_token')
    .execute()
  return rows.map(({ sell, buy, sold, received, swaps }) => ({
    sold: { token: tokenText.parse(JSON.parse(sell)), wei: BigInt(sold) },
    bought: { token: tokenText.parse(JSON.parse(buy)), wei: BigInt(received) },
    swaps: z.int().parse(swaps),
  }))
}

/** Adds a settled swap, in the transaction that settles it: what was sold is never counted twice, nor left out. */
export async function addTotal(
  db: Kysely<Tables>,
  { strategy, sold, received }: { strategy: string; sold: Amount; received: Amount },
): Promise<void> {
  const pair = {
    strategy,
    // An address is another token on another chain, and what was sold there must not pass for what is sold here.
    chain_id: sold.token.chainId,
    sell_token: sold.token.address.toLowerCase(),
    buy_token: received.token.address.toLowerCase(),
  }
  const known = await db
    .selectFrom('strategy_total')
    .select(['sold', 'received', 'swaps'])
    .where('strategy', '=', pair.strategy)
    .where('chain_id', '=', pair.chain_id)
    .where('sell_token', '=', pair.sell_token)
    .where('buy_token', '=', pair.buy_token)
    .executeTakeFirst()
  const sum = {
    sold: (BigInt(known?.sold ?? 0) + sold.wei).toString(),
    received: (BigInt(known?.received ?? 0) + received.wei).toString(),
    swaps: (known?.swaps ?? 0) + 1,
  }
  await db
    .insertInto('strategy_total')
    .values({ ...pair, sell: compactJson(sold.token), buy: compactJson(received.token), ...sum })
    .onConflict((conflict) =>
      conflict.columns(['strategy', 'chain_id', 'sell_token', 'buy_token']).doUpdateSet(sum),
    )
    .execute()
}
