import type { Kysely, Selectable, Transaction } from 'kysely'
import type { Hex } from '../../../chain/calls/fields.ts'
import type { Receipt } from '../../../chain/calls/getReceipt.ts'
import type { Amount } from '../../../core/amount.ts'
import { writtenOff } from '../../state.ts'
import type { OfferedTo, Verdict } from '../../verdict.ts'
import { addTotal } from '../limits/limits.ts'
import { appendEvent } from '../log/log.ts'
import type { AttemptTable, Tables } from '../store/tables.ts'
import { masked } from '../store/text.ts'
import { changeState, minedFacts, paidFacts } from '../swaps/changeState.ts'
import { setAllowance, useAllowance } from '../wallet/allowances.ts'

/** Notes an offer of bytes to the network, and its answer. SENT is a marker: SIGNED already permits everything. */
export async function noteSent(
  db: Kysely<Tables>,
  sent: {
    hash: Hex
    swapId: string
    block: number
    verdict: Verdict
    taken: boolean
    words: string
    offered?: OfferedTo & { readonly offeredAt: number }
    at: number
  },
): Promise<void> {
  const { hash, swapId, block, verdict, taken, words, offered, at } = sent
  await db.transaction().execute(async (trx) => {
    await trx
      .updateTable('attempt')
      .set({ sent_at_block: block, answer: masked(words), verdict })
      .where('hash', '=', hash)
      .execute()
    const { state } = await trx
      .selectFrom('swap')
      .select('state')
      .where('id', '=', swapId)
      .executeTakeFirstOrThrow()
    const facts = { hash, block, verdict, words, ...offered }
    if (taken && state === 'SIGNED')
      await changeState(trx, { swapId, from: ['SIGNED'], type: 'SENT', at, facts })
    else await appendEvent(trx, { of: swapId, at, type: 'OFFERED', facts })
  })
}

/** Writes down what endpoints said after the offer had its answer. */
export async function noteAnswers(
  db: Kysely<Tables>,
  { hash, swapId, answers, at }: Heard & { readonly at: number },
): Promise<void> {
  await db
    .transaction()
    .execute((trx) =>
      appendEvent(trx, { of: swapId, at, type: 'ANSWERED', facts: { hash, answers } }),
    )
}

type Heard = {
  readonly hash: Hex
  readonly swapId: string
  readonly answers: OfferedTo['answers']
}

/**
 * Bytes become public. Durable before any public endpoint has them: what the log does not show as published was given to
 * private relays alone, whenever the process died.
 */
export async function publishBytes(
  db: Kysely<Tables>,
  {
    hash,
    swapId,
    afterMs,
    to,
    at,
  }: { hash: Hex; swapId: string; afterMs: number; to: readonly string[]; at: number },
): Promise<void> {
  await db.transaction().execute(async (trx) => {
    await trx
      .updateTable('attempt')
      .set({ published_at: at })
      .where('hash', '=', hash)
      .executeTakeFirstOrThrow()
    await appendEvent(trx, { of: swapId, at, type: 'PUBLISHED', facts: { hash, afterMs, to } })
  })
}

/** Seen in a block of the canonical chain. Not final before depth. */
export async function includeSwap(
  db: Kysely<Tables>,
  { swapId, receipt, at }: { swapId: string; receipt: Receipt; at: number },
): Promise<void> {
  await db.transaction().execute((trx) =>
    changeState(trx, {
      swapId,
      from: ['SIGNED', 'SENT', 'CANCELLING'],
      type: 'INCLUDED',
      set: {
        included_hash: receipt.hash,
        included_block: receipt.blockNumber,
        included_block_hash: receipt.blockHash,
      },
      at,
      facts: minedFacts(receipt),
    }),
  )
}

/** A reorganisation removed it: back to waiting, with everything still owed. */
export async function unincludeSwap(
  db: Kysely<Tables>,
  { swapId, at }: { swapId: string; at: number },
): Promise<void> {
  await db.transaction().execute(async (trx) => {
    const cancel = await trx
      .selectFrom('attempt')
      .select('hash')
      .where('swap_id', '=', swapId)
      .where('kind', '=', 'CANCEL')
      .executeTakeFirst()
    await changeState(trx, {
      swapId,
      from: ['INCLUDED'],
      type: cancel === undefined ? 'SENT' : 'CANCELLING',
      set: { included_hash: null, included_block: null, included_block_hash: null },
      at,
      facts: { because: 'its block is no longer on the chain' },
    })
  })
}

/** The real moves of a settled swap. */
type Settlement = {
  readonly sold: Amount
  readonly received: Amount
  readonly gasUsed: bigint
  readonly gasPaid: bigint
  readonly tipPaid?: bigint | undefined
  readonly basePaid?: bigint | undefined
  readonly agrees: boolean | undefined
  readonly short: boolean | undefined
  readonly rounded?: boolean
}

/**
 * The swap happened: its end, with the amounts that really moved. `word` is that of the person who ends one that gave
 * nothing.
 */
export async function settleSwap(
  db: Kysely<Tables>,
  { swapId, measured, word, at }: { swapId: string; measured: Settlement; word?: Word; at: number },
): Promise<void> {
  const { sold, received, gasUsed, agrees, short, rounded } = measured
  const amounts = {
    sold: sold.wei.toString(),
    received: received.wei.toString(),
    gas_used: gasUsed.toString(),
    ...paidFacts(measured),
  }
  const end = word && { code: writtenOff, reason: masked(word.reason) }
  await db.transaction().execute(async (trx) => {
    await changeState(trx, {
      swapId,
      from: ['INCLUDED'],
      type: 'SETTLED',
      set: { ...amounts, agrees: bit(agrees), short: bit(short), ...end },
      at,
      facts: {
        ...{ ...amounts, agrees, short },
        ...(rounded === undefined ? {} : { rounded }),
        ...(word && { ...end, by: masked(word.by) }),
      },
    })
    await useAllowance(trx, { swapId, sold, at })
    await addTotal(trx, { strategy: await strategyOf(trx, swapId), sold, received })
  })
}

/** Why a person ends a swap, and who. */
type Word = { readonly reason: string; readonly by: string }

/**
 * A person's word ends a swap that was mined and moved nothing: it sold 0, received 0 and cost its gas. Its state is that of
 * a call that reverted, since every limit and total treats it the same; its code tells them apart.
 */
export async function writeOffSwap(
  db: Kysely<Tables>,
  { swapId, receipt, reason, by, at }: Word & { swapId: string; receipt: Receipt; at: number },
): Promise<void> {
  const end = { code: writtenOff, gas_used: receipt.gasUsed.toString(), ...paidFacts(receipt) }
  await db.transaction().execute((trx) =>
    changeState(trx, {
      ...{ swapId, from: ['INCLUDED'], type: 'REVERTED', at },
      set: { ...end, reason: masked(reason) },
      facts: { ...end, reason, by: masked(by), ...minedFacts(receipt) },
    }),
  )
}

async function strategyOf(trx: Transaction<Tables>, swapId: string): Promise<string> {
  const { strategy } = await trx
    .selectFrom('swap')
    .select('strategy')
    .where('id', '=', swapId)
    .executeTakeFirstOrThrow()
  return strategy
}

const bit = (known: boolean | undefined) => (known === undefined ? null : Number(known))

/** An approval whose nonce another transaction took: it can never be mined, at no fee that was offered. */
export async function abandonApproval(
  db: Kysely<Tables>,
  { hash, at }: { hash: Hex; at: number },
): Promise<void> {
  await db.transaction().execute(async (trx) => {
    // Height 0: no block of it will ever be found.
    const { swap_id } = await closeNonceOf(trx, { hash, block: 0 })
    await appendEvent(trx, { of: swap_id, at, type: 'APPROVAL_DISPLACED', facts: { hash } })
  })
}

/**
 * An approval is mined and deep: its nonce is spent and the next step may follow. The router's allowance is written
 * down with it.
 */
export async function closeApproval(
  db: Kysely<Tables>,
  { hash, receipt, at }: { hash: Hex; receipt: Receipt; at: number },
): Promise<void> {
  const paid = paidFacts(receipt)
  await db.transaction().execute(async (trx) => {
    const mined = await closeNonceOf(trx, { hash, block: receipt.blockNumber })
    await trx.updateTable('attempt').set(paid).where('hash', '=', hash).executeTakeFirstOrThrow()
    if (receipt.success) await setAllowance(trx, mined, at)
    const facts = { ...paid, ...minedFacts(receipt) }
    await appendEvent(trx, { of: mined.swap_id, at, type: 'APPROVED', facts })
  })
}

/** Closes every bid for the nonce of these bytes: one was mined, the others never will be. */
async function closeNonceOf(
  trx: Transaction<Tables>,
  { hash, block }: { hash: Hex; block: number },
): Promise<Selectable<AttemptTable>> {
  const attempt = await trx
    .selectFrom('attempt')
    .selectAll()
    .where('hash', '=', hash)
    .executeTakeFirstOrThrow()
  await trx
    .updateTable('attempt')
    .set({ closed_at_block: block })
    .where('chain_id', '=', attempt.chain_id)
    .where('wallet', '=', attempt.wallet)
    .where('nonce', '=', attempt.nonce)
    .where('kind', '=', 'APPROVE')
    .execute()
  return attempt
}
