import type { Amount } from '../../core/amount.ts'
import { sameToken, type Token } from '../../core/token.ts'
import type { Own } from './strategy.ts'

/**
 * All that a strategy has sold of one token, for whatever token: settled, and in flight as if it were to settle.
 * Never less than the truth, so a budget held to it is never exceeded.
 */
export function soldSoFar(
  { totals, inflight }: Pick<Own, 'totals' | 'inflight'>,
  token: Token,
): Amount {
  const sold = [...totals.map((total) => total.sold), ...inflight.map((open) => open.sell)]
  const wei = sold
    .filter((amount) => sameToken(amount.token, token))
    .reduce((sum, amount) => sum + amount.wei, 0n)
  return { token, wei }
}
