import type { Invocation } from './invocation.ts'

/** On a terminal as often as it is pleasant to read; in a log rarely enough not to fill it. */
const [redrawMs, noteMs] = [250, 60_000]

/** Work that may take long, and how far it is: in one place on a terminal, else a dated line every minute. */
export async function whileWorking<result>(
  { terminal, clock }: Pick<Invocation, 'terminal' | 'clock'>,
  sayProgress: () => string,
  work: () => Promise<result>,
): Promise<result> {
  const over = new AbortController()
  const { signal } = over
  const telling = async () => {
    while (!signal.aborted) {
      const isDrawn = terminal.progress(sayProgress())
      try {
        await clock.sleep(isDrawn ? redrawMs : noteMs, signal)
      } catch {
        // The work is done: that is all that ends the wait early.
        return
      }
      if (!isDrawn && !signal.aborted)
        terminal.note(`${instantText(clock.now())}  ${sayProgress()}`)
    }
  }
  const told = telling()
  try {
    return await work()
  } finally {
    over.abort()
    await told
  }
}

/** In UTC, to the second: `2026-11-24 19:29:12Z`. */
export const instantText = (at: number) =>
  `${new Date(at).toISOString().slice(0, 19).replace('T', ' ')}Z`
