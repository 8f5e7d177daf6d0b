import type { Amount } from '../../core/amount.ts'

/**
 * Passes on what a strategy keeps for itself if that is amounts, and throws a sentence if it is not: the others would
 * see what was taken off their balances, and with less than nothing more than there is.
 */
export function checkReserves(answer: unknown): readonly Amount[] {
  if (!Array.isArray(answer)) throw new TypeError('the answer is no list of amounts')
  for (const amount of answer as readonly (Partial<Amount> | null | undefined)[])
    if (typeof amount?.wei !== 'bigint' || amount.wei < 0n || typeof amount.token !== 'object')
      throw new TypeError('the answer is no list of amounts, each of nothing or more')
  return answer
}
