import type { Clock } from './clock.ts'

/** What comes within so many milliseconds; undefined where it comes later, and is waited for no longer. */
export async function within<value>(
  coming: Promise<value>,
  { ms, clock }: { readonly ms: number; readonly clock: Clock },
): Promise<value | undefined> {
  const timer = new AbortController()
  const late = () => undefined
  try {
    return await Promise.race([coming, clock.sleep(ms, timer.signal).then(late, late)])
  } finally {
    timer.abort()
  }
}
