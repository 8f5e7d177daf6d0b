import type { Selectable, Transaction } from 'kysely'
import { decodeFunctionData } from 'viem'
import { z } from 'zod'
import { erc20Abi } from '../../chain/abi/contracts.ts'
import type { Hex } from '../../chain/calls/fields.ts'
import type { Amount } from '../../core/amount.ts'
import { assert } from '../../core/assert.ts'
import type { AttemptTable, Tables } from './tables.ts'

const approval = z.object({ to: z.string(), data: z.string() })

/** Writes down what a mined approval lets its spender take. */
export async function setAllowance(
  trx: Transaction<Tables>,
  attempt: Selectable<AttemptTable>,
  at: number,
): Promise<void> {
  const { chain_id, wallet, swap_id } = attempt
  const { to, data } = approval.parse(JSON.parse(attempt.transaction))
  const { functionName, args } = decodeFunctionData({ abi: erc20Abi, data: data as Hex })
  assert(functionName === 'approve', 'an approval approves')
  const [spender, wei] = args
  const row = { wei: wei.toString(), swap_id, at }
  const token = to.toLowerCase()
  await trx
    .insertInto('allowance')
    .values({ chain_id, wallet, token, spender: spender.toLowerCase(), ...row })
    .onConflict((conflict) =>
      conflict.columns(['chain_id', 'wallet', 'token', 'spender']).doUpdateSet(row),
    )
    .execute()
}

/** Takes off what a settled swap used of it. The chain's own currency needs none, and has no row. */
export async function useAllowance(
  trx: Transaction<Tables>,
  { swapId, sold, at }: { swapId: string; sold: Amount; at: number },
): Promise<void> {
  const used = await trx
    .selectFrom('allowance')
    .innerJoin('quote', 'quote.router', 'allowance.spender')
    .innerJoin('swap', 'swap.id', 'quote.swap_id')
    .selectAll('allowance')
    .where('quote.swap_id', '=', swapId)
    .whereRef('allowance.wallet', '=', 'swap.wallet')
    .where('allowance.chain_id', '=', sold.token.chainId)
    .where('allowance.token', '=', sold.token.address.toLowerCase())
    .executeTakeFirst()
  if (used === undefined) return
  const left = BigInt(used.wei) - sold.wei
  await trx
    .updateTable('allowance')
    .set({ wei: (left > 0n ? left : 0n).toString(), at })
    .where('chain_id', '=', used.chain_id)
    .where('wallet', '=', used.wallet)
    .where('token', '=', used.token)
    .where('spender', '=', used.spender)
    .execute()
}
