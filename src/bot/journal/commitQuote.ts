import { createHash } from 'node:crypto'
import type { Kysely, Transaction } from 'kysely'
import { BallastError } from '../../core/errors.ts'
import { canonicalJson } from '../../core/json.ts'
import type { Simulated } from '../stages.ts'
import { changeState } from './change.ts'
import { masked } from './masked.ts'
import { noAuthorization } from './noAuthorization.ts'
import type { Tables } from './tables.ts'

/** PLANNED to VERIFIED: the quote as it came, every check, and the simulation. A quote id is used once, for ever. */
export async function commitQuote(
  db: Kysely<Tables>,
  { simulated, at }: { simulated: Simulated; at: number },
): Promise<void> {
  await db.transaction().execute((trx) => writeQuote(trx, { simulated, at }))
}

/** The same inside the caller's transaction. */
export async function writeQuote(
  trx: Transaction<Tables>,
  { simulated, at }: { simulated: Simulated; at: number },
): Promise<void> {
  const { swapId, intent, call, quoteId, deadline, body, checks, simulation } = simulated
  const { numInsertedOrUpdatedRows } = await trx
    .insertInto('quote')
    .values({
      swap_id: swapId,
      chain_id: intent.sell.token.chainId,
      router: call.to.toLowerCase(),
      quote_id: quoteId,
      authorization: simulated.authorization ?? noAuthorization,
      deadline,
      amount_out: simulated.amountOut.wei.toString(),
      minimum: simulated.minimum.wei.toString(),
      // Evidence is what was said, not the key it was said to; the log has the hash of what came.
      body: masked(body),
      checks: canonicalJson(checks, masked),
      // What the sources said of it comes along: execution is measured against that.
      simulation: canonicalJson({ ...simulation, ...receivedWith(simulated) }, masked),
    })
    .onConflict((conflict) => conflict.columns(['chain_id', 'router', 'quote_id']).doNothing())
    .executeTakeFirst()
  if (numInsertedOrUpdatedRows !== 1n)
    throw new BallastError('The service gave a quote id that was used before.', {
      code: 'QUOTE_REUSED',
      remedy: 'skip',
      fault: 'refused',
      facts: { quoteId },
    })
  await changeState(trx, {
    swapId,
    from: ['PLANNED'],
    to: 'VERIFIED',
    // It may have become worth more since it was planned: the limits of others count that.
    set: { notional: simulated.notional?.wei.toString() ?? null },
    at,
    facts: {
      quoteId,
      bodySha256: createHash('sha256').update(body).digest('hex'),
      authorization: simulated.authorization ?? noAuthorization,
      deadline,
      amountOut: simulated.amountOut.wei,
      minimum: simulated.minimum.wei,
      checks,
      simulation,
    },
  })
}

/** When the quote was asked for and came, and what it was worth to the sources at that moment. */
function receivedWith({ requestedAt, receivedAt, appraisal }: Simulated) {
  const { askedAt, references, absent, notional, coin } = appraisal
  return {
    requestedAt,
    receivedAt,
    appraisal: {
      askedAt,
      references: references.map(({ through: _, ...said }) => said),
      absent,
      notional,
      coin,
    },
  }
}
