import { formatDecimal } from '../../core/decimal.ts'
import { differencePpm, type Price, showPrice } from '../../core/price.ts'
import { sameToken } from '../../core/token.ts'
import type { NewLock } from '../lock.ts'
import type { LookFacts } from '../stages.ts'
import type { Limits } from './limits.ts'

/** Block times are whole seconds, and who makes a block keeps time to about one. */
const headAheadMsMax = 2_000

/** The locks that a look at the market opens. Pure: facts in, locks out. */
export function tripAtLook(facts: LookFacts, limits: Limits): readonly NewLock[] {
  return [...jumps(facts, limits), ...clock(facts, limits), ...drift(facts)]
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

function clock(
  { at, headAt, serviceAheadMs }: LookFacts,
  { clock: { aheadMs, serviceMs, lockMs } }: Limits,
): readonly NewLock[] {
  const lead = at - headAt
  const off = serviceAheadMs ?? 0
  const reasons = [
    lead > aheadMs && `this clock is ${lead} ms ahead of the newest block`,
    lead < -headAheadMsMax && `the newest block is ${-lead} ms in the future`,
    Math.abs(off) > serviceMs && `the service's clock differs by ${off} ms`,
  ].filter((reason) => reason !== false)
  if (reasons.length === 0) return []
  return [
    {
      kind: 'breaker',
      scope: 'all',
      code: 'CLOCK_SKEW',
      reason: reasons.join('; '),
      expiresAt: at + lockMs,
    },
  ]
}

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
