import { hourMs } from '../core/spans.ts'
import type { Silence } from './stages.ts'

/** Readings further apart say nothing of the time between them. */
const gapMsMax = hourMs

type Reading = {
  readonly source: string
  /** Why there is no answer; undefined where there is one. */
  readonly reason: string | undefined
  /** When the reading began, in milliseconds since the epoch. */
  readonly at: number
}

/** Remembers which sources do not answer. */
export type Silences = ReturnType<typeof createSilence>

/** Remembers which sources do not answer: one that answers again is forgotten. */
export function createSilence() {
  const silences = new Map<string, Silence>()
  const answeredAt = new Map<string, number>()
  return {
    note({ source, reason, at }: Reading): void {
      const known = silences.get(source)
      if (reason === undefined) {
        silences.delete(source)
        answeredAt.set(source, at)
        // Of readings at the same time the slow one ends last.
      } else if (at > (answeredAt.get(source) ?? Number.NEGATIVE_INFINITY)) {
        const isOne = known !== undefined && at - known.until <= gapMsMax
        const since = isOne ? known.since : at
        silences.set(source, { source, reason, since, until: at })
      }
    },
    silent: (): readonly Silence[] => [...silences.values()],
  }
}
