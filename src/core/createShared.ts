import type { Clock } from './clock.ts'

/**
 * Sends one request for all callers that want the same within a moment. A failure is not kept. `keptMs` counts from the
 * request; old answers are forgotten, so it holds no more than the requests within that time.
 */
export function createShared<key, value>({
  ask,
  nameOf,
  keptMs,
  clock,
}: {
  ask: (key: key) => Promise<value>
  nameOf: (key: key) => string
  keptMs: number
  clock: Clock
}): (key: key) => Promise<{ readonly value: value; readonly askedAt: number }> {
  const known = new Map<string, { readonly askedAt: number; readonly answer: Promise<value> }>()
  return async (key) => {
    const now = clock.now()
    // Oldest first: a map keeps the order in which its keys came.
    for (const [name, { askedAt }] of known) {
      if (now - askedAt <= keptMs && askedAt <= now) break
      known.delete(name)
    }
    const name = nameOf(key)
    const mine = known.get(name) ?? { askedAt: now, answer: ask(key) }
    known.set(name, mine)
    try {
      return { value: await mine.answer, askedAt: mine.askedAt }
    } catch (error) {
      if (known.get(name) === mine) known.delete(name)
      throw error
    }
  }
}
