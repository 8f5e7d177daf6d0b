import type { Kysely, Transaction } from 'kysely'
import type { Amount } from '../../../core/amount.ts'
import { ballastError } from '../../../core/errors.ts'
import type { Address, Token } from '../../../core/token.ts'
import { appendEvent } from '../log/log.ts'
import { assertPaper } from '../schema/openKind.ts'
import { bound, type Store } from '../store/store.ts'
import type { Tables } from '../store/tables.ts'

export const createPaperReader = (store: Store) =>
  bound(store, { balances: paperBalances, money: paperMoney })

/** Whose virtual money. */
type Owner = { readonly chainId: number; readonly wallet: Address }

/** A wallet's money on paper. Addresses in lower case. */
type PaperMoney = {
  readonly balances: ReadonlyMap<string, bigint>
  /** Contract allowances, where a swap on paper has changed them. */
  readonly allowances: readonly {
    readonly token: Address
    readonly spender: Address
    readonly wei: bigint
  }[]
}

/** Where a run on paper began, and where it is. */
export type PaperBalance = {
  readonly token: string
  readonly opening: bigint
  readonly wei: bigint
  /** The balance the wallet held then, or the one a person gave. */
  readonly origin: 'wallet' | 'given'
}

/**
 * Gives every token its opening balance that has none yet. A token that was configured later opens as the others did:
 * with what the wallet holds, or with nothing where a person gave the balances.
 *
 * Throws PAPER_BEGUN where balances are given to a run that has some.
 */
export async function openBalances(
  db: Kysely<Tables>,
  {
    chainId,
    wallet,
    held,
    given,
    at,
  }: Owner & {
    readonly held: readonly Amount[]
    readonly given: readonly Amount[] | undefined
    readonly at: number
  },
): Promise<void> {
  await db.transaction().execute(async (trx) => {
    await assertPaper(trx)
    const known = await paperBalances(trx, { chainId, wallet })
    if (given !== undefined && known.length > 0) throw begun()
    const origin = known[0]?.origin ?? (given === undefined ? 'wallet' : 'given')
    for (const { token, wei } of held) {
      if (known.some((one) => one.token === token.address.toLowerCase())) continue
      const opening = origin === 'wallet' ? wei : weiOf(given ?? [], token)
      await trx
        .insertInto('paper_balance')
        .values({
          chain_id: chainId,
          wallet: wallet.toLowerCase(),
          token: token.address.toLowerCase(),
          opening: opening.toString(),
          origin,
          wei: opening.toString(),
          opened_at: at,
        })
        .execute()
      const facts = { token: token.symbol, address: token.address, wei: opening, origin }
      await appendEvent(trx, { of: `wallet ${wallet}`, at, type: 'PAPER_OPENED', facts })
    }
  })
}

const weiOf = (given: readonly Amount[], { address }: Token): bigint =>
  given.find(({ token }) => token.address === address)?.wei ?? 0n

const begun = () =>
  ballastError(
    'PAPER_BEGUN',
    'This run on paper has begun: its balances are what its swaps left.',
    { next: 'leave --balances out to go on, or move the paper journal away to begin anew' },
  )

/** Every token's balance, by address. */
async function paperBalances(
  db: Kysely<Tables>,
  { chainId, wallet }: Owner,
): Promise<readonly PaperBalance[]> {
  const rows = await db
    .selectFrom('paper_balance')
    .select(['token', 'opening', 'wei', 'origin'])
    .where('chain_id', '=', chainId)
    .where('wallet', '=', wallet.toLowerCase())
    .orderBy('token')
    .execute()
  return rows.map(({ token, opening, wei, origin }) => ({
    token,
    opening: BigInt(opening),
    wei: BigInt(wei),
    origin,
  }))
}

/**
 * The amounts the wallet may spend now. Read before each query to the chain, so it takes no lock: one process books,
 * one swap at a time, and the chain is not queried about a swap while another is booked.
 */
async function paperMoney(db: Kysely<Tables>, { chainId, wallet }: Owner): Promise<PaperMoney> {
  const allowances = await db
    .selectFrom('allowance')
    .select(['token', 'spender', 'wei'])
    .where('chain_id', '=', chainId)
    .where('wallet', '=', wallet.toLowerCase())
    .execute()
  const balances = await paperBalances(db, { chainId, wallet })
  return {
    balances: new Map(balances.map(({ token, wei }) => [token, wei])),
    allowances: allowances.map(({ token, spender, wei }) => ({
      token: token as Address,
      spender: spender as Address,
      wei: BigInt(wei),
    })),
  }
}

/** Adds what came and takes what left. Throws PAPER_OVERDRAWN where more would leave than there is. */
export async function moveBalances(
  trx: Transaction<Tables>,
  { chainId, wallet }: Owner,
  moves: readonly Amount[],
): Promise<void> {
  for (const { token, wei } of moves) {
    const name = token.address.toLowerCase()
    const held = (await paperBalances(trx, { chainId, wallet })).find((one) => one.token === name)
    const left = (held?.wei ?? 0n) + wei
    if (held === undefined || left < 0n)
      throw ballastError('PAPER_OVERDRAWN', 'A swap on paper would spend more than there is.', {
        token: token.symbol,
        held: held?.wei,
        moves: wei,
      })
    await trx
      .updateTable('paper_balance')
      .set({ wei: left.toString() })
      .where('chain_id', '=', chainId)
      .where('wallet', '=', wallet.toLowerCase())
      .where('token', '=', name)
      .execute()
  }
}
