import type { Kysely } from 'kysely'
import { ballastError } from '../../../core/errors.ts'
import type { Address } from '../../../core/token.ts'
import { liveStates } from '../../state.ts'
import { appendEvent } from '../log/log.ts'
import { prepared } from '../store/prepared.ts'
import { bound, type Store, stamped } from '../store/store.ts'
import type { Tables } from '../store/tables.ts'
import { balanceLedger, seenTokens } from './ledger.ts'
import { pageMoves } from './moves.ts'

export const createWalletReader = (store: Store) =>
  bound(store, { state: walletState, moves: pageMoves, seenTokens })

export const createWallet = (store: Store) => ({
  ...createWalletReader(store),
  ...stamped(store, { balanceLedger }),
})

/** With its nonces: for books whose bytes go to a chain. */
export const createSigningWallet = (store: Store) => ({
  ...createWallet(store),
  ...bound(store, { adopt: adoptWallet }),
  ...stamped(store, { release: releaseWallet }),
})

/**
 * Takes a wallet into the journal, or compares the chain's nonce with what the journal would give next.
 *
 * A higher nonce on chain means that another process used this key, or that this journal is an old copy: both end here.
 * A lower one is normal while own transactions wait to be mined, and wrong when none does.
 */
async function adoptWallet(
  db: Kysely<Tables>,
  { chainId, wallet, nonceOfChain }: { chainId: number; wallet: Address; nonceOfChain: number },
): Promise<void> {
  const address = wallet.toLowerCase()
  const known = await db
    .selectFrom('wallet')
    .select('next_nonce')
    .where('chain_id', '=', chainId)
    .where('address', '=', address)
    .executeTakeFirst()
  if (known === undefined) {
    await db.transaction().execute(async (trx) => {
      await trx
        .insertInto('wallet')
        .values({
          chain_id: chainId,
          address,
          next_nonce: nonceOfChain,
          adopted_nonce: nonceOfChain,
        })
        .execute()
    })
    return
  }
  if (nonceOfChain === known.next_nonce) return
  const ahead = nonceOfChain > known.next_nonce
  throw ballastError(
    ahead ? 'NONCE_FOREIGN' : 'NONCE_LOST',
    ahead
      ? 'The wallet sent transactions that this journal does not know.'
      : 'The chain has lost transactions that this journal knows to be mined.',
    {
      wallet,
      nonceOfChain,
      nonceOfJournal: known.next_nonce,
      next: ahead
        ? 'ballast recover --reason "…" books what this bot sent; what somebody else sent is named, and released with your reason (ballast reconcile shows what differs)'
        : 'ask another endpoint first; ballast reconcile names what differs; then: ballast resume --reason "…"',
    },
  )
}

/** The nonce the journal would give next; undefined for a wallet it does not know. */
async function walletState(
  db: Kysely<Tables>,
  { chainId, wallet }: { chainId: number; wallet: Address },
): Promise<{ nextNonce: number } | undefined> {
  const { rows } = await selectNonce(db, { chainId, address: wallet.toLowerCase() })
  return rows[0] && { nextNonce: rows[0].next_nonce }
}

const selectNonce = prepared((db, where: { chainId: number; address: string }) =>
  db
    .selectFrom('wallet')
    .select('next_nonce')
    .where('chain_id', '=', where.chainId)
    .where('address', '=', where.address),
)

/**
 * A person has looked: the wallet goes on from the nonce the chain expects. Its books of other chains stay as they are.
 *
 * Refused while signed bytes are undecided: their nonce must not be given to anything else.
 */
async function releaseWallet(
  db: Kysely<Tables>,
  release: {
    chainId: number
    wallet: Address
    nonceOfChain: number
    reason: string
    at: number
    /** The first of the released nonces; without it, all that the journal would have given next. */
    from?: number
  },
): Promise<void> {
  const { chainId, wallet, nonceOfChain, reason, at, from } = release
  await db.transaction().execute(async (trx) => {
    const undecided = await trx
      .selectFrom('swap')
      .select('id')
      .where('chain_id', '=', chainId)
      .where('wallet', '=', wallet.toLowerCase())
      .where('state', 'in', [...liveStates])
      .unionAll(
        trx
          .selectFrom('attempt')
          .select('swap_id as id')
          .where('chain_id', '=', chainId)
          .where('wallet', '=', wallet.toLowerCase())
          .where('kind', '=', 'APPROVE')
          .where('closed_at_block', 'is', null),
      )
      .executeTakeFirst()
    if (undecided !== undefined)
      throw ballastError(
        'SWAP_UNDECIDED',
        'The wallet has signed bytes that are not decided yet.',
        { swapId: undecided.id, next: 'start ballast run: it follows them to their end' },
      )
    await trx
      .updateTable('wallet')
      .set({ next_nonce: nonceOfChain })
      .where('chain_id', '=', chainId)
      .where('address', '=', wallet.toLowerCase())
      .execute()
    // Only a chain that lost transactions expects a nonce that was signed for: it may be taken again.
    await trx
      .updateTable('attempt')
      .set({ given_back_at: at })
      .where('chain_id', '=', chainId)
      .where('wallet', '=', wallet.toLowerCase())
      .where('nonce', '>=', nonceOfChain)
      .execute()
    // The reason explains the moves of the foreign transactions: the ledger starts from what is there.
    await trx
      .deleteFrom('baseline')
      .where('chain_id', '=', chainId)
      .where('wallet', '=', wallet.toLowerCase())
      .execute()
    await appendEvent(trx, {
      of: `wallet ${wallet}`,
      at,
      type: 'RELEASED',
      facts: { chainId, reason, nonceOfChain, ...(from === undefined ? {} : { from }) },
    })
  })
}
