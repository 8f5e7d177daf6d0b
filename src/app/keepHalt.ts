import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { haltOfFile, lockedError } from '../bot/journal/locks/guard.ts'
import type { Config } from '../config/config.ts'
import { BallastError, ballastError } from '../core/errors.ts'
import { secondMs } from '../core/spans.ts'
import { haltOfSignal } from '../engine/watchLocks.ts'
import { openBooks } from './openBooks.ts'

type Books = Parameters<typeof openBooks>[1] & {
  readonly halt: AbortSignal
  readonly config: Config
  /** Until when the journal is waited for; without it, not at all. */
  readonly signal?: AbortSignal
}

/**
 * Stores the halt of a signal that came to a bot which ended before its watch of locks had stored it: it waited for its
 * node, say. Where the journal does not take it, the file that halts is made. Returns what ends the bot then, the lock, or
 * HALT_INCOMPLETE where there is neither; undefined where nothing is to be stored.
 */
export async function keepHalt(
  error: unknown,
  { halt, config, signal, ...parts }: Books,
): Promise<BallastError | undefined> {
  if (!halt.aborted || isStored(error)) return undefined
  for (;;) {
    try {
      const journal = await openBooks(config, parts)
      const { lock } = await journal.locks.open(haltOfSignal).finally(journal.shut)
      return lockedError(lock)
    } catch (cause) {
      if (signal === undefined || signal.aborted) return haltByFile(config, cause)
    }
    await parts.clock.sleep(secondMs, signal).catch(() => undefined)
  }
}

const isStored = (error: unknown): boolean =>
  error instanceof BallastError && error.code === 'LOCKED' && error.facts.code === haltOfSignal.code

/** The file holds on this machine, and needs no journal. */
function haltByFile({ haltFile, wallet }: Config, cause: unknown): BallastError {
  try {
    mkdirSync(dirname(haltFile), { recursive: true })
    writeFileSync(haltFile, `${haltOfSignal.reason}\n`, { flag: 'a' })
    return lockedError(haltOfFile(haltFile))
  } catch {
    return ballastError(
      'HALT_INCOMPLETE',
      `NOT HALTED: ${wallet.name}. Neither its journal nor the file ${haltFile} took the halt of the signal: halt it before it is started again.`,
      {},
      cause,
    )
  }
}
