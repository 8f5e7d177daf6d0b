import type { Amount } from '../../core/amount.ts'
import type { Context, Memory } from './strategy.ts'
import { least } from './least.ts'
import { most } from './most.ts'
import { type Asset, isOf, sumOf } from './portfolio.ts'

/**
 * What came in of each asset besides what was bought, and is still there: by comparing what is there with what was there
 * at the last decision, as far as it was written down. What went out is taken off it.
 *
 * The notes are for the next decision; what was bought is the journal's own sum.
 */
export function inflows(
  { totals, memory = {} }: Pick<Context<unknown>, 'totals' | 'memory'>,
  assets: readonly Asset[],
): { readonly fresh: readonly bigint[]; readonly notes: Memory } {
  const counted = assets.map((asset) => {
    const { symbol } = asset.token
    const before = (key: string) => BigInt(memory[`${key}:${symbol}`] ?? 0)
    const there = sumOf(asset)
    const bought = totals
      .map((total): Amount => total.bought)
      .filter(({ token }) => isOf(asset, token))
      .reduce((sum, { wei }) => sum + wei, 0n)
    const came = before('fresh') + there - before('there') - (bought - before('bought'))
    const isKnown = memory[`there:${symbol}`] !== undefined
    return { symbol, there, bought, fresh: isKnown ? least(there, most(0n, came)) : 0n }
  })
  const notes = counted.flatMap(({ symbol, there, bought, fresh }) => [
    [`there:${symbol}`, `${there}`],
    [`bought:${symbol}`, `${bought}`],
    [`fresh:${symbol}`, `${fresh}`],
  ])
  return { fresh: counted.map(({ fresh }) => fresh), notes: Object.fromEntries(notes) }
}
