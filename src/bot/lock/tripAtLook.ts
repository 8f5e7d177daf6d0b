import { formatDecimal } from '../../core/decimal.ts'
import { differencePpm, type Price, showPrice } from '../../core/price.ts'
import { sameToken } from '../../core/token.ts'
import type { NewLock } from '../lock.ts'
import type { LookFacts } from '../stages.ts'
import type { Limits } from './limits.ts'
import { tripAtHead } from './tripAtHead.ts'

/** The locks that a look at the market opens. Pure: facts in, locks out. */
export function tripAtLook(facts: LookFacts, limits: Limits): readonly NewLock[] {
  return [...jumps(facts, limits), ...tripAtHead(facts, limits), ...drift(facts)]
}

function jumps(
  { at, prices, before }: LookFacts,
  { priceJump: { bps, withinMs, lockMs } }: Limits,
): readonly NewLock[] {
  if (before === undefined || at - before.at > withinMs) return []
  return prices.flatMap((price, index) => {
    const earlier = before.prices[index]
    // Another amount has another price: only the same question can be compared.
    if (price === undefined || earlier === undefined || !sameAsk(price, earlier)) return []
    const ppm = differencePpm(price, earlier)
    if ((ppm < 0n ? -ppm : ppm) <= BigInt(bps) * 100n) return []
    return {
      kind: 'breaker',
      scope: `pair ${price.sold.token.symbol}/${price.bought.token.symbol}`,
      code: 'PRICE_JUMP',
      reason: `from ${showPrice(earlier)} to ${showPrice(price)} within ${Math.ceil((at - before.at) / 1_000)} s`,
      expiresAt: at + lockMs,
    }
  })
}

const sameAsk = (a: Price, b: Price) =>
  sameToken(a.sold.token, b.sold.token) &&
  sameToken(a.bought.token, b.bought.token) &&
  a.sold.wei === b.sold.wei &&
  a.bought.wei > 0n &&
  b.bought.wei > 0n

function drift({ wallet, missing }: LookFacts): readonly NewLock[] {
  if (missing.length === 0) return []
  const named = missing.map(
    ({ token, wei }) => `${formatDecimal(wei, token.decimals)} ${token.symbol}`,
  )
  return [
    {
      kind: 'breaker',
      scope: `wallet ${wallet.toLowerCase()}`,
      code: 'LEDGER_DRIFT',
      reason: `the wallet holds less than its swaps explain: ${named.join(', ')} missing`,
      expiresAt: undefined,
    },
  ]
}
