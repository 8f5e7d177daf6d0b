import type { UnsignedJournal } from '../bot/journal/createUnsigned.ts'
import { lockedError } from '../bot/journal/locks/guard.ts'
import type { Lock } from '../bot/lock.ts'
import type { Log } from '../bot/report/createLog.ts'
import type { Clock } from '../core/clock.ts'
import { display } from '../core/display.ts'
import type { BallastError } from '../core/errors.ts'
import type { Address } from '../core/token.ts'

/** Four looks within the second in which a halt must be noticed; each is one read of a few rows. */
const pollMs = 250

type Watch = {
  readonly journal: UnsignedJournal
  readonly wallet: Address
  readonly clock: Clock
  readonly log: Log
  /** A line for the person at the terminal. */
  readonly say: (line: string) => void
  /** Aborted by the signal that halts. */
  readonly halt: AbortSignal
  readonly signal: AbortSignal
  /** Everything, or this wallet, is halted. */
  readonly onHalt: (error: BallastError) => void
  readonly onDrain: (lock: Lock) => void
  /** The journal's file is not at its path any more; called at every look from then on. */
  readonly onMoved: (error: BallastError) => void
}

/**
 * Notices locks that others open: another command, the dashboard, a signal, the file that halts. Ends at a halt. Notices
 * as well that the journal's file is not at its path any more.
 *
 * It ends an idle process and informs a person; the guard, which looks for itself, keeps anything from being signed.
 */
export async function watchLocks(watch: Watch): Promise<void> {
  const { journal, wallet, clock, halt, signal, onHalt, onDrain, onMoved } = watch
  let known: readonly Lock[] = []
  let looksBack = 0
  while (!signal.aborted) {
    const moved = journal.moved()
    if (moved !== undefined) onMoved(moved)
    if (halt.aborted) await journal.locks.open(haltOfSignal)
    const live = await journal.locks.live()
    looksBack = hasLeapt(live, clock) ? looksBack + 1 : 0
    const locks = looksBack < looksBackMin ? live : await withoutLeaps(live, watch)
    tell(watch, { known, locks })
    known = locks
    const whole = locks.filter(({ scope }) => coversProcess(scope, wallet))
    const halting = whole.find(({ kind }) => kind === 'halt')
    if (halting !== undefined) return onHalt(lockedError(halting))
    const draining = whole.find(({ kind }) => kind === 'drain')
    if (draining !== undefined) onDrain(draining)
    try {
      await clock.sleep(pollMs, AbortSignal.any([signal, halt]))
    } catch (error) {
      if (!signal.aborted && !halt.aborted) throw error
    }
  }
  // The guard may have found a lock first, and ended the turns: of that one nobody was told.
  tell(watch, { known, locks: await journal.locks.live() })
}

/** Clocks are set back by less without a leap before. */
const leapMsMin = 5 * 60_000

/** A clock may be set back by mistake, for a while: it is the right one that stays. */
const looksBackMin = (10 * 60_000) / pollMs

const isLeapt = ({ openedAt }: Lock, clock: Clock) => openedAt > clock.now() + leapMsMin

const hasLeapt = (locks: readonly Lock[], clock: Clock) => locks.some((one) => isLeapt(one, clock))

/**
 * Locks that were opened by a clock which has been set back since, and stayed so, are opened again for their time: their
 * end lies as far ahead as the clock had leapt.
 */
async function withoutLeaps(
  locks: readonly Lock[],
  { journal, clock }: Watch,
): Promise<readonly Lock[]> {
  const now = clock.now()
  const leapt = locks.filter((one) => isLeapt(one, clock))
  for (const { id, openedAt, expiresAt } of leapt) {
    if (expiresAt === undefined) continue
    const reason = 'the clock that opened it was set back'
    await journal.locks.reopen({ id, reason, expiresAt: now + (expiresAt - openedAt) })
  }
  return leapt.length === 0 ? locks : journal.locks.live()
}

/** The lock of a process that was sent SIGUSR2. */
export const haltOfSignal = {
  kind: 'halt',
  scope: 'all',
  code: 'BY_SIGNAL',
  reason: 'the process was sent SIGUSR2',
  expiresAt: undefined,
} as const

const coversProcess = (scope: string, wallet: Address) =>
  scope === 'all' || scope === `wallet ${wallet.toLowerCase()}`

function tell(
  { log, say }: Watch,
  { known, locks }: { known: readonly Lock[]; locks: readonly Lock[] },
): void {
  const missing = (from: readonly Lock[], lock: Lock) => !from.some(({ id }) => id === lock.id)
  for (const lock of locks.filter((one) => missing(known, one))) {
    // People pause and drain on purpose; what halts or trips is an alarm.
    const level = lock.kind === 'halt' || lock.kind === 'breaker' ? 'error' : 'warn'
    log[level]({ code: lock.code, lock }, 'a lock holds')
    say(
      `LOCKED  ${lock.kind} ${lock.scope}: ${display(lock.reason)} (${lock.code}, lock ${lock.id})`,
    )
  }
  for (const lock of known.filter((one) => missing(locks, one))) {
    log.warn({ lock }, 'a lock no longer holds')
    say(`FREE    ${lock.kind} ${lock.scope} (${lock.code}, lock ${lock.id})`)
  }
}
