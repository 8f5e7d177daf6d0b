import { pauseByDisk } from '../../disk.ts'
import type { Act, Lock, NewLock } from '../../lock.ts'
import { bound, type Store, stamped } from '../store/store.ts'
import type { LockSubject } from './covers.ts'
import { guard, haltByFile, haltFileExists, haltOfFile, lockedError } from './guard.ts'
import {
  assertLocks,
  lastLockEnd,
  liveLocks,
  lockHistory,
  locksAt,
  locksDuring,
  openLock,
  releasableLocks,
  releaseLocks,
  reopenLock,
} from './locks.ts'

export const createLocksReader = ({ db, clock, haltFile, coin }: Store) => ({
  /** The locks that hold now, oldest first. A halt by the file, not in the table yet, is last, with number 0. */
  async live(): Promise<readonly Lock[]> {
    const live = await liveLocks(db, { at: clock.now() })
    const halt = haltByFile(haltFile, { at: clock.now() })
    return halt === undefined || live.some(({ code }) => code === halt.code)
      ? live
      : [...live, halt]
  },
  /** Throws LOCKED where a lock forbids the act now. */
  guard: (act: Act, subject: LockSubject) =>
    guard(db, { act, subject, at: clock.now(), haltFile, coin }),
  ...bound({ db }, { at: locksAt, during: locksDuring, history: lockHistory }),
  ...stamped({ db, clock }, { lastEnd: lastLockEnd }),
  /** Throws LOCKS_CHANGED where they differ from the log. */
  assertUnchanged: () => assertLocks(db, { at: clock.now() }),
})

export function createLocks(store: Store) {
  const { db, clock, haltFile, coin, fence, moved, disk } = store
  /** The file becomes a lock at the first look, so that removing it does not let go. */
  const adoptHaltFile = async () => {
    if (haltFileExists(haltFile))
      await openLock(db, { lock: haltOfFile(haltFile), at: clock.now() })
  }
  return {
    ...createLocksReader(store),
    /**
     * Throws LOCKED where a lock forbids the act, or the disk a plan: what is under way is finished. Throws JOURNAL_MOVED
     * before anything new in a file without its path.
     */
    async guard(act: Act, subject: LockSubject | { readonly swapId: string }): Promise<void> {
      fence?.assertHeld()
      const gone = act === 'plan' || act === 'sign' || act === 'revoke' ? moved() : undefined
      if (gone !== undefined) throw gone
      const full = act === 'plan' ? pauseByDisk(disk()) : undefined
      if (full !== undefined) throw lockedError(full)
      await adoptHaltFile()
      await guard(db, { act, subject, at: clock.now(), haltFile, coin })
      // A process may stand still while it reads, until another one has the lease.
      fence?.assertHeld()
    },
    /** The locks that hold now, oldest first. A lost lease shows up here like a halt. */
    async live(): Promise<readonly Lock[]> {
      fence?.assertHeld()
      await adoptHaltFile()
      return liveLocks(db, { at: clock.now() })
    },
    /** The locks that hold now, and those that hold only by the log. */
    async releasable(): Promise<readonly Lock[]> {
      await adoptHaltFile()
      return db.transaction().execute((trx) => releasableLocks(trx, { at: clock.now() }))
    },
    open: (lock: NewLock) => openLock(db, { lock, at: clock.now() }),
    ...stamped(store, { release: releaseLocks, reopen: reopenLock }),
  }
}
