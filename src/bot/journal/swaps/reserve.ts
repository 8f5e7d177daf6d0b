import { createHash } from 'node:crypto'
import type { Insertable, Kysely, Transaction } from 'kysely'
import { ballastError } from '../../../core/errors.ts'
import type { Address } from '../../../core/token.ts'
import type { Leg } from '../../aftermath.ts'
import type { Permitted, Planned, Simulated, Spent } from '../../stages.ts'
import { deadStates, type SwapState } from '../../state.ts'
import { readSpent } from '../limits/limits.ts'
import { holdTreasury } from '../limits/treasury.ts'
import { appendEvent } from '../log/log.ts'
import { packed } from '../store/packed.ts'
import { prepared } from '../store/prepared.ts'
import { inLog, noAuthorization } from '../store/rows.ts'
import type { Store } from '../store/store.ts'
import type { QuoteTable, Tables } from '../store/tables.ts'
import { masked, maskedJson, writePlan } from '../store/text.ts'
import { changeState } from './changeState.ts'

const dead: readonly SwapState[] = deadStates

/** The slot a plan is for, and which attempt at it this is. */
export type SlotTry = { readonly slot: number; readonly attempt: number }

/** What a plan is for: a slot, or a person, by the name of the account. */
export type PlanFor = SlotTry | { readonly by: string }

/**
 * Writes a plan down and reserves what it sells, in one transaction with the check of the limits:
 * two plans cannot spend one limit.
 *
 * Returns false when a swap with this key exists already, or when an earlier attempt at its slot is not proven dead:
 * the slot was planned before.
 * `screen` is given what others spent and throws when the plan does not fit.
 */
export async function reserve(
  { db, clock, coin, treasury }: Store,
  {
    planned,
    screen,
    wanted,
  }: { planned: Planned; screen: (spent: Spent) => void; wanted?: PlanFor | undefined },
): Promise<boolean> {
  const { swapId, key, strategy, intent, wallet, notional } = planned
  const slot = wanted !== undefined && 'slot' in wanted ? wanted : undefined
  const by = wanted !== undefined && 'by' in wanted ? { by: masked(wanted.by) } : {}
  const plan = writePlan(planned)
  const at = clock.now()
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
        plan: packed(plan),
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

    screen(await readSpent(trx, { plan: planned, at, coin }))
    await holdTreasury(trx, { treasury, swapId, notional, at })
    const facts = { reason: intent.reason, plan: JSON.parse(plan), ...by }
    await appendEvent(trx, { of: swapId, at, type: 'PLANNED', facts })
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

/** Whether a quote with this id was taken before. The database's unique index checks again when it is stored. */
export async function quoteSeen(
  db: Kysely<Tables>,
  {
    chainId,
    router,
    quoteId,
    swapId,
  }: { chainId: number; router: Address; quoteId: string; swapId: string },
): Promise<boolean> {
  const { rows } = await selectQuote(db, {
    ...{ chainId, quoteId, swapId },
    router: router.toLowerCase(),
  })
  return rows.length > 0
}

const selectQuote = prepared(
  (db, where: { chainId: number; router: string; quoteId: string; swapId: string }) =>
    db
      .selectFrom('quote')
      .select('swap_id')
      .where('chain_id', '=', where.chainId)
      .where('router', '=', where.router)
      .where('quote_id', '=', where.quoteId)
      .where('swap_id', '!=', where.swapId)
      .limit(1),
)

/** PLANNED to VERIFIED: the quote as it came, every check, and the simulation. A quote id is used once, for ever. */
export async function commitQuote(
  db: Kysely<Tables>,
  { simulated, at }: { simulated: Simulated; at: number },
): Promise<void> {
  await db.transaction().execute((trx) => writeQuote(trx, { simulated, at }))
}

/** The part of a quote's rows that is known before it is simulated. */
type QuoteTexts = {
  readonly of: string
  readonly body: Uint8Array
  readonly bodySha256: string
  readonly legs: Uint8Array | null
}

const textsOf = ({ body, orders }: Pick<Permitted, 'body' | 'orders'>): QuoteTexts => ({
  of: body,
  // Evidence is the message, not the key it was sent to; the log has the hash of what came.
  body: packed(masked(body)),
  bodySha256: createHash('sha256').update(body).digest('hex'),
  legs: legsOf(orders),
})

/** By swap, and of as many as are simulated at the same time. */
const textsReady = new Map<string, QuoteTexts>()
const readyMax = 100

/** Makes the rows of a quote ready while the node plays it, so that its commit need not. */
export async function prepareQuote(
  permitted: Pick<Permitted, 'swapId' | 'body' | 'orders'>,
): Promise<void> {
  if (textsReady.size >= readyMax) textsReady.clear()
  textsReady.set(permitted.swapId, textsOf(permitted))
}

/** Those that were made ready, where they are of this answer. */
function takeTexts(simulated: Simulated): QuoteTexts {
  const ready = textsReady.get(simulated.swapId)
  textsReady.delete(simulated.swapId)
  return ready?.of === simulated.body ? ready : textsOf(simulated)
}

/** The same inside the caller's transaction. */
export async function writeQuote(
  trx: Transaction<Tables>,
  { simulated, at }: { simulated: Simulated; at: number },
): Promise<void> {
  const { swapId, intent, call, quoteId, deadline, checks, simulation } = simulated
  const { body, bodySha256, legs } = takeTexts(simulated)
  const { numAffectedRows } = await insertQuote(trx, {
    swap_id: swapId,
    chain_id: intent.sell.token.chainId,
    router: call.to.toLowerCase(),
    quote_id: quoteId,
    authorization: simulated.authorization ?? noAuthorization,
    deadline,
    amount_out: simulated.amountOut.wei.toString(),
    minimum: simulated.minimum.wei.toString(),
    body,
    checks: inLogPacked,
    // The sources' answers on it come along: execution is measured against them.
    simulation: packed(maskedJson({ ...simulation, ...receivedWith(simulated) })),
    legs,
  })
  if (numAffectedRows !== 1n)
    throw ballastError('QUOTE_REUSED', 'The service gave a quote id that was used before.', {
      quoteId,
    })
  await changeState(trx, {
    swapId,
    from: ['PLANNED'],
    type: 'VERIFIED',
    // It may have become worth more since it was planned: the limits of others count that.
    set: { notional: simulated.notional?.wei.toString() ?? null },
    at,
    facts: {
      quoteId,
      bodySha256,
      authorization: simulated.authorization ?? noAuthorization,
      deadline,
      amountOut: simulated.amountOut.wei,
      minimum: simulated.minimum.wei,
      checks,
      simulation,
    },
  })
}

const insertQuote = prepared((db, row: NewQuote) => {
  const { swap_id, chain_id, router, quote_id, authorization, deadline } = row
  const { amount_out, minimum, body, checks, simulation, legs } = row
  return db
    .insertInto('quote')
    .values({
      ...{ swap_id, chain_id, router, quote_id, authorization, deadline },
      ...{ amount_out, minimum, body, checks, simulation, legs },
    })
    .onConflict((conflict) => conflict.columns(['chain_id', 'router', 'quote_id']).doNothing())
})

type NewQuote = Required<Insertable<QuoteTable>>

const inLogPacked = packed(inLog)

/** The legs as the calldata has them; null where it cannot be read. An order of a pool has no signer. */
function legsOf(orders: Permitted['orders']) {
  if (orders.length === 0) return null
  const legs = orders.map(
    ({ order }): Leg => ({
      maker: BigInt(order.signer) === 0n ? undefined : order.buyer,
      ...{ sell: order.sellerToken, sold: order.sellerTokenAmount },
      ...{ buy: order.buyerToken, bought: order.buyerTokenAmount },
    }),
  )
  return packed(maskedJson(legs))
}

/** When the quote was requested and came, and what it was worth to the sources at that moment. */
function receivedWith({ requestedAt, receivedAt, appraisal }: Simulated) {
  const { askedAt, block, references, absent, notional, coin } = appraisal
  return {
    requestedAt,
    receivedAt,
    appraisal: {
      askedAt,
      ...(block === undefined ? {} : { block }),
      references: references.map(({ endpoints: _, liarsMin: __, exact: ___, ...said }) => said),
      absent,
      notional,
      coin,
    },
  }
}
