import type { Transaction as Work } from 'kysely'
import { parseTransaction } from 'viem'
import type { Hex } from '../../../chain/calls/fields.ts'
import type { SignedPermit } from '../../../chain/settlement/permit.ts'
import { assert } from '../../../core/assert.ts'
import type { Address } from '../../../core/token.ts'
import type { AttemptKind, Plan, Transaction } from '../../stages.ts'
import { appendEvent } from '../log/log.ts'
import { packed } from '../store/packed.ts'
import { bytesColumns, lostEvidence } from '../store/rows.ts'
import type { Store } from '../store/store.ts'
import type { Tables } from '../store/tables.ts'
import { writePlan } from '../store/text.ts'
import { changeState } from '../swaps/changeState.ts'
import { bookPermit } from './bookPermit.ts'
import { signatureOf } from './permits.ts'

/** Bytes of this wallet that a chain has mined and this journal does not know. */
export type RecoveredBytes = {
  readonly hash: Hex
  readonly raw: Hex
  readonly nonce: number
  /** Of their block, in milliseconds since the epoch: limits over time count from it. */
  readonly minedAt: number
}

/** What the calldata says of a recovered swap. */
export type RecoveredTerms = {
  readonly router: Address
  readonly quoteId: string
  readonly authorization: Hex
  /** Unix seconds. */
  readonly deadline: number
  readonly minimum: bigint
  /** What its call brought along; undefined where an approval came first. */
  readonly permit: SignedPermit | undefined
}

/**
 * Writes down what a lost journal knew: a plan, and the bytes that the chain shows as mined. From there on it is a swap
 * like any other; its end is read from the chain by the code that reads every end.
 *
 * Each write is one transaction and takes its nonces in order, so a recovery that was stopped goes on where it stopped.
 */
export const createRecovered = (store: Store) => ({
  plan: (plan: Plan, minedAt: number) => bookPlan(store, { plan, minedAt }),
  approval: (swapId: string, bytes: RecoveredBytes) => bookApproval(store, { swapId, bytes }),
  swap: (swapId: string, bytes: RecoveredBytes, terms: RecoveredTerms) =>
    bookSwap(store, { swapId, bytes, terms }),
  bid: (swapId: string, kind: AttemptKind, bytes: RecoveredBytes) =>
    bookBid(store, { swapId, kind, bytes }),
  ownerOf: (permit: SignedPermit) => ownerOf(store, permit),
})

/** The swap that this permit was stored for; undefined where no book has it. */
async function ownerOf({ db }: Store, permit: SignedPermit): Promise<string | undefined> {
  const row = await db
    .selectFrom('permit')
    .select('swap_id')
    .where('signature', '=', signatureOf(permit))
    .executeTakeFirst()
  return row?.swap_id
}

async function bookPlan(
  { db, clock }: Store,
  { plan, minedAt }: { plan: Plan; minedAt: number },
): Promise<void> {
  const { swapId, key, strategy, intent, wallet, notional } = plan
  const text = writePlan(plan)
  const at = clock.now()
  await db.transaction().execute(async (trx) => {
    await trx
      .insertInto('swap')
      .values({
        ...{ id: swapId, key, strategy, plan: packed(text), state: 'PLANNED', version: 1 },
        chain_id: intent.sell.token.chainId,
        wallet: wallet.toLowerCase(),
        sell_token: intent.sell.token.address.toLowerCase(),
        buy_token: intent.buy.address.toLowerCase(),
        amount_in: intent.sell.wei.toString(),
        notional: notional?.wei.toString() ?? null,
        notional_unit: notional?.token.address.toLowerCase() ?? null,
        slot: null,
        slot_try: null,
        created_at: minedAt,
        updated_at: at,
      })
      .execute()
    const facts = { reason: intent.reason, plan: JSON.parse(text) }
    await appendEvent(trx, { of: swapId, at, type: 'PLANNED', facts })
  })
}

async function bookApproval(
  { db, clock }: Store,
  { swapId, bytes }: { swapId: string; bytes: RecoveredBytes },
): Promise<void> {
  const at = clock.now()
  await db.transaction().execute(async (trx) => {
    await insertBytes(trx, { swapId, kind: 'APPROVE', bytes, at, takes: true })
    const { hash, nonce } = bytes
    await appendEvent(trx, { of: swapId, at, type: 'APPROVING', facts: { hash, nonce } })
  })
}

/** From its plan, or from the quote that was known before the journal was lost, to signed. */
async function bookSwap(
  { db, clock }: Store,
  { swapId, bytes, terms }: { swapId: string; bytes: RecoveredBytes; terms: RecoveredTerms },
): Promise<void> {
  const at = clock.now()
  const { hash, nonce, minedAt } = bytes
  const { deadline, permit } = terms
  await db.transaction().execute(async (trx) => {
    const { state } = await trx
      .selectFrom('swap')
      .select('state')
      .where('id', '=', swapId)
      .executeTakeFirstOrThrow()
    if (state === 'PLANNED') await writeLostQuote(trx, { swapId, terms, at })
    await insertBytes(trx, { swapId, kind: 'SWAP', bytes, at, takes: true })
    if (permit !== undefined) await bookPermit(trx, { swapId, permit, bytes })
    await changeState(trx, {
      ...{ swapId, from: ['VERIFIED'], type: 'SIGNED', at },
      set: { nonce, deadline, signed_at: minedAt },
      facts: { hash, nonce },
    })
  })
}

/** The terms are in the calldata; the answer, the checks and the simulation are lost. */
async function writeLostQuote(
  trx: Work<Tables>,
  { swapId, terms, at }: { swapId: string; terms: RecoveredTerms; at: number },
): Promise<void> {
  const { router, quoteId, authorization, deadline, minimum } = terms
  const { chain_id } = await trx
    .selectFrom('swap')
    .select('chain_id')
    .where('id', '=', swapId)
    .executeTakeFirstOrThrow()
  await trx
    .insertInto('quote')
    .values({
      ...{ swap_id: swapId, chain_id, authorization, deadline },
      router: router.toLowerCase(),
      quote_id: quoteId,
      amount_out: minimum.toString(),
      minimum: minimum.toString(),
      body: packed(lostEvidence),
      checks: packed('[]'),
      simulation: packed(lostEvidence),
    })
    .execute()
  await changeState(trx, {
    ...{ swapId, from: ['PLANNED'], type: 'VERIFIED', at },
    facts: { quoteId, authorization, deadline, minimum, recovered: true },
  })
}

/** Other bytes for a nonce that an open swap already has: a dearer bid or a cancellation. */
async function bookBid(
  { db, clock }: Store,
  { swapId, kind, bytes }: { swapId: string; kind: AttemptKind; bytes: RecoveredBytes },
): Promise<void> {
  const at = clock.now()
  const { hash, nonce } = bytes
  await db.transaction().execute(async (trx) => {
    const replaced = await trx
      .selectFrom('attempt')
      .select('hash')
      .where('swap_id', '=', swapId)
      .where('nonce', '=', nonce)
      .orderBy('created_at', 'desc')
      .executeTakeFirstOrThrow()
    const replaces = replaced.hash as Hex
    await insertBytes(trx, { swapId, kind, bytes, at, replaces })
    const facts = { hash, nonce, replaces }
    const from = ['SIGNED', 'SENT', 'CANCELLING'] as const
    if (kind === 'APPROVE') await appendEvent(trx, { of: swapId, at, type: 'APPROVING', facts })
    else if (kind === 'CANCEL')
      await changeState(trx, { swapId, from, type: 'CANCELLING', at, facts: { hash, replaces } })
    else await changeState(trx, { swapId, from: ['SIGNED', 'SENT'], type: 'SIGNED', at, facts })
  })
}

async function insertBytes(
  trx: Work<Tables>,
  booked: {
    readonly swapId: string
    readonly kind: AttemptKind
    readonly bytes: RecoveredBytes
    readonly at: number
    readonly replaces?: Hex
    /** Whether they take the wallet's next nonce. Nothing is skipped: what lies between is booked or released first. */
    readonly takes?: boolean
  },
): Promise<void> {
  const { swapId, kind, bytes, at, replaces, takes = false } = booked
  const { hash, raw, nonce } = bytes
  const { wallet, chain_id } = await trx
    .selectFrom('swap')
    .select(['wallet', 'chain_id'])
    .where('id', '=', swapId)
    .executeTakeFirstOrThrow()
  if (takes) {
    const { numUpdatedRows } = await trx
      .updateTable('wallet')
      .set({ next_nonce: nonce + 1 })
      .where('chain_id', '=', chain_id)
      .where('address', '=', wallet)
      .where('next_nonce', '=', nonce)
      .executeTakeFirstOrThrow()
    assert(numUpdatedRows === 1n, 'recovered bytes are booked in the order of their nonces')
  }
  await trx
    .insertInto('attempt')
    .values({
      ...{ hash, swap_id: swapId, kind, chain_id, wallet, nonce },
      ...bytesColumns({ raw, transaction: transactionOf(raw) }),
      created_at: at,
      replaces: replaces ?? null,
    })
    .execute()
}

/** The fields of signed bytes. RLP has no zero: an absent number is 0 and absent data is 0x. */
function transactionOf(raw: Hex): Transaction {
  const { to, data, value, gas, maxFeePerGas, maxPriorityFeePerGas, chainId, nonce } =
    parseTransaction(raw)
  assert(
    to !== undefined && to !== null && chainId !== undefined,
    'recovered bytes call an account',
  )
  return {
    ...{ to, data: data ?? '0x', value: value ?? 0n, gas: gas ?? 0n },
    ...{ maxFeePerGas: maxFeePerGas ?? 0n, maxPriorityFeePerGas: maxPriorityFeePerGas ?? 0n },
    ...{ chainId, nonce: nonce ?? 0 },
  }
}
