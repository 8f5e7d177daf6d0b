import type { Clock } from '../core/clock.ts'
import { BallastError, isPassing } from '../core/errors.ts'

/** Seconds between the tries: four are over only after the longest lease of a process that is gone. */
const pausesSeconds = [1, 2, 4, 8, 15, 30]

/**
 * Opens a part of a run, and waits where it is away: the node, the journal's server, the signer, or the right to spend
 * that an ending process still holds. One line says what is waited for. Throws the failure of the last try, and at once
 * what does not pass by itself.
 */
export async function waitAtStart<part>(
  open: () => Promise<part>,
  { clock, signal, say }: { clock: Clock; signal: AbortSignal; say: (line: string) => void },
): Promise<part> {
  let told: string | undefined
  for (const pause of pausesSeconds) {
    try {
      return await open()
    } catch (error) {
      if (!(error instanceof BallastError) || !isPassing(error)) throw error
      if (error.code !== told) say(`WAITING ${error.summary} (${error.code})`)
      told = error.code
    }
    await clock.sleep(pause * 1_000, signal)
  }
  return open()
}
