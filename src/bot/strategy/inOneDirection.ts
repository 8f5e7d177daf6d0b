import { z } from 'zod'
import type { Amount } from '../../core/amount.ts'
import { isNative, sameToken, type Token } from '../../core/token.ts'
import { priceOf, type WrittenPrice } from '../../core/writtenPrice.ts'

type Trade = { readonly sell: Amount; readonly buy: Token }

/** One direction of one pair: every written price becomes that of selling the one token for the other. */
export function inOneDirection(
  values: Trade & Readonly<Record<string, unknown>>,
  context: z.RefinementCtx,
): unknown {
  const { sell, buy } = values
  const complain = (key: string, message: string) =>
    context.addIssue({ code: 'custom', message, path: [key] })

  if (sell.wei === 0n) complain('sell', 'is nothing: sell more than zero.')
  if (sameToken(sell.token, buy)) {
    complain('buy', `buys ${buy.symbol}, which is what it sells: name another token.`)
    return z.NEVER
  }

  return Object.fromEntries(
    Object.entries(values).map(([key, value]) => {
      if (!isWrittenPrice(value)) return [key, value]
      const price = priceOf(value, { sold: sell.token, bought: buy })
      if (price === undefined) complain(key, misfit(value, { sold: sell.token, bought: buy }))
      return [key, price]
    }),
  )
}

function isWrittenPrice(value: unknown): value is WrittenPrice {
  return typeof value === 'object' && value !== null && 'units' in value && 'per' in value
}

function misfit(
  { token, per }: WrittenPrice,
  { sold, bought }: { readonly sold: Token; readonly bought: Token },
): string {
  const written = per === undefined ? token.symbol : `${token.symbol} per ${per.symbol}`
  const wrapped = [token, per].some((it) => it !== undefined && isNative(it))
    ? ' The native token and its wrapped form are two tokens.'
    : ''
  return `is in ${written}, but it sells ${sold.symbol} for ${bought.symbol}: write it in '${bought.symbol} per ${sold.symbol}' or '${sold.symbol} per ${bought.symbol}'.${wrapped}`
}
