import type { Clock } from '../../core/clock.ts'

/** Aborts a while after the first signal; never, where `signal` aborts before. */
export function laterThan(
  first: AbortSignal,
  { afterMs, clock, signal }: { afterMs: number; clock: Clock; signal: AbortSignal },
): AbortSignal {
  const later = new AbortController()
  const wait = () =>
    clock.sleep(afterMs, signal).then(
      () => later.abort(),
      () => undefined,
    )
  if (first.aborted) void wait()
  else first.addEventListener('abort', () => void wait(), { once: true })
  return later.signal
}
