import type { Amount } from '../../core/amount.ts'
import type { Level } from './strategy.ts'

/**
 * What selling that much into a book brings, level by level: the last one takes what is left, at its own price.
 * Undefined where there is more to sell than the book is deep. Rounds down, once.
 */
export function worthInto(levels: readonly Level[], sell: Amount): Amount | undefined {
  let [left, bought] = [sell.wei, 0n]
  for (const level of levels) {
    if (left <= level.sold.wei) {
      const part = level.sold.wei === 0n ? 0n : (left * level.bought.wei) / level.sold.wei
      return { token: level.bought.token, wei: bought + part }
    }
    left -= level.sold.wei
    bought += level.bought.wei
  }
  return undefined
}
