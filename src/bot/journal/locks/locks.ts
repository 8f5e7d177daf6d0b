import { type Kysely, type Selectable, sql, type Transaction } from 'kysely'
import { display, foreignMax } from '../../../core/display.ts'
import { ballastError } from '../../../core/errors.ts'
import type { Lock, NewLock } from '../../lock.ts'
import { readFacts } from '../log/facts.ts'
import { appendEvent } from '../log/log.ts'
import { inTransaction } from '../store/inTransaction.ts'
import { prepared } from '../store/prepared.ts'
import type { LockTable, Tables } from '../store/tables.ts'
import { masked } from '../store/text.ts'

/** Locks that hold at `at`: neither released nor expired, oldest first. */
export async function liveLocks(
  db: Kysely<Tables>,
  { at }: { at: number },
): Promise<readonly Lock[]> {
  const { rows } = await selectLive(db, { at })
  return rows.map(readLock)
}

const selectLive = prepared((db, { at }: { at: number }) =>
  db
    .selectFrom('lock')
    .selectAll()
    .where('released_at', 'is', null)
    .where((where) => where.or([where('expires_at', 'is', null), where('expires_at', '>', at)]))
    .orderBy('id'),
)

/** Opens a lock and returns it; one of the same kind, scope and code that holds already is left as it is. */
export async function openLock(
  db: Kysely<Tables>,
  { lock, at }: { lock: NewLock; at: number },
): Promise<{ readonly lock: Lock; readonly fresh: boolean }> {
  return inTransaction(db, async (trx) => {
    const same = (await liveLocks(trx, { at })).find(
      ({ kind, scope, code }) => kind === lock.kind && scope === lock.scope && code === lock.code,
    )
    if (same !== undefined) return { lock: same, fresh: false }
    const { kind, scope, code, reason, expiresAt, by } = lock
    const row = await trx
      .insertInto('lock')
      .values({
        kind,
        scope,
        code,
        reason: masked(reason),
        opened_at: at,
        expires_at: expiresAt ?? null,
        opened_by: by === undefined ? null : masked(by),
      })
      .returningAll()
      .executeTakeFirstOrThrow()
    const opened = readLock(row)
    const facts = { ...opened, ...(by !== undefined && { by }) }
    await appendEvent(trx, { of: `lock ${opened.id}`, at, type: 'LOCK_OPENED', facts })
    return { lock: opened, fresh: true }
  })
}

/** A lock as the rest of the bot knows it. */
function readLock(row: Selectable<LockTable>): Lock {
  const { id, kind, scope, code, reason, opened_at, expires_at } = row
  return { id, kind, scope, code, reason, openedAt: opened_at, expiresAt: expires_at ?? undefined }
}

/** Every lock that held at an instant, released since or not, oldest first. */
export async function locksAt(db: Kysely<Tables>, at: number): Promise<readonly Lock[]> {
  const rows = await db
    .selectFrom('lock')
    .selectAll()
    .where('opened_at', '<=', at)
    .where((eb) => eb.or([eb('released_at', 'is', null), eb('released_at', '>', at)]))
    .where((eb) => eb.or([eb('expires_at', 'is', null), eb('expires_at', '>', at)]))
    .orderBy('id')
    .execute()
  return rows.map(readLock)
}

/** A lock and its end, as far as a person made one. */
export type LockSpan = Lock & {
  /** Who; undefined for the bot itself, and in older journals. */
  readonly openedBy: string | undefined
  readonly releasedBy: string | undefined
  readonly releasedAt: number | undefined
  readonly releasedReason: string | undefined
}

/** Every lock that held at some instant of a span, oldest first. */
export async function locksDuring(
  db: Kysely<Tables>,
  { since, until }: { readonly since: number; readonly until: number },
): Promise<readonly LockSpan[]> {
  const rows = await db
    .selectFrom('lock')
    .selectAll()
    .where('opened_at', '<', until)
    .where((eb) => eb.or([eb('released_at', 'is', null), eb('released_at', '>=', since)]))
    .where((eb) => eb.or([eb('expires_at', 'is', null), eb('expires_at', '>=', since)]))
    .orderBy('id')
    .execute()
  return rows.map(readSpan)
}

/** Locks, released and expired ones as well, newest first, a page of them. */
export async function lockHistory(
  db: Kysely<Tables>,
  { limit, before }: { readonly limit: number; readonly before?: number | undefined },
): Promise<readonly LockSpan[]> {
  let query = db.selectFrom('lock').selectAll()
  if (before !== undefined) query = query.where('id', '<', before)
  const rows = await query.orderBy('id', 'desc').limit(limit).execute()
  return rows.map(readSpan)
}

const readSpan = (row: Selectable<LockTable>): LockSpan => ({
  ...readLock(row),
  openedBy: row.opened_by ?? undefined,
  releasedBy: row.released_by ?? undefined,
  releasedAt: row.released_at ?? undefined,
  releasedReason: row.released_reason ?? undefined,
})

/** When the last lock over a strategy was released or expired since an instant; undefined where none was. */
export async function lastLockEnd(
  db: Kysely<Tables>,
  { strategy, since, at }: { strategy: string; since: number; at: number },
): Promise<number | undefined> {
  const ended = sql<number>`coalesce(released_at, expires_at)`
  const row = await db
    .selectFrom('lock')
    .select(ended.as('at'))
    .where(ended, '<=', at)
    .where(ended, '>', since)
    .where(({ eb, or }) =>
      or([eb('scope', 'in', ['all', `strategy ${strategy}`]), eb('scope', 'like', 'wallet %')]),
    )
    .orderBy(ended, 'desc')
    .limit(1)
    .executeTakeFirst()
  return row?.at
}

/** One lock by its id, or all; why, and who lets go of it. */
type LockRelease = {
  readonly id: number | undefined
  readonly reason: string
  readonly by?: string | undefined
}

/**
 * A person lets go on: all locks, or one by its id. Returns those that were released. One that is gone from the table
 * and still holds by the log is released like any other: a person has seen that.
 */
export async function releaseLocks(
  db: Kysely<Tables>,
  { id, reason, by, at }: LockRelease & { at: number },
): Promise<readonly Lock[]> {
  return db.transaction().execute(async (trx) => {
    const live = await releasableLocks(trx, { at })
    const chosen = id === undefined ? live : live.filter((lock) => lock.id === id)
    if (id !== undefined && chosen.length === 0)
      throw ballastError('UNKNOWN_LOCK', `There is no lock ${id}, or it no longer holds.`, {
        known: live.map((lock) => lock.id).join(', ') || 'none',
      })
    for (const lock of chosen) await release(trx, { lock, reason, by, at })
    // A person has seen what was missing: the next quiet look starts from what is there.
    for (const { scope } of chosen.filter(({ code }) => code === 'LEDGER_DRIFT')) {
      const [, wallet] = /^wallet (.+)$/.exec(scope) ?? []
      // A lock names no chain: it is over all of the wallet's.
      const balances = trx.deleteFrom('baseline')
      await (wallet === undefined
        ? balances
        : balances.where('wallet', '=', wallet.toLowerCase())
      ).execute()
    }
    return chosen
  })
}

/** Releases a lock and opens it again with another end, in one step: it holds all the time. One that is over stays so. */
export async function reopenLock(
  db: Kysely<Tables>,
  { id, reason, expiresAt, at }: Reopening & { at: number },
): Promise<void> {
  await db.transaction().execute(async (trx) => {
    const row = await trx
      .selectFrom('lock')
      .selectAll()
      .where('id', '=', id)
      .where('released_at', 'is', null)
      .executeTakeFirst()
    if (row === undefined) return
    const { openedBy: by, ...lock } = readSpan(row)
    await release(trx, { lock, reason, at })
    await openLock(trx, { lock: { ...lock, expiresAt, by }, at })
  })
}

type Reopening = { readonly id: number; readonly reason: string; readonly expiresAt: number }

async function release(
  trx: Transaction<Tables>,
  { lock, reason, by, at }: Omit<LockRelease, 'id'> & { lock: Lock; at: number },
): Promise<void> {
  await trx
    .updateTable('lock')
    .set({
      ...{ released_at: at, released_reason: masked(reason) },
      released_by: by === undefined ? null : masked(by),
    })
    .where('id', '=', lock.id)
    .where('released_at', 'is', null)
    .execute()
  const { kind, scope, code } = lock
  const facts = { ...{ id: lock.id, kind, scope, code, reason }, ...(by !== undefined && { by }) }
  await appendEvent(trx, { of: `lock ${lock.id}`, at, type: 'LOCK_RELEASED', facts })
}

/** The locks a person can release: those that hold, and those that hold only by the log. */
export async function releasableLocks(
  db: Kysely<Tables>,
  { at }: { at: number },
): Promise<readonly Lock[]> {
  const live = await liveLocks(db, { at })
  const logged = (await lockDifferences(db, { at })).map(({ lock }) => lock)
  return [...live, ...logged.filter((lock) => !live.some(({ id }) => id === lock.id))]
}

/** A lock on which the table and the log differ. */
export type LockDifference = { readonly lock: Lock; readonly why: string }

/**
 * Compares the locks that hold with those that the log shows as opened and neither released nor expired, oldest first.
 *
 * Inside one transaction, so that a lock which is opened meanwhile is in both or in neither. The worth of the log
 * itself is the chain's matter: `verifyLog`.
 */
export async function lockDifferences(
  db: Kysely<Tables>,
  { at }: { at: number },
): Promise<readonly LockDifference[]> {
  const logged = await locksOfLog(db, { at })
  const live = await liveLocks(db, { at })
  const differences = logged.flatMap((lock): LockDifference[] => {
    const held = live.find(({ id }) => id === lock.id)
    if (held === undefined)
      return [{ lock, why: 'the log says it holds, and it is gone from the table' }]
    return sameLock(lock, held) ? [] : [{ lock, why: 'the table says something else than the log' }]
  })
  const strange = live
    .filter(({ id }) => !logged.some((lock) => lock.id === id))
    .map((lock) => ({ lock, why: 'it holds, and the log does not say that it was opened' }))
  return [...differences, ...strange]
}

async function locksOfLog(db: Kysely<Tables>, { at }: { at: number }): Promise<readonly Lock[]> {
  const rows = await db
    .selectFrom('event')
    .select(['swap_id', 'type', 'facts'])
    // In the words of the index over these alone: the log has everything else as well.
    .where(sql<boolean>`type IN ('LOCK_OPENED', 'LOCK_RELEASED')`)
    .orderBy('seq')
    .execute()
  const holding = new Map<string, Lock>()
  for (const { swap_id, type, facts } of rows) {
    if (type === 'LOCK_RELEASED') holding.delete(swap_id)
    else {
      const { expiresAt, ...lock } = readFacts('lockOpened', facts)
      holding.set(swap_id, { ...lock, expiresAt })
    }
  }
  return [...holding.values()].filter(({ expiresAt }) => expiresAt === undefined || expiresAt > at)
}

/** Whether it forbids the same for as long. The log keeps texts as a terminal shows them. */
function sameLock(logged: Lock, held: Lock): boolean {
  const shown = (text: string) => display(text, foreignMax)
  return (
    logged.kind === held.kind &&
    logged.scope === shown(held.scope) &&
    logged.code === shown(held.code) &&
    logged.expiresAt === held.expiresAt
  )
}

/** Throws LOCKS_CHANGED where the locks differ from the log: another program wrote the file. */
export async function assertLocks(db: Kysely<Tables>, { at }: { at: number }): Promise<void> {
  const differences = await db.transaction().execute((trx) => lockDifferences(trx, { at }))
  if (differences.length === 0) return
  throw ballastError(
    'LOCKS_CHANGED',
    'The locks of the journal are not what its log says: nothing is begun.',
    {
      differences: differences
        .map(
          ({ lock, why }) => `lock ${lock.id} (${lock.kind} ${lock.scope}, ${lock.code}): ${why}`,
        )
        .join('; '),
      next: 'find out who changed the journal, then: ballast resume --reason "…"',
    },
  )
}
