import type { Act, Lock, NewLock } from '../../lock.ts'
import { bound, type Store, stamped } from '../store/store.ts'
import type { LockSubject } from './covers.ts'
import { guard, haltByFile, haltFileExists, haltOfFile } from './guard.ts'
import {
  assertLocks,
  liveLocks,
  locksAt,
  openLock,
  releasableLocks,
  releaseLocks,
} from './locks.ts'

export const createLocksReader = ({ db, clock, haltFile, coin }: Store) => ({
  /** Those that hold now, oldest first. A halt by the file that is not in the table yet is the last, with number 0. */
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
  ...bound({ db }, { at: locksAt }),
  /** Throws LOCKS_CHANGED where they are not those that the log says. */
  assertUnchanged: () => assertLocks(db, { at: clock.now() }),
})

export function createLocks(store: Store) {
  const { db, clock, haltFile, coin, fence } = store
  /** The file becomes a lock at the first look, so that removing it does not let go. */
  const adoptHaltFile = async () => {
    if (haltFileExists(haltFile))
      await openLock(db, { lock: haltOfFile(haltFile), at: clock.now() })
  }
  return {
    ...createLocksReader(store),
    /** Throws LOCKED where a lock forbids the act. */
    async guard(act: Act, subject: LockSubject | { readonly swapId: string }): Promise<void> {
      fence?.assertHeld()
      await adoptHaltFile()
      await guard(db, { act, subject, at: clock.now(), haltFile, coin })
    },
    /** Those that hold now, oldest first. A lease that is gone is heard of here as of a halt. */
    async live(): Promise<readonly Lock[]> {
      fence?.assertHeld()
      await adoptHaltFile()
      return liveLocks(db, { at: clock.now() })
    },
    /** Those that hold now, and those that only the log says hold. */
    async releasable(): Promise<readonly Lock[]> {
      await adoptHaltFile()
      return db.transaction().execute((trx) => releasableLocks(trx, { at: clock.now() }))
    },
    open: (lock: NewLock) => openLock(db, { lock, at: clock.now() }),
    ...stamped(store, { release: releaseLocks }),
  }
}
