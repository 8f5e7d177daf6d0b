import type { Config } from '../../config/config.ts'
import { type Amount, parseAmount } from '../../core/amount.ts'
import { ballastError } from '../../core/errors.ts'
import { sameToken } from '../../core/token.ts'

/** Reads `10 ETH, 5 WETH`: what a run on paper begins with. A token is named once. */
export function balancesOf(text: string, { tokens }: Pick<Config, 'tokens'>): readonly Amount[] {
  const amounts = text.split(',').map((one) => parseAmount(one.trim(), tokens.bySymbol))
  for (const [index, { token }] of amounts.entries())
    if (amounts.findIndex((one) => sameToken(one.token, token)) !== index)
      throw ballastError(
        'USAGE',
        `--balances names ${token.symbol} twice: say once how much there is.`,
      )
  return amounts
}
