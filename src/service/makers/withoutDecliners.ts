import type { Snapshot } from '../createSnapshots.ts'
import { QuoteRefused } from '../refusal/errors.ts'
import { MakerDeclined } from './errors.ts'

/** A maker in its own process may take half a second to refuse, and the caller is waiting. */
const attemptsMax = 3

/**
 * Tries a firm quote, and where a maker does not sign, again from the same block without it: the next best route takes
 * its place. One that promised its tokens to another party in the meantime stays, with what it has left.
 */
export async function withoutDecliners<quote>(
  snapshot: Snapshot,
  attempt: (remaining: Snapshot) => Promise<quote>,
): Promise<quote> {
  const declined = new Set<string>()
  let last: MakerDeclined | undefined
  for (let count = 0; count < attemptsMax; count += 1)
    try {
      return await attempt(declined.size === 0 ? snapshot : without(snapshot, declined))
    } catch (err) {
      if (err instanceof MakerDeclined) {
        last = err
        if (err.reason !== 'promised-elsewhere') declined.add(err.maker)
      } else if (err instanceof QuoteRefused && last !== undefined) break
      else throw err
    }
  throw new QuoteRefused('MAKER_REFUSED', 'The makers did not sign, and nobody else takes it.', {
    maker: last?.maker,
    reason: last?.reason,
  })
}

function without(snapshot: Snapshot, declined: ReadonlySet<string>): Snapshot {
  return {
    ...snapshot,
    states: snapshot.states.map((state) => ({
      ...state,
      offers: (expirySeconds, among, callers) =>
        state.offers(expirySeconds, among, callers).filter(({ source }) => !declined.has(source)),
    })),
  }
}
