import { hourMs } from '../../core/spans.ts'
import type { Silence } from '../stages.ts'
import { type ReferenceReading, sourceOf } from './readReferences.ts'

/** Readings further apart say nothing of the time between them. */
const gapMsMax = hourMs

/** Remembers which sources give no price: one that answers again is forgotten. A reading counts from when it began. */
export function createSilence() {
  const silences = new Map<string, Silence>()
  const pricedAt = new Map<string, number>()
  return {
    note(readings: readonly ReferenceReading[], at: number): void {
      for (const { reference, told } of readings) {
        const source = sourceOf(reference)
        const known = silences.get(source)
        if ('price' in told) {
          silences.delete(source)
          pricedAt.set(source, at)
          // Of readings at the same time the slow one ends last.
        } else if (at > (pricedAt.get(source) ?? Number.NEGATIVE_INFINITY)) {
          const isOne = known !== undefined && at - known.until <= gapMsMax
          const since = isOne ? known.since : at
          silences.set(source, { source, reason: told.reason, since, until: at })
        }
      }
    },
    silent: (): readonly Silence[] => [...silences.values()],
  }
}
