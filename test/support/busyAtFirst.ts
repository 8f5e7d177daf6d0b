import { ballastError } from '../../src/core/errors.ts'
import type { openBot } from './openBot.ts'

/** The journal of a bot that another process holds when a lock is first to be stored. */
export function busyAtFirst({
  journal: { locks },
  train,
}: Pick<Awaited<ReturnType<typeof openBot>>, 'journal' | 'train'>) {
  let isBusy = true
  const open: typeof locks.open = async (lock) => {
    if (!isBusy) return locks.open(lock)
    isBusy = false
    throw ballastError('JOURNAL_BUSY', 'Another process holds it.')
  }
  return { journal: { ...train.journal, locks: { ...locks, open } }, wasBusy: () => !isBusy }
}
