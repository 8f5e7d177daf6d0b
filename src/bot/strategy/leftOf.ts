import type { Amount } from '../../core/amount.ts'
import type { Own } from './strategy.ts'
import { soldSoFar } from './soldSoFar.ts'

/** What a strategy may still sell of a limit over its whole life; never less than nothing. See {@link soldSoFar}. */
export function leftOf(own: Pick<Own, 'totals' | 'inflight'>, limit: Amount): Amount {
  const wei = limit.wei - soldSoFar(own, limit.token).wei
  return { token: limit.token, wei: wei > 0n ? wei : 0n }
}
