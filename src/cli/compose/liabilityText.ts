import type { Liability } from '../../bot/journal/wallet/allowances.ts'
import type { Config } from '../../config/config.ts'
import { toText } from '../../core/amount.ts'
import { sameAddress } from '../../core/token.ts'

/** An allowance left behind, as it goes out as JSON. A token that is configured no more goes by its address, in its smallest unit. */
export function liabilityText(
  { token: address, spender, wei, swapId }: Liability,
  { tokens, chain }: Pick<Config, 'tokens' | 'chain'>,
) {
  const { chainId } = chain
  const token = [...tokens.bySymbol.values()].find((one) => sameAddress(one.address, address)) ?? {
    chainId,
    address,
    symbol: address,
    decimals: 0,
  }
  return { amount: toText({ token, wei }), spender, swapId }
}
