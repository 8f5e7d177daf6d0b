import { createHash } from 'node:crypto'
import type { Kysely, Transaction } from 'kysely'
import { keccak256 } from 'viem'
import type { Hex } from '../../../chain/calls/fields.ts'
import type { Clock } from '../../../core/clock.ts'
import { finalStates, openStates } from '../../state.ts'
import { archivedUpto } from '../archive/archived.ts'
import { readFacts } from '../log/facts.ts'
import { inTransaction } from '../store/inTransaction.ts'
import type { EventTable, Tables } from '../store/tables.ts'

/** A swap on which the tables and the log differ. */
export type SwapDifference = {
  readonly swapId: string
  readonly why: string
  /** Of what stands there now, where `why` alone does not tell one change from another. */
  readonly digest?: string
}

/** A few digits of a hash, for people to compare. */
export const fingerprint = (text: string): string =>
  createHash('sha256').update(text).digest('hex').slice(0, 16)

/** Entries after which a swap is in the state of that name. */
const states: readonly string[] = [...openStates, ...finalStates]

/** Entries that bytes were signed with. */
const signing = ['SIGNED', 'APPROVING', 'CANCELLING']

/** Swaps to compare at a time: their bytes are hashed without a pause, some ten thousandths of a second each. */
export const swapsPerPage = 100

/**
 * Compares swaps of the table, a page of them, with their own entries of the log: their state, what they moved, and the
 * bytes that were signed for them. History, reports and limits are read from the tables; the chain covers the log.
 *
 * Inside one transaction: a change of a swap is in the table and in the log, or in neither.
 */
export async function swapDifferences(
  db: Kysely<Tables>,
  ids: readonly string[],
): Promise<readonly SwapDifference[]> {
  if (ids.length === 0) return []
  return inTransaction(db, async (trx) => {
    const entries = await trx
      .selectFrom('event')
      .select(['seq', 'swap_id', 'type'])
      .where('swap_id', 'in', [...ids])
      .where('type', 'in', [...new Set([...states, ...signing])])
      .orderBy('seq')
      .execute()
    const newest = new Map(
      entries
        .filter(({ type }) => states.includes(type))
        .map(({ seq, swap_id, type }) => [swap_id, { seq, type }]),
    )
    const facts = await factsOf(trx, [
      ...entries.filter(({ type }) => signing.includes(type)),
      ...[...newest.values()].filter(({ type }) => type === 'SETTLED'),
    ])
    const rows = await trx
      .selectFrom('swap')
      .select(['id', 'state', 'sold', 'received'])
      .where('id', 'in', [...ids])
      .execute()
    const changed = rows.flatMap((row): SwapDifference[] => {
      const entry = newest.get(row.id)
      const why = differs(row, entry && { type: entry.type, facts: facts.get(entry.seq) })
      const digest = fingerprint(`${row.state} ${row.sold} ${row.received}`)
      return why === undefined ? [] : [{ swapId: row.id, why, digest }]
    })
    const signed = entries.filter(({ type }) => signing.includes(type))
    const hashes = signed.map(({ seq, swap_id }) => ({
      swapId: swap_id,
      hash: readFacts('bytes', facts.get(seq) ?? '{}').hash,
    }))
    const upto = await archivedUpto(trx)
    const archived = new Set(entries.flatMap(({ seq, swap_id }) => (seq <= upto ? swap_id : [])))
    return [...changed, ...(await otherBytes(trx, { ids, signed: hashes, archived }))]
  })
}

function differs(
  { state, sold, received }: { state: string; sold: string | null; received: string | null },
  entry: { type: string; facts: string | undefined } | undefined,
): string | undefined {
  if (entry === undefined) return 'the table has it, and the log never did'
  if (state !== entry.type) return `the table says ${state}, the log ${entry.type}`
  if (entry.type !== 'SETTLED') return undefined
  const logged = readFacts('settled', entry.facts ?? '{}')
  if (logged.sold === sold && logged.received === received) return undefined
  return 'the table says that it moved other amounts than the log'
}

/** Only of the entries that are looked into: that of a plan or a quote is large. */
async function factsOf(
  trx: Transaction<Tables>,
  entries: readonly { readonly seq: number }[],
): Promise<ReadonlyMap<number, string>> {
  if (entries.length === 0) return new Map()
  const rows = await trx
    .selectFrom('event')
    .select(['seq', 'facts'])
    .where(
      'seq',
      'in',
      entries.map(({ seq }) => seq),
    )
    .execute()
  return new Map(rows.map(({ seq, facts }) => [seq, facts]))
}

/** The hash of signed bytes is theirs, and all bytes that the log shows as signed are still there. */
async function otherBytes(
  trx: Transaction<Tables>,
  {
    ids,
    signed,
    archived,
  }: {
    ids: readonly string[]
    signed: readonly { swapId: string; hash: string | undefined }[]
    /** Swaps whose bytes an archive may have. */
    archived: ReadonlySet<string>
  },
): Promise<readonly SwapDifference[]> {
  const attempts = await trx
    .selectFrom('attempt')
    .select(['swap_id', 'hash', 'raw'])
    .where('swap_id', 'in', [...ids])
    .execute()
  const kept = new Set(attempts.map(({ hash }) => hash))
  return [
    ...attempts
      .filter(({ swap_id, hash, raw }) =>
        raw === '' ? !archived.has(swap_id) : keccak256(raw as Hex) !== hash,
      )
      .map(({ swap_id, hash, raw }) => ({
        swapId: swap_id,
        why: 'signed bytes are not those of their hash',
        digest: fingerprint(`${hash} ${raw}`),
      })),
    ...signed
      .filter(({ hash }) => hash !== undefined && !kept.has(hash))
      .map(({ swapId, hash }) => ({
        swapId,
        why: 'signed bytes are gone from the table',
        digest: fingerprint(hash ?? ''),
      })),
  ]
}

/** {@link swapDifferences} of every swap in the table, a page at a time: others have their turn in between. */
export async function allSwapDifferences(
  db: Kysely<Tables>,
  clock: Clock,
): Promise<readonly SwapDifference[]> {
  const differences: SwapDifference[] = []
  for (let last = ''; ; ) {
    const rows = await db
      .selectFrom('swap')
      .select('id')
      .where('id', '>', last)
      .orderBy('id')
      .limit(swapsPerPage)
      .execute()
    const ids = rows.map(({ id }) => id)
    differences.push(...(await swapDifferences(db, ids)))
    last = ids.at(-1) ?? last
    if (ids.length < swapsPerPage) return differences
    await clock.sleep(1)
  }
}

/** Swaps that these entries of the log name, and that are not in the table. A swap is never deleted. */
export async function goneSwaps(
  db: Kysely<Tables>,
  entries: readonly Pick<EventTable, 'swap_id' | 'type'>[],
): Promise<readonly SwapDifference[]> {
  const logged = new Set(
    entries.flatMap(({ swap_id, type }) => (states.includes(type) ? swap_id : [])),
  )
  if (logged.size === 0) return []
  const rows = await db
    .selectFrom('swap')
    .select('id')
    .where('id', 'in', [...logged])
    .execute()
  const kept = new Set(rows.map(({ id }) => id))
  return [...logged]
    .filter((swapId) => !kept.has(swapId))
    .map((swapId) => ({ swapId, why: 'the log has it, and it is gone from the table' }))
}
