import type { Clock } from './clock.ts'

type Rhythm = { readonly everyMs: number; readonly clock: Clock }

/** Does something until the signal, with a rest behind each time; what it throws ends it. */
export async function repeatUntil(
  signal: AbortSignal,
  { everyMs, clock }: Rhythm,
  work: (signal: AbortSignal) => Promise<unknown>,
): Promise<void> {
  while (!signal.aborted) {
    await work(signal)
    // Aborted: the loop ends.
    await clock.sleep(everyMs, signal).catch(() => undefined)
  }
}

/** The same beside the caller, until it is stopped: that waits for the work under way. `onError` hears what fails before. */
export function repeat(
  { onError, ...rhythm }: Rhythm & { readonly onError: (error: unknown) => void },
  work: (signal: AbortSignal) => Promise<unknown>,
): { stop(): Promise<void> } {
  const over = new AbortController()
  const running = repeatUntil(over.signal, rhythm, (signal) =>
    work(signal).catch((error: unknown) => {
      if (!signal.aborted) onError(error)
    }),
  )
  return {
    async stop() {
      over.abort()
      await running
    },
  }
}
