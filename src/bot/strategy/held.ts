import type { Amount } from '../../core/amount.ts'
import { sameToken, type Token } from '../../core/token.ts'

/** What a wallet with these balances holds of one token; zero of a token it was not asked about. */
export function held(balances: readonly Amount[], token: Token): Amount {
  return balances.find((balance) => sameToken(balance.token, token)) ?? { token, wei: 0n }
}
