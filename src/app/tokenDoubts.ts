import type { Config } from '../config/config.ts'
import { presets } from '../config/presets.ts'
import { sameAddress } from '../core/token.ts'

/** Tokens whose symbol and address do not belong together, by what is known of the chain: its feeds would guard another coin. */
export function tokenDoubts({
  chain,
  tokens,
}: Pick<Config, 'chain' | 'tokens'>): readonly string[] {
  const preset = presets.find(({ chainId }) => chainId === chain.chainId)
  if (preset === undefined) return []
  const known = [preset.wrapped, ...preset.stablecoins]
  return [...tokens.bySymbol.values()].flatMap(({ symbol, address }) => {
    const here = known.find((one) => sameAddress(one.address, address))
    const named = known.find((one) => one.symbol === symbol)
    if (here !== undefined && here.symbol !== symbol)
      return [`tokens.${symbol} has the address of ${here.symbol} on ${preset.name}`]
    return named === undefined || sameAddress(named.address, address)
      ? []
      : [
          `tokens.${symbol} is not the ${symbol} that is known of ${preset.name}, ${named.address}: make sure that it is the coin you mean`,
        ]
  })
}
