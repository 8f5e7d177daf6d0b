import type { Priced } from '../price/price.ts'

/** Compares each firm quote with the last indicative quote of the same question. */
export type Drift = {
  indicated(priced: Priced): void
  /** Basis points, below 0 pays less; undefined without an earlier indication. */
  of(priced: Priced): number | undefined
}

/** Questions remembered; the oldest is forgotten first. */
const rememberedMax = 1_000

export function createDrift(): Drift {
  const indicated = new Map<string, bigint>()
  return {
    indicated(priced) {
      const question = questionOf(priced)
      indicated.delete(question)
      indicated.set(question, priced.amountOut)
      if (indicated.size <= rememberedMax) return
      const oldest = indicated.keys().next()
      if (oldest.done !== true) indicated.delete(oldest.value)
    },
    of(priced) {
      const before = indicated.get(questionOf(priced))
      if (before === undefined || before === 0n) return undefined
      // For a chart: the ratio of two doubles is exact enough.
      return (Number(priced.amountOut) / Number(before) - 1) * 10_000
    },
  }
}

function questionOf({ request: { sell, buy, amountIn, expirySeconds } }: Priced): string {
  return `${sell.address}:${buy.address}:${amountIn}:${expirySeconds}`
}
