import { lstatSync } from 'node:fs'
import type { Kysely } from 'kysely'
import { display } from '../../../core/display.ts'
import { BallastError } from '../../../core/errors.ts'
import type { Coin } from '../../../core/token.ts'
import type { Act, Lock, LockKind, NewLock } from '../../lock.ts'
import type { Tables } from '../store/tables.ts'
import { readPlan } from '../store/text.ts'
import { covers, type LockSubject } from './covers.ts'
import { liveLocks } from './locks.ts'

/** Acts that each kind of lock forbids. All others go on. */
const forbidden: Readonly<Record<LockKind, readonly Act[]>> = {
  halt: ['plan', 'sign', 'revoke', 'cancel', 'send'],
  drain: ['plan'],
  pause: ['plan', 'sign'],
  breaker: ['plan', 'sign'],
}

/** The strictest first: it is the one a person must know of. */
const strictness: readonly LockKind[] = ['halt', 'drain', 'pause', 'breaker']

type Guarded = {
  readonly act: Act
  readonly subject: LockSubject | { readonly swapId: string }
  /** Milliseconds since the epoch. */
  readonly at: number
  /** A file whose existence is a halt. */
  readonly haltFile: string
  /** A lock of a pair holds for both names of the coin; without it, for the name it states. */
  readonly coin: Coin | undefined
}

/**
 * Throws LOCKED where a lock forbids the act. The one place that decides it.
 *
 * Inside the transaction that stores signed bytes its answer is final: transactions take the write lock when they begin,
 * so a halt that another process committed is seen, and one that it is about to commit comes after the bytes.
 */
export async function guard(
  db: Kysely<Tables>,
  { act, subject, at, haltFile, coin }: Guarded,
): Promise<void> {
  if (haltFileExists(haltFile)) throw lockedError(haltOfFile(haltFile))
  const locks = (await liveLocks(db, { at })).filter(({ kind }) => forbidden[kind].includes(act))
  if (locks.length === 0) return
  const whose = 'swapId' in subject ? await subjectOf(db, subject.swapId) : subject
  const holding = locks.filter((lock) => covers(lock, whose, coin))
  const strictest = strictness.flatMap((kind) => holding.filter((lock) => lock.kind === kind))[0]
  if (strictest !== undefined) throw lockedError(strictest)
}

/** Whether the file that halts is there. One that cannot be looked at fails the act: nothing is signed on a guess. */
export function haltFileExists(haltFile: string): boolean {
  return lstatSync(haltFile, { throwIfNoEntry: false }) !== undefined
}

/** The lock that the file stands for. */
export function haltOfFile(haltFile: string): NewLock {
  return {
    kind: 'halt',
    scope: 'all',
    code: 'BY_FILE',
    reason: `the file ${haltFile} exists`,
    expiresAt: undefined,
  }
}

/** Nothing is done: a person, a breaker or a file forbids it. */
export function lockedError(lock: NewLock & Partial<Lock>): BallastError {
  const { id, kind, scope, code, reason, openedAt, expiresAt } = lock
  const iso = (at: number | undefined) =>
    at === undefined ? undefined : new Date(at).toISOString()
  return new BallastError(`Locked (${kind}, ${scope}): ${display(reason)}.`, {
    code: 'LOCKED',
    remedy: kind === 'halt' ? 'halt' : 'skip',
    fault: 'locked',
    facts: {
      kind,
      scope,
      code,
      reason: display(reason),
      since: iso(openedAt),
      expires: iso(expiresAt) ?? 'never by itself',
      next:
        code === 'DISK_FULL'
          ? 'make room: it goes on by itself'
          : `find out why, ${code === 'BY_FILE' ? 'remove the file if it is still there, ' : ''}then: ballast resume --reason "…"${id === undefined ? '' : ` ${id}`}`,
    },
  })
}

async function subjectOf(db: Kysely<Tables>, swapId: string): Promise<LockSubject> {
  const { plan } = await db
    .selectFrom('swap')
    .select('plan')
    .where('id', '=', swapId)
    .executeTakeFirstOrThrow()
  const { wallet, strategy, intent } = readPlan(plan)
  return { wallet, strategy, pair: { sell: intent.sell.token.symbol, buy: intent.buy.symbol } }
}

/** The halt that a file is, as a lock with the number 0: one that is not in the table yet. Undefined without the file. */
export function haltByFile(haltFile: string, { at }: { at: number }): Lock | undefined {
  return haltFileExists(haltFile) ? { ...haltOfFile(haltFile), id: 0, openedAt: at } : undefined
}
