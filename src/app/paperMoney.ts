import type { PaperBalance } from '../bot/journal/paper/paperMoney.ts'
import type { Config } from '../config/config.ts'
import { type Amount, type AmountText, parseAmount, toText } from '../core/amount.ts'
import { formatDecimal } from '../core/decimal.ts'
import { asWritten } from '../core/display.ts'
import { usageError } from '../core/errors.ts'
import { sameToken } from '../core/token.ts'

/** Balances on paper as a person reads them: what there is, and what the run has changed. */
export function moneyText(
  balances: ReturnType<typeof balancesText>,
  { tokens }: Pick<Config, 'tokens'>,
): string {
  const parts = balances.flatMap(({ token, wei, text, opening }) => {
    const change = BigInt(wei) - BigInt(opening.wei)
    if (wei === '0' && opening.wei === '0') return []
    const decimals = tokens.bySymbol.get(token)?.decimals ?? 0
    const by = formatDecimal(change < 0n ? -change : change, decimals)
    const moved = change === 0n ? '' : ` (${change < 0n ? '-' : '+'}${by})`
    return [`${text} ${token}${moved}`]
  })
  return parts.length === 0 ? 'nothing' : parts.join(', ')
}

/** Balances on paper as they leave the process: what there is, and where the run began. */
export function balancesText(
  balances: readonly PaperBalance[],
  { tokens }: Pick<Config, 'tokens'>,
): readonly (AmountText & { readonly opening: AmountText })[] {
  return [...tokens.bySymbol.values()].flatMap((token) => {
    const held = balances.find((one) => one.token === token.address.toLowerCase())
    if (held === undefined) return []
    const { wei, opening } = held
    return [{ ...toText({ token, wei }), opening: toText({ token, wei: opening }) }]
  })
}

/** Reads `10 ETH, 5 WETH`: what a run on paper begins with. A token is named once. */
export function balancesOf(text: string, { tokens }: Pick<Config, 'tokens'>): readonly Amount[] {
  // Whether a comma is a point or ends an amount is not guessed: one between digits ends none, an amount has a token.
  const [mixed] = /(?<![^\s,])\d[\d.]*,\d+/.exec(text) ?? []
  if (mixed !== undefined)
    throw usageError(
      `--balances has ${asWritten(mixed)}: write a fraction with a point, and nothing between thousands, such as '1.5 ETH, 5000 USDC'.`,
    )
  const amounts = text.split(',').map((one) => parseAmount(one.trim(), tokens.bySymbol))
  for (const [index, { token }] of amounts.entries())
    if (amounts.findIndex((one) => sameToken(one.token, token)) !== index)
      throw usageError(`--balances names ${token.symbol} twice: say once how much there is.`)
  return amounts
}
