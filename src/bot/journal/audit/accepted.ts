import { type Kysely, sql } from 'kysely'
import { ZodError } from 'zod'
import type { Address } from '../../../core/token.ts'
import type { BooksScope } from '../../books.ts'
import { readFacts } from '../log/facts.ts'
import type { Tables } from '../store/tables.ts'

/** Locks that a break opens. Releasing one accepts the breaks of its kind that were noted before. */
const codes = ['LEDGER_BROKEN', 'REORG_BEYOND_DEPTH']

/** Breaks that were noted before a person released the lock they had opened, with the reason that was given. */
export async function acceptedBreaks(
  db: Kysely<Tables>,
  scope: Pick<BooksScope, 'wallet'>,
): Promise<ReadonlyMap<string, string>> {
  const noted = await notedBreaks(db, scope)
  if (noted.length === 0) return new Map()
  const releases = (
    await db
      .selectFrom('event')
      .select(['seq', 'facts'])
      // In the words of the index over these alone; and below.
      .where(sql<boolean>`type IN ('LOCK_OPENED', 'LOCK_RELEASED')`)
      .where('type', '=', 'LOCK_RELEASED')
      .where('seq', '>', Math.min(...noted.map(({ seq }) => seq)))
      .orderBy('seq')
      .execute()
  )
    .map(({ seq, facts }) => ({ seq, ...readFacts('lockReleased', facts) }))
    .filter(({ code, scope: of }) => codes.includes(code) && of === walletName(scope))
  return new Map(
    noted.flatMap(({ seq, key, lock }) => {
      const later = releases.find((one) => one.seq > seq && (lock ?? one.code) === one.code)
      return later === undefined ? [] : [[key, later.reason] as const]
    }),
  )
}

/** The subject of a wallet's entries in the log. */
export const walletName = ({ wallet }: Pick<BooksScope, 'wallet'>) =>
  `wallet ${wallet.toLowerCase()}`

/** The breaks of a wallet that the log has, oldest first. */
export async function notedBreaks(db: Kysely<Tables>, scope: Pick<BooksScope, 'wallet'>) {
  const rows = await db
    .selectFrom('event')
    .select(['seq', 'facts'])
    .where('swap_id', '=', walletName(scope))
    .where(sql<boolean>`type IN ('BROKEN', 'RELEASED')`)
    .where('type', '=', 'BROKEN')
    .orderBy('seq')
    .execute()
  return rows.map(({ seq, facts }) => ({ seq, ...readFacts('broken', facts) }))
}

/**
 * Defects of the log that a person accepted for any wallet of this journal: the reason, by the defect's text. Reconcile
 * keys them by its check of the log, I10.
 */
export async function acceptedDefects(
  db: Kysely<Tables>,
): Promise<(defect: string) => string | undefined> {
  const subjects = await db
    .selectFrom('event')
    .select('swap_id')
    .distinct()
    .where(sql<boolean>`type IN ('BROKEN', 'RELEASED')`)
    .where('type', '=', 'BROKEN')
    .execute()
  const reasons = new Map<string, string>()
  for (const { swap_id } of subjects) {
    const wallet = swap_id.replace(/^wallet /, '') as Address
    const accepted = await acceptedBreaks(db, { wallet }).catch(unreadable)
    for (const [key, reason] of accepted) reasons.set(key, reason)
  }
  return (defect) => reasons.get(`I10 ${defect}`)
}

/** An entry that was damaged accepts nothing: the walk along the log names it. */
function unreadable(error: unknown): ReadonlyMap<string, string> {
  if (error instanceof ZodError || error instanceof SyntaxError) return new Map()
  throw error
}
