import type { Level } from '../bot/strategy/index.ts'
import type { Amount } from '../core/amount.ts'
import { comparePrices, worthAt } from '../core/price.ts'

/** What selling into a book brings, and what it would at its best price alone. In the bought token. */
type Walk = { readonly received: Amount; readonly atBest: Amount }

/**
 * Sells an amount level by level, best price first. Exact; each level's part is rounded down, as a maker does.
 * Undefined where the book does not take all of it.
 */
export function walkLevels(levels: readonly Level[], sell: Amount): Walk | undefined {
  const ordered = [...levels].sort((a, b) => comparePrices(b, a))
  const [best] = ordered
  if (best === undefined) return undefined
  let left = sell.wei
  let received = 0n
  for (const level of ordered) {
    const isLast = level.sold.wei >= left
    const part = isLast ? left : level.sold.wei
    received += worthAt(level, { ...sell, wei: part }).wei
    left -= part
    if (isLast) {
      const { token } = best.bought
      return { received: { token, wei: received }, atBest: worthAt(best, sell) }
    }
  }
  return undefined
}
