import { type Kysely, sql } from 'kysely'
import { z } from 'zod'
import type { BooksScope } from '../books.ts'
import { appendEvent } from './appendEvent.ts'
import type { Tables } from './tables.ts'

/** Locks that a break opens. Releasing one accepts the breaks that were noted before. */
const codes = ['LEDGER_BROKEN', 'REORG_BEYOND_DEPTH']

/** One break as the log keeps it. */
type Broken = {
  readonly key: string
  /** The swap whose end is no longer true; it is never edited: the entry compensates it. */
  readonly swapId: string | undefined
  readonly facts: Readonly<Record<string, unknown>>
}

/** Notes breaks in the log, each once for as long as nobody has released it. */
export async function noteBroken(
  db: Kysely<Tables>,
  { breaks, at, ...scope }: BooksScope & { breaks: readonly Broken[]; at: number },
): Promise<void> {
  await db.transaction().execute(async (trx) => {
    const noted = new Set((await notedBreaks(trx, scope)).map(({ key }) => key))
    for (const { key, swapId, facts } of breaks) {
      if (noted.has(key)) continue
      noted.add(key)
      await appendEvent(trx, { swapId: nameOf(scope), at, type: 'BROKEN', facts: { ...facts, key } })
      if (swapId !== undefined) await appendEvent(trx, { swapId, at, type: 'REORGED', facts })
    }
  })
}

/** Breaks that were noted before a person released the lock they had opened, with the reason that was given. */
export async function acceptedBreaks(
  db: Kysely<Tables>,
  scope: BooksScope,
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
    .map(({ seq, facts }) => ({ seq, ...release.parse(JSON.parse(facts)) }))
    .filter(({ code, scope: of }) => codes.includes(code) && of === nameOf(scope))
  return new Map(
    noted.flatMap(({ seq, key }) => {
      const later = releases.find((one) => one.seq > seq)
      return later === undefined ? [] : [[key, later.reason] as const]
    }),
  )
}

const release = z.object({ code: z.string(), scope: z.string(), reason: z.string() })
const broken = z.object({ key: z.string() })

const nameOf = ({ wallet }: BooksScope) => `wallet ${wallet.toLowerCase()}`

async function notedBreaks(db: Kysely<Tables>, scope: BooksScope) {
  const rows = await db
    .selectFrom('event')
    .select(['seq', 'facts'])
    .where('swap_id', '=', nameOf(scope))
    .where(sql<boolean>`type IN ('BROKEN', 'RELEASED')`)
    .where('type', '=', 'BROKEN')
    .orderBy('seq')
    .execute()
  return rows.map(({ seq, facts }) => ({ seq, ...broken.parse(JSON.parse(facts)) }))
}
