import { keepHalt } from '../app/keepHalt.ts'
import { BallastError, isPassing } from '../core/errors.ts'
import { firstFailure } from './reportFailure.ts'

/** Before a bot that had to end begins again. */
const pauseMs = 1_000

/**
 * Trades, and begins again after what passes by itself. Throws what else ended it. `since` is when it first had begun: one
 * that ends before each look is late all the same.
 */
export async function tradeAgain(
  trade: (began: () => void, since: number | undefined) => Promise<void>,
  {
    clock,
    signal,
    say,
    ...books
  }: Parameters<typeof keepHalt>[1] & {
    readonly signal: AbortSignal
    readonly say: (line: string) => void
  },
): Promise<void> {
  let since: number | undefined
  for (;;) {
    let isOpen = false
    try {
      await trade(() => {
        isOpen = true
        since ??= clock.now()
      }, since)
      // One that came while it ended, whose watch of locks was over.
      const late = await keepHalt(undefined, { ...books, clock })
      if (late === undefined) return
      throw late
    } catch (error) {
      const failure = firstFailure(error)
      const halted = await keepHalt(failure, { ...books, clock })
      if (halted !== undefined) throw halted
      // What a start waited for in vain is for the supervisor. A bot that ran needs only the start: it follows what
      // is signed before anything new.
      if (!isOpen || signal.aborted || !(failure instanceof BallastError) || !isPassing(failure))
        throw error
      say(`AGAIN   ${failure.summary} (${failure.code})`)
      await clock.sleep(pauseMs, signal).catch(() => undefined)
      // One that came in the pause.
      const late = await keepHalt(undefined, { ...books, clock })
      if (late !== undefined) throw late
      signal.throwIfAborted()
    }
  }
}
