import type { Kysely, Selectable, Transaction } from 'kysely'
import { decodeFunctionData, parseAbi, toFunctionSelector } from 'viem'
import { z } from 'zod'
import type { Hex } from '../../../chain/calls/fields.ts'
import type { Amount } from '../../../core/amount.ts'
import { assert } from '../../../core/assert.ts'
import type { Address } from '../../../core/token.ts'
import { openIds } from '../store/openIds.ts'
import { bound, type Store } from '../store/store.ts'
import type { AllowanceTable, AttemptTable, Tables } from '../store/tables.ts'
import { sentPermits, spenderBy } from './permits.ts'

export const createAllowances = (store: Store) => bound(store, { liabilities, ofOtherWallets })

/** The amount a spender may take of a token. */
type Allowance = Pick<Selectable<AllowanceTable>, 'chain_id' | 'wallet' | 'token' | 'spender'> & {
  readonly wei: bigint
  readonly swapId: string
  readonly at: number
}

/** Writes it down in place of what the spender might take before. Addresses in lower case. */
export async function writeAllowance(
  trx: Transaction<Tables>,
  { wei, swapId, at, ...key }: Allowance,
): Promise<void> {
  const row = { wei: wei.toString(), swap_id: swapId, at }
  await trx
    .insertInto('allowance')
    .values({ ...key, ...row })
    .onConflict((conflict) =>
      conflict.columns(['chain_id', 'wallet', 'token', 'spender']).doUpdateSet(row),
    )
    .execute()
}

/** Writes down what a mined approval lets its spender take. */
export async function setAllowance(
  trx: Transaction<Tables>,
  { chain_id, wallet, swap_id, transaction }: Selectable<AttemptTable>,
  at: number,
): Promise<void> {
  const approval = approvalIn(transaction)
  assert(approval !== undefined, 'an approval approves')
  await writeAllowance(trx, { chain_id, wallet, ...approval, swapId: swap_id, at })
}

/** Takes off what a settled swap used of it; one that brought the token's permit along used up what that set. The chain's own currency needs none, and has no row. */
export async function useAllowance(
  trx: Transaction<Tables>,
  { swapId, sold, at }: { swapId: string; sold: Amount; at: number },
): Promise<void> {
  const kind = (await sentPermits(trx, [swapId])).get(swapId)
  const quoted = await trx
    .selectFrom('quote')
    .select('router')
    .where('swap_id', '=', swapId)
    .executeTakeFirst()
  if (quoted === undefined) return
  const used = await trx
    .selectFrom('allowance')
    .innerJoin('swap', 'swap.wallet', 'allowance.wallet')
    .selectAll('allowance')
    .where('swap.id', '=', swapId)
    .where('allowance.spender', '=', spenderBy(kind, quoted.router))
    .where('allowance.chain_id', '=', sold.token.chainId)
    .where('allowance.token', '=', sold.token.address.toLowerCase())
    .executeTakeFirst()
  if (used === undefined) return
  const { chain_id, wallet, token, spender, swap_id } = used
  const left = kind === 'TOKEN' ? 0n : BigInt(used.wei) - sold.wei
  const wei = left > 0n ? left : 0n
  await writeAllowance(trx, { chain_id, wallet, token, spender, wei, swapId: swap_id, at })
}

/** An allowance that no swap under way is going to use. Money within reach of a contract, however small that reach is. */
export type Liability = {
  readonly token: Address
  readonly spender: Address
  readonly wei: bigint
  /** The swap that it was set for, and that did not use it. */
  readonly swapId: string
}

/** The allowances that approvals of this wallet left behind on a chain, and since when, in milliseconds since the epoch. */
async function liabilities(
  db: Kysely<Tables>,
  { chainId, wallet }: { readonly chainId: number; readonly wallet: Address },
): Promise<readonly (Liability & { readonly at: number })[]> {
  const rows = await db
    .selectFrom('allowance')
    .selectAll()
    .where('chain_id', '=', chainId)
    .where('wallet', '=', wallet.toLowerCase())
    .where('wei', '!=', '0')
    .orderBy('at')
    .execute()
  const ids = rows.length === 0 ? [] : await openIds(db)
  const open =
    ids.length === 0
      ? []
      : await db
          .selectFrom('swap')
          .select(['chain_id', 'wallet', 'sell_token'])
          .where('id', 'in', ids)
          .execute()
  const idle = rows.filter(
    (row) =>
      !open.some(
        (swap) =>
          swap.chain_id === chainId && swap.wallet === row.wallet && swap.sell_token === row.token,
      ),
  )
  return idle.map(({ token, spender, wei, swap_id, at }) => ({
    token: token as Address,
    spender: spender as Address,
    wei: BigInt(wei),
    swapId: swap_id,
    at,
  }))
}

/** The same of every other wallet that this journal knows: one that was configured before, since it serves one at a time. */
async function ofOtherWallets(
  db: Kysely<Tables>,
  { chainId, wallet }: { readonly chainId: number; readonly wallet: Address },
) {
  const rows = await db
    .selectFrom('allowance')
    .select('wallet')
    .distinct()
    .where('chain_id', '=', chainId)
    .where('wallet', '!=', wallet.toLowerCase())
    .where('wei', '!=', '0')
    .execute()
  const left = rows.map(async (row) => {
    const other = row.wallet as Address
    const found = await liabilities(db, { chainId, wallet: other })
    return found.map((one) => ({ ...one, wallet: other }))
  })
  return (await Promise.all(left)).flat()
}

const transactionText = z.object({
  to: z.string().default(''),
  data: z.string().transform((text) => text as Hex),
})

const approve = parseAbi(['function approve(address spender, uint256 amount)'])
const selector = toFunctionSelector(approve[0])

/** The approval in a stored transaction, addresses in lower case; undefined for what is no approval at all. */
export function approvalIn(
  transaction: string,
): { token: string; spender: Address; wei: bigint } | undefined {
  const { to, data } = transactionText.parse(JSON.parse(transaction))
  if (!data.startsWith(selector)) return undefined
  const [spender, wei] = decodeFunctionData({ abi: approve, data }).args
  return { token: to.toLowerCase(), spender: spender.toLowerCase() as Address, wei }
}
