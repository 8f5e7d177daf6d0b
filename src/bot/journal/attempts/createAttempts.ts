import type { Insertable, Kysely, Transaction } from 'kysely'
import type { Hex } from '../../../chain/calls/fields.ts'
import { isPermitCall } from '../../../chain/settlement/codec.ts'
import { isRevocation } from '../../../chain/settlement/isRevocation.ts'
import { BallastError, ballastError } from '../../../core/errors.ts'
import type { Act } from '../../lock.ts'
import { type Journaled, pass, type Signed, type Simulated } from '../../stages.ts'
import { holdTreasury } from '../limits/treasury.ts'
import { guard } from '../locks/guard.ts'
import { appendEvent } from '../log/log.ts'
import { prepared } from '../store/prepared.ts'
import { bytesColumns } from '../store/rows.ts'
import { type Store, stamped } from '../store/store.ts'
import type { AttemptTable, Tables } from '../store/tables.ts'
import { changeState, closeSigned } from '../swaps/changeState.ts'
import { commitQuote, prepareQuote, writeQuote } from '../swaps/reserve.ts'
import {
  abandonApproval,
  closeApproval,
  includeSwap,
  noteAnswers,
  noteSent,
  publishBytes,
  settleSwap,
  unincludeSwap,
  writeOffSwap,
} from './outcomes.ts'
import { commitPermit, sendPermit } from './permits.ts'

/** All that belongs to signed bytes: what stores them, and what writes down what a chain did with them. */
export const createAttempts = (store: Store) => ({
  prepareQuote,
  commitQuote: (simulated: Simulated) =>
    commitQuote(store.db, { simulated, at: store.clock.now() }),
  commitSwap: (signed: Signed, simulated: Simulated) => commitSwap(store, { signed, simulated }),
  commitApproval: (signed: Signed) => commitApproval(store, signed),
  commitPermit: (permitted: Parameters<typeof commitPermit>[1]) => commitPermit(store, permitted),
  commitCancel: (signed: Signed, replaces: Hex) => commitCancel(store, { signed, replaces }),
  commitBump: (signed: Signed, replaces: Hex) => commitBump(store, { signed, replaces }),
  ...stamped(store, {
    noteSent,
    noteAnswers,
    publish: publishBytes,
    include: includeSwap,
    uninclude: unincludeSwap,
    settle: settleSwap,
    close: closeSigned,
    writeOff: writeOffSwap,
    closeApproval,
    abandonApproval,
  }),
})

/**
 * The write-ahead point. The quote with every check, the nonce and the bytes are stored in one commit, VERIFIED and SIGNED;
 * only its return makes the bytes broadcastable.
 */
async function commitSwap(
  { db, clock, haltFile, coin, treasury }: Store,
  { signed, simulated }: { signed: Signed; simulated: Simulated },
): Promise<Journaled> {
  const at = clock.now()
  const { swapId, transaction, hash } = signed
  const { deadline } = simulated
  await commitBytes(db, hash, async (trx) => {
    // Locked since it was signed: the bytes are dropped here, where nothing can come between the question and the commit.
    await guard(trx, { act: 'sign', subject: { swapId }, at, haltFile, coin })
    // It may have become worth more since it was planned, and so may another wallet's.
    await holdTreasury(trx, { treasury, swapId, notional: simulated.notional, at })
    await takeNonce(trx, signed)
    await writeQuote(trx, { simulated, at })
    await insertAttempt(trx, signed, { at })
    if (isPermitCall(transaction.data)) await sendPermit(trx, { swapId, deadline })
    await changeState(trx, {
      swapId,
      from: ['VERIFIED'],
      type: 'SIGNED',
      set: { nonce: transaction.nonce, deadline, signed_at: at },
      at,
      facts: { hash, nonce: transaction.nonce },
    })
  })
  return pass<Journaled>(signed)
}

/** An approval's bytes and nonce. Its swap stays PLANNED. */
async function commitApproval(
  { db, clock, haltFile, coin }: Store,
  signed: Signed,
): Promise<Journaled> {
  const at = clock.now()
  const act = actOf(signed.transaction.data)
  await commitBytes(db, signed.hash, async (trx) => {
    await guard(trx, { act, subject: { swapId: signed.swapId }, at, haltFile, coin })
    await takeNonce(trx, signed)
    await insertAttempt(trx, signed, { at })
    await appendEvent(trx, {
      of: signed.swapId,
      at,
      type: 'APPROVING',
      facts: { hash: signed.hash, nonce: signed.transaction.nonce },
    })
  })
  return pass<Journaled>(signed)
}

/**
 * A cancellation of a swap whose deadline has passed: other bytes for the same nonce, that outbid `replaces`.
 * A dearer one may follow it.
 */
async function commitCancel(
  { db, clock, haltFile, coin }: Store,
  { signed, replaces }: { signed: Signed; replaces: Hex },
): Promise<Journaled> {
  const at = clock.now()
  const { swapId, hash } = signed
  await commitBytes(db, hash, async (trx) => {
    await guard(trx, { act: 'cancel', subject: { swapId }, at, haltFile, coin })
    await insertAttempt(trx, signed, { at, replaces })
    await changeState(trx, {
      swapId,
      from: ['SIGNED', 'SENT', 'CANCELLING'],
      type: 'CANCELLING',
      at,
      facts: { hash, replaces },
    })
  })
  return pass<Journaled>(signed)
}

/** The same call under the same nonce with a higher fee. Durable before it is sent, as the first bytes were. */
async function commitBump(
  { db, clock, haltFile, coin }: Store,
  { signed, replaces }: { signed: Signed; replaces: Hex },
): Promise<Journaled> {
  const at = clock.now()
  const { swapId, hash, transaction } = signed
  await commitBytes(db, hash, async (trx) => {
    const act = actOf(transaction.data)
    await guard(trx, { act, subject: { swapId }, at, haltFile, coin })
    await insertAttempt(trx, signed, { at, replaces })
    const facts = { hash, nonce: transaction.nonce, replaces }
    if (signed.kind === 'APPROVE')
      await appendEvent(trx, { of: swapId, at, type: 'APPROVING', facts })
    else await changeState(trx, { swapId, from: ['SIGNED', 'SENT'], type: 'SIGNED', at, facts })
  })
  return pass<Journaled>(signed)
}

/** What takes an allowance back is no trade: of all locks only a halt forbids it. */
const actOf = (data: Hex): Act => (isRevocation(data) ? 'revoke' : 'sign')

async function takeNonce(trx: Transaction<Tables>, { wallet, transaction }: Signed): Promise<void> {
  const { chainId, nonce } = transaction
  const { numAffectedRows } = await updateNonce(trx, {
    ...{ chainId, address: wallet.toLowerCase() },
    ...{ nonce, next: nonce + 1 },
  })
  if (numAffectedRows !== 1n)
    throw ballastError(
      'NONCE_DIVERGED',
      'The nonce the chain expects is not the one the journal would give next.',
      { wallet, nonceOfChain: transaction.nonce },
    )
}

const updateNonce = prepared(
  (db, where: { chainId: number; address: string; nonce: number; next: number }) =>
    db
      .updateTable('wallet')
      .set({ next_nonce: where.next })
      .where('chain_id', '=', where.chainId)
      .where('address', '=', where.address)
      .where('next_nonce', '=', where.nonce),
)

async function insertAttempt(
  trx: Transaction<Tables>,
  signed: Signed,
  { at, replaces }: { at: number; replaces?: Hex },
): Promise<void> {
  const { swapId, kind, wallet, transaction, raw, hash } = signed
  await insertRow(trx, {
    hash,
    swap_id: swapId,
    kind,
    chain_id: transaction.chainId,
    wallet: wallet.toLowerCase(),
    nonce: transaction.nonce,
    ...bytesColumns({ raw, transaction }),
    created_at: at,
    replaces: replaces ?? null,
  })
}

const insertRow = prepared((db, row: NewAttempt) => {
  const { hash, swap_id, kind, chain_id, wallet, nonce, raw, transaction } = row
  const { created_at, replaces } = row
  return db.insertInto('attempt').values({
    ...{ hash, swap_id, kind, chain_id, wallet, nonce, raw, transaction },
    ...{ created_at, replaces },
  })
})

type NewAttempt = Pick<
  Insertable<AttemptTable>,
  | ('hash' | 'swap_id' | 'kind' | 'chain_id' | 'wallet' | 'nonce' | 'raw' | 'transaction')
  | ('created_at' | 'replaces')
>

/**
 * Runs the transaction that stores signed bytes, and returns only when they are known to be stored.
 *
 * Where the answer of COMMIT was lost they are looked for: found is stored; not found is not, and the error of the
 * commit goes on, as does that of a look that fails. A look takes the right to write, so a commit that the server is
 * still busy with ends first.
 */
async function commitBytes(
  db: Kysely<Tables>,
  hash: Hex,
  work: (trx: Transaction<Tables>) => Promise<void>,
): Promise<void> {
  try {
    await db.transaction().execute(work)
  } catch (error) {
    if (!(error instanceof BallastError) || error.code !== 'COMMIT_UNKNOWN') throw error
    const stored = await db
      .transaction()
      .execute((trx) =>
        trx.selectFrom('attempt').select('hash').where('hash', '=', hash).executeTakeFirst(),
      )
    if (stored === undefined) throw error
  }
}
