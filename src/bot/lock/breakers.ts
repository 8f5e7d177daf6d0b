import { formatDecimal } from '../../core/decimal.ts'
import type { BallastError } from '../../core/errors.ts'
import { differencePpm, type Price, showPrice } from '../../core/price.ts'
import { sameToken } from '../../core/token.ts'
import type { NewLock } from '../lock.ts'
import type { EndFacts, LookFacts } from '../stages.ts'

/** When a breaker opens its lock, and for how long. Durations in milliseconds. */
export type BreakerLimits = {
  /** Swaps of one strategy in a row that verification or simulation refused. */
  readonly refusals: { readonly count: number; readonly lockMs: number }
  /** Swaps of one wallet in a row that were sent and only cost gas. */
  readonly failures: { readonly count: number; readonly lockMs: number }
  /** How far a price may move between two looks that are at most `withinMs` apart. */
  readonly priceJump: { readonly bps: number; readonly withinMs: number; readonly lockMs: number }
  /** How far a price may be from the middle of our own prices of a day. */
  readonly priceDrift: { readonly bps: number; readonly lockMs: number }
  /** Two nodes that disagree about a simulation or a price. */
  readonly witness: { readonly lockMs: number }
  /** How far this clock may be ahead of the newest block, and off the service's in either direction. */
  readonly clock: { readonly aheadMs: number; readonly serviceMs: number; readonly lockMs: number }
  /** The most a wallet may pay for gas in 24 hours, in wei; undefined for no limit. */
  readonly gasPerDayMax: bigint | undefined
}

const day = 24 * 60 * 60 * 1_000

/** Stages whose refusals mean that the service or the chain is not as it should be; policy and funds are our own. */
const suspicious = /^(?:VERIFY|SIMULATE)_/

/** A witness out of reach gave no evidence: its swap is refused, and that is all. */
const witnessAway = 'simulate.witness-reachable'

/** The locks that the end of a swap opens. Pure: facts in, locks out. */
export function tripAtEnd(facts: EndFacts, limits: BreakerLimits): readonly NewLock[] {
  return [
    refusals(facts, limits),
    failures(facts, limits),
    shortfall(facts),
    witness(facts, limits),
    gas(facts, limits),
  ].filter((lock) => lock !== undefined)
}

function refusals(
  { at, strategy, swap, strategyEnds }: EndFacts,
  { refusals: { count, lockMs } }: BreakerLimits,
): NewLock | undefined {
  if (swap.state !== 'REJECTED') return undefined
  const row = leading(strategyEnds, ({ state, code }) => {
    return state === 'REJECTED' && suspicious.test(code ?? '')
  })
  if (row < count) return undefined
  return {
    kind: 'breaker',
    scope: `strategy ${strategy}`,
    code: 'REFUSALS',
    reason: `${row} swaps in a row were refused, the last one with ${swap.code}`,
    expiresAt: at + lockMs,
  }
}

function failures(
  { at, wallet, swap, walletEnds }: EndFacts,
  { failures: { count, lockMs } }: BreakerLimits,
): NewLock | undefined {
  const failed = (state: string) => state === 'REVERTED' || state === 'EXPIRED_DEAD'
  if (!failed(swap.state)) return undefined
  const row = leading(walletEnds, ({ state }) => failed(state))
  if (row < count) return undefined
  return {
    kind: 'breaker',
    scope: `wallet ${wallet.toLowerCase()}`,
    code: 'FAILURES',
    reason: `${row} swaps in a row were sent and only cost gas`,
    expiresAt: at + lockMs,
  }
}

function shortfall({ id, swap }: EndFacts): NewLock | undefined {
  const { received, minimum, short } = swap
  const below = received !== undefined && minimum !== undefined && received < minimum
  if (!below && short !== true) return undefined
  return {
    kind: 'breaker',
    scope: 'all',
    code: 'SHORTFALL',
    reason: below
      ? `swap ${id} received ${received}, less than its minimum ${minimum}`
      : `less came in, or more left, with swap ${id} than the router says`,
    expiresAt: undefined,
  }
}

function witness(
  { at, swap }: EndFacts,
  { witness: { lockMs } }: BreakerLimits,
): NewLock | undefined {
  const failed = swap.failedChecks.find(
    (name) => name.startsWith('simulate.witness') && name !== witnessAway,
  )
  const disputed = failed ?? (swap.code === pricesDisagree ? pricesDisagree : undefined)
  return disputed === undefined ? undefined : disagreement(disputed, at + lockMs)
}

const disagreement = (what: string, expiresAt: number): NewLock => ({
  kind: 'breaker',
  scope: 'all',
  code: 'RPC_DISAGREEMENT',
  reason: `two nodes disagree about the chain: ${what}`,
  expiresAt,
})

/** One block has one state: a single contradiction about it shows that a node is wrong, with no need for a second. */
const pricesDisagree = 'REFERENCES_DISAGREE'

/** The locks that a refusal before the plan opens. Pure: facts in, locks out. */
export function tripAtRefusal(
  { at, error }: { readonly at: number; readonly error: BallastError },
  { witness: { lockMs } }: BreakerLimits,
): readonly NewLock[] {
  if (error.code !== pricesDisagree) return []
  const answers = Object.entries(error.facts).map(([source, said]) => `${source}: ${said}`)
  return [disagreement(answers.join('; '), at + lockMs)]
}

/** Locks until enough gas has left the window for the rest to be within the limit. */
function gas(
  { at, wallet, gasPaid }: EndFacts,
  { gasPerDayMax }: BreakerLimits,
): NewLock | undefined {
  if (gasPerDayMax === undefined) return undefined
  const oldestFirst = gasPaid.filter((one) => one.at > at - day).sort((a, b) => a.at - b.at)
  const total = oldestFirst.reduce((sum, { wei }) => sum + wei, 0n)
  if (total <= gasPerDayMax) return undefined
  let left = total
  const freed = oldestFirst.find(({ wei }) => {
    left -= wei
    return left <= gasPerDayMax
  })
  return {
    kind: 'breaker',
    scope: `wallet ${wallet.toLowerCase()}`,
    code: 'GAS_SPENT',
    reason: `gas cost ${formatDecimal(total, 18)} in 24 hours, more than breakers.maxGasPerDay (${formatDecimal(gasPerDayMax, 18)})`,
    expiresAt: (freed?.at ?? at) + day,
  }
}

/** The number of leading items of a list that hold. */
function leading<item>(list: readonly item[], holds: (one: item) => boolean): number {
  const end = list.findIndex((one) => !holds(one))
  return end === -1 ? list.length : end
}

/** Block times are whole seconds, and who makes a block keeps time to about one. */
const headAheadMsMax = 2_000

/** The known facts about three clocks. Instants in milliseconds since the epoch. */
type Clocks = {
  readonly at: number
  readonly headAt: number
  /** The service's clock minus this one; undefined where it gave no time. */
  readonly serviceAheadMs: number | undefined
}

/**
 * The lock that clocks which disagree open. Pure: facts in, locks out.
 *
 * It is judged of every head, one that is too old to decide on included: to a clock that runs ahead every head is old.
 */
export function tripAtHead(
  { at, headAt, serviceAheadMs }: Clocks,
  { clock: { aheadMs, serviceMs, lockMs } }: BreakerLimits,
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

/** The locks that a look at the market opens. Pure: facts in, locks out. */
export function tripAtLook(facts: LookFacts, limits: BreakerLimits): readonly NewLock[] {
  return [...jumps(facts, limits), ...tripAtHead(facts, limits), ...drift(facts)]
}

function jumps(
  { at, prices, before }: LookFacts,
  { priceJump: { bps, withinMs, lockMs } }: BreakerLimits,
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
