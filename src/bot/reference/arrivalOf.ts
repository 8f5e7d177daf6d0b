import { medianAmount } from '../../core/amount.ts'
import type { Arrival, ReferencePrice } from '../stages.ts'

/** The middle of the sources that are not the service's own word; undefined where none of them answered. */
export function arrivalOf(references: readonly ReferencePrice[]): Arrival | undefined {
  const own = references.filter(({ independent }) => independent)
  const fair = medianAmount(own.map((one) => one.fair))
  if (fair === undefined) return undefined
  return {
    fair,
    sources: own.map(({ source }) => source),
    at: Math.min(...own.map(({ at }) => at)),
  }
}
