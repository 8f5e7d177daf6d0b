import type { Kysely, Selectable } from 'kysely'
import { z } from 'zod'
import type { Hex } from '../../../chain/calls/fields.ts'
import { assert } from '../../../core/assert.ts'
import type { Address } from '../../../core/token.ts'
import type { OfferedBytes, Situation } from '../../next.ts'
import { type AttemptKind, type Journaled, type Plan, pass } from '../../stages.ts'
import { isFinal, type SwapState } from '../../state.ts'
import type { Verdict } from '../../verdict.ts'
import { readAuthorization, readSwap, storedTransaction } from '../store/rows.ts'
import type { AttemptTable, Tables } from '../store/tables.ts'

/** Bytes that may be broadcast, and whether they were. */
export type Attempt = {
  readonly bytes: Journaled
  readonly sentAtBlock: number | undefined
  /** The network's last answer to them. */
  readonly verdict: Verdict | undefined
  readonly closed: boolean
  readonly storedAt: number
  /** When it was written down that public endpoints get them too; undefined where they do not. */
  readonly publishedAt: number | undefined
}

/** All that is durable about one swap. */
export type Swap = Situation<SwapState> & {
  readonly plan: Plan
  /** The router that its quote calls; undefined before there was a quote. */
  readonly router: Address | undefined
  /** Wei per gas: what its gas may cost at most by policy; undefined before there was a quote, and in older rows. */
  readonly feeMost: bigint | undefined
  readonly attempts: readonly Attempt[]
}

const simulationText = z.object({
  feeMost: z.string().regex(/^\d+$/).transform(BigInt).optional(),
})

/** Reads a swap back. Recovery may rely on all it returns: nothing here comes from memory. */
export async function loadSwap(db: Kysely<Tables>, swapId: string): Promise<Swap> {
  const row = await db
    .selectFrom('swap')
    .leftJoin('quote', 'quote.swap_id', 'swap.id')
    .selectAll('swap')
    .select(['quote.router', 'quote.authorization', 'quote.simulation'])
    .where('swap.id', '=', swapId)
    .executeTakeFirstOrThrow()
  const rows = await db
    .selectFrom('attempt')
    .selectAll()
    .where('swap_id', '=', swapId)
    .orderBy('created_at')
    .execute()
  const { plan, state, nonce, deadline, included } = readSwap(row)
  // Without bytes, calldata would read as empty, and a dearer bid would call nothing. An allowance outlives its swap: it
  // is taken back in the name of one whose bytes are in an archive.
  const whole = rows.filter(({ raw }) => raw !== '')
  assert(
    whole.length === rows.length || isFinal(state),
    'only an ended swap has bytes in an archive',
  )
  const attempts = whole.map(readAttempt).sort(inOrderOfSigning)
  return {
    plan,
    router: (row.router ?? undefined) as Address | undefined,
    state,
    nonce,
    deadline,
    authorization: readAuthorization(row.authorization),
    included:
      included?.hash === undefined
        ? undefined
        : { hash: included.transaction, blockHash: included.hash },
    feeMost:
      row.simulation === null
        ? undefined
        : simulationText.parse(JSON.parse(row.simulation)).feeMost,
    offer: offerOf(attempts, state === 'CANCELLING' ? 'CANCEL' : 'SWAP'),
    attempts,
  }
}

/** Bytes of one nonce outbid each other, so their fees give the order; two can be signed within a millisecond. */
function inOrderOfSigning({ bytes: a }: Attempt, { bytes: b }: Attempt): number {
  const [one, other] = [a.transaction, b.transaction]
  if (one.nonce !== other.nonce) return one.nonce - other.nonce
  return (
    Number(one.maxFeePerGas > other.maxFeePerGas) - Number(one.maxFeePerGas < other.maxFeePerGas)
  )
}

/** The newest bytes of a kind; what is open of them may be offered. */
function offerOf(attempts: readonly Attempt[], kind: AttemptKind): OfferedBytes | undefined {
  const bids = attempts.filter(({ bytes }) => bytes.kind === kind)
  const newest = bids.at(-1)
  return (
    newest && {
      since: Math.min(...bids.map(({ storedAt }) => storedAt)),
      storedAt: newest.storedAt,
      isPublished: newest.publishedAt !== undefined,
      maxFeePerGas: newest.bytes.transaction.maxFeePerGas,
      bids: bids.length,
      sentAtBlock: newest.sentAtBlock,
      verdict: newest.verdict,
    }
  )
}

/** The approval under way in the name of a swap, and every bid for its nonce; undefined where none is. */
export function openApproval(
  swap: Swap,
): (Situation<'APPROVING'> & { readonly bids: readonly Attempt[] }) | undefined {
  const bids = attemptsOf(swap, 'APPROVE').filter(({ closed }) => !closed)
  const newest = bids.at(-1)
  return (
    newest && {
      state: 'APPROVING',
      nonce: newest.bytes.transaction.nonce,
      deadline: undefined,
      authorization: undefined,
      included: undefined,
      offer: offerOf(bids, 'APPROVE'),
      bids,
    }
  )
}

/** Attempts of one kind of a swap, newest last. */
export function attemptsOf(swap: Swap, kind: AttemptKind): readonly Attempt[] {
  return swap.attempts.filter(({ bytes }) => bytes.kind === kind)
}

function readAttempt(row: Selectable<AttemptTable>): Attempt {
  const transaction = storedTransaction(row)
  assert(transaction.nonce === row.nonce, 'an attempt is stored under the nonce it was signed for')
  return {
    bytes: pass<Journaled>({
      swapId: row.swap_id,
      kind: row.kind,
      wallet: row.wallet as Address,
      transaction,
      raw: row.raw as Hex,
      hash: row.hash as Hex,
    }),
    sentAtBlock: row.sent_at_block ?? undefined,
    verdict: (row.verdict ?? undefined) as Verdict | undefined,
    closed: row.closed_at_block !== null,
    storedAt: row.created_at,
    publishedAt: row.published_at ?? undefined,
  }
}
