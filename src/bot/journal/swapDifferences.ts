import { type Kysely, sql } from 'kysely'
import { keccak256 } from 'viem'
import { z } from 'zod'
import type { Hex } from '../../chain/calls/fields.ts'
import { openStates } from '../state.ts'
import type { Tables } from './tables.ts'

/** A swap of which the tables say one thing and the log another. */
export type SwapDifference = { readonly swapId: string; readonly why: string }

const finalStates = ['SETTLED', 'REVERTED', 'EXPIRED_DEAD', 'DISPLACED', 'REJECTED', 'ABANDONED']
const states = [...openStates, ...finalStates]

const amounts = z.object({ sold: z.string(), received: z.string() })

/** Swaps read at a time. */
const page = 1_000

/**
 * Compares every swap with its own entries of the log: its state, what it moved, and the bytes that were signed for it.
 * History, reports and limits are read from the tables; the chain covers the log.
 */
export async function swapDifferences(db: Kysely<Tables>): Promise<readonly SwapDifference[]> {
  const differences: SwapDifference[] = []
  let last = ''
  for (;;) {
    const rows = await db
      .selectFrom('event')
      .leftJoin('swap', 'swap.id', 'event.swap_id')
      .select(['event.swap_id', 'event.type', 'event.facts'])
      .select(['swap.state', 'swap.sold', 'swap.received'])
      .where(
        'event.seq',
        'in',
        db
          .selectFrom('event')
          .select(({ fn }) => fn.max('seq').as('seq'))
          .where('type', 'in', states)
          .groupBy('swap_id'),
      )
      .where('event.swap_id', '>', last)
      .orderBy('event.swap_id')
      .limit(page)
      .execute()
    for (const { swap_id: swapId, type, facts, state, sold, received } of rows) {
      last = swapId
      const why = differs({ type, facts, state, sold, received })
      if (why !== undefined) differences.push({ swapId, why })
    }
    if (rows.length < page) break
  }
  return [...differences, ...(await unlogged(db)), ...(await otherBytes(db))]
}

function differs({
  type,
  facts,
  state,
  sold,
  received,
}: {
  type: string
  facts: string
  state: string | null
  sold: string | null
  received: string | null
}): string | undefined {
  if (state === null) return 'the log has it, and it is gone from the table'
  if (state !== type) return `the table says ${state}, the log ${type}`
  if (type !== 'SETTLED') return undefined
  const told = amounts.parse(JSON.parse(facts))
  if (told.sold === sold && told.received === received) return undefined
  return 'the table says that it moved other amounts than the log'
}

async function unlogged(db: Kysely<Tables>): Promise<readonly SwapDifference[]> {
  const rows = await db
    .selectFrom('swap')
    .select('id')
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('event').select(sql`1`.as('one')).whereRef('event.swap_id', '=', 'swap.id'),
        ),
      ),
    )
    .execute()
  return rows.map(({ id }) => ({ swapId: id, why: 'the table has it, and the log never did' }))
}

/** The hash of signed bytes is theirs, and what the log says was signed is still there. */
async function otherBytes(db: Kysely<Tables>): Promise<readonly SwapDifference[]> {
  const attempts = await db.selectFrom('attempt').select(['swap_id', 'hash', 'raw']).execute()
  const changed = attempts
    .filter(({ hash, raw }) => keccak256(raw as Hex) !== hash)
    .map(({ swap_id }) => ({
      swapId: swap_id,
      why: 'signed bytes are not those of their hash',
    }))
  const kept = new Set(attempts.map(({ hash }) => hash))
  const signed = await db
    .selectFrom('event')
    .select(['swap_id', 'facts'])
    .where('type', 'in', ['SIGNED', 'APPROVING', 'CANCELLING'])
    .execute()
  const lost = signed
    .filter(({ facts }) => {
      const { hash } = JSON.parse(facts) as { hash?: string }
      return hash !== undefined && !kept.has(hash)
    })
    .map(({ swap_id }) => ({ swapId: swap_id, why: 'signed bytes are gone from the table' }))
  return [...changed, ...lost]
}
