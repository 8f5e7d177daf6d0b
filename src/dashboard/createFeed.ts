import type { Clock } from '../core/clock.ts'
import { repeatUntil } from '../core/repeat.ts'
import { secondMs } from '../core/spans.ts'

type Listener = (seq: number) => void

/** Followers of the journal at the same time; each is a connection that stays open. */
const followersMax = 64

/**
 * Tells its followers when the log of the journal has a new entry. The journal is looked at once a second for all of them,
 * and not at all where nobody follows.
 */
export function createFeed({ newest, clock }: { newest: () => Promise<number>; clock: Clock }) {
  const followers = new Set<Listener>()
  let following: AbortController | undefined
  let seq: number | undefined

  const follow = async (signal: AbortSignal) => {
    // A journal that cannot be read at the moment has nothing new to tell.
    const now = await newest().catch(() => seq)
    if (signal.aborted || now === seq || now === undefined) return
    seq = now
    for (const tell of followers) tell(now)
  }
  const stop = () => {
    following?.abort()
    following = undefined
    seq = undefined
  }

  return {
    isFull: () => followers.size >= followersMax,
    /** Returns what ends it. The first call comes within a second. */
    subscribe(tell: Listener): () => void {
      followers.add(tell)
      if (seq !== undefined) tell(seq)
      if (following === undefined) {
        following = new AbortController()
        void repeatUntil(following.signal, { everyMs: secondMs, clock }, follow)
      }
      return () => {
        followers.delete(tell)
        if (followers.size === 0) stop()
      }
    },
    close: stop,
  }
}
