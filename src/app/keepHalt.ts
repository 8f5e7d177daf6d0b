import { lockedError } from '../bot/journal/locks/guard.ts'
import type { Config } from '../config/config.ts'
import { BallastError, ballastError } from '../core/errors.ts'
import { haltOfSignal } from '../engine/watchLocks.ts'
import { openBooks } from './openBooks.ts'

/**
 * Stores the halt of a signal that came to a bot which ended with an error before its watch of locks had stored it: it
 * waited for its node, say. Returns what ends the bot then, the lock, or HALT_INCOMPLETE where the journal does not take
 * it; undefined where nothing is to be stored.
 */
export async function keepHalt(
  error: unknown,
  {
    halt,
    config,
    ...parts
  }: { halt: AbortSignal; config: Config } & Parameters<typeof openBooks>[1],
): Promise<BallastError | undefined> {
  if (!halt.aborted || (error instanceof BallastError && error.code === 'LOCKED')) return undefined
  try {
    const journal = await openBooks(config, parts)
    const { lock } = await journal.locks.open(haltOfSignal).finally(journal.shut)
    return lockedError(lock)
  } catch (cause) {
    return ballastError(
      'HALT_INCOMPLETE',
      `NOT HALTED: ${config.wallet.name}. Its journal did not take the halt of the signal: create ${config.haltFile} before it is started again.`,
      {},
      cause,
    )
  }
}
