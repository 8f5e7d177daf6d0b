import { formatDecimal } from '../../core/decimal.ts'
import type { BallastError } from '../../core/errors.ts'
import { differencePpm, drawTogether, type Price, showPrice } from '../../core/price.ts'
import { dayMs, minuteMs } from '../../core/spans.ts'
import { sameToken } from '../../core/token.ts'
import type { NewLock } from '../lock.ts'
import type { EndFacts, LookFacts } from '../stages.ts'
import { writtenOff } from '../state.ts'

/** When a breaker opens its lock, and for how long. Durations in milliseconds. */
export type BreakerLimits = {
  /** Swaps of one strategy in a row that verification or simulation refused, over so long a time at least. */
  readonly refusals: { readonly count: number; readonly overMs: number; readonly lockMs: number }
  /** Swaps of one wallet in a row that only cost gas: their own, or that of their approvals. */
  readonly failures: { readonly count: number; readonly lockMs: number }
  /** How far a price may move between two looks that are at most `withinMs` apart. */
  readonly priceJump: { readonly bps: number; readonly withinMs: number; readonly lockMs: number }
  /** How far a price may be from the middle of our own prices of a day. */
  readonly priceDrift: { readonly bps: number; readonly lockMs: number }
  /** Two nodes that disagree about a simulation or a price. */
  readonly witness: { readonly lockMs: number }
  /**
   * How far this clock may be ahead of the newest block, and for how long where that block is too old to decide on; how
   * far off the service's in either direction.
   */
  readonly clock: {
    readonly aheadMs: number
    readonly overMs: number
    readonly serviceMs: number
    readonly lockMs: number
  }
  /** The most a wallet may pay for gas in 24 hours, in wei; undefined for no limit. */
  readonly gasPerDayMax: bigint | undefined
}

/** Stages whose refusals mean that the service or the chain is not as it should be; policy and funds are our own. */
const suspicious = /^(?:VERIFY|SIMULATE)_/

/** Refusals for a cause that passes by itself: gas is dear, the node is behind, or the witness is away. */
const passing = /^SIMULATE_(?:GAS_COST|GAS_PRICE|HEAD_AGE|WITNESS_REACHABLE)$/

/** A cause that passes by itself has not, after so long. */
const passingMsMax = 30 * minuteMs

/** Whether an error says something of the outside that the very next look would most likely meet again. */
export const isHindrance = ({ code, remedy, fault }: BallastError): boolean =>
  remedy === 'retry' || fault === 'upstream' || suspicious.test(code)

/** A witness out of reach gave no evidence against a node: its swap is refused, as for any cause that passes by itself. */
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

/** A strategy that failed while it decided or said what it reserves would fail at its next slot too, until a person has mended it. */
export const tripAtBroken = (strategy: string, { summary }: BallastError): NewLock => ({
  kind: 'breaker',
  scope: `strategy ${strategy}`,
  code: 'STRATEGY_BROKEN',
  reason: summary,
  expiresAt: undefined,
})

function refusals(
  { at, strategy, swap, strategyEnds }: EndFacts,
  { refusals: { count, overMs, lockMs } }: BreakerLimits,
): NewLock | undefined {
  if (swap.state !== 'REJECTED') return undefined
  const refused = refusedInRow(strategyEnds)
  const grave = refused.filter(({ code }) => !passing.test(code ?? ''))
  // What was refused before an earlier lock counts on: the one trial behind that lock is enough.
  const isGrave = grave.length >= count && spanOf(grave) >= overMs
  const isLasting = refused.length >= count && spanOf(refused) >= passingMsMax
  if (!isGrave && !isLasting) return undefined
  return {
    kind: 'breaker',
    scope: `strategy ${strategy}`,
    code: 'REFUSALS',
    reason: `${refused.length} swaps in a row were refused, the last one with ${swap.code}`,
    expiresAt: at + lockMs,
  }
}

function failures(
  { at, wallet, swap, walletEnds }: EndFacts,
  { failures: { count, lockMs } }: BreakerLimits,
): NewLock | undefined {
  if (!swap.onlyCostGas || !isFailed(swap.state)) return undefined
  const row = failedInRow(walletEnds).length
  // One success now and then is no sign that the gas is well spent.
  const recent = walletEnds.slice(0, 2 * count)
  const failed = recent.filter(({ state }) => isFailed(state)).length
  if (row < count && failed <= count) return undefined
  return {
    kind: 'breaker',
    scope: `wallet ${wallet.toLowerCase()}`,
    code: 'FAILURES',
    reason:
      row < count
        ? `${failed} of the last ${recent.length} swaps only cost gas`
        : `${row} swaps in a row only cost gas`,
    expiresAt: at + lockMs,
  }
}

function shortfall({ id, swap }: EndFacts): NewLock | undefined {
  const { code, received, minimum, short } = swap
  // A person has looked, and said why.
  if (code === writtenOff) return undefined
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
  const oldestFirst = gasPaid.filter((one) => one.at > at - dayMs).sort((a, b) => a.at - b.at)
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
    expiresAt: (freed?.at ?? at) + dayMs,
  }
}

/** Among the ends of a wallet, what was refused or abandoned has paid for its approvals. */
const isFailed = (state: string) =>
  ['REVERTED', 'EXPIRED_DEAD', 'REJECTED', 'ABANDONED'].includes(state)

/** The newest ends of a wallet that only cost gas, up to the first that did not. */
export const failedInRow = (ends: EndFacts['walletEnds']) =>
  leading(ends, ({ state }) => isFailed(state))

/** The newest ends of a strategy that verification or simulation refused, up to the first that they did not. */
export const refusedInRow = (ends: EndFacts['strategyEnds']) =>
  leading(ends, ({ state, code }) => state === 'REJECTED' && suspicious.test(code ?? ''))

/** The leading items of a list that hold. */
function leading<item>(list: readonly item[], holds: (one: item) => boolean): readonly item[] {
  const end = list.findIndex((one) => !holds(one))
  return end === -1 ? list : list.slice(0, end)
}

/** The time between the oldest and the newest of ends. */
const spanOf = (ends: EndFacts['strategyEnds']): number =>
  (ends.at(0)?.at ?? 0) - (ends.at(-1)?.at ?? 0)

/** Block times are whole seconds, and who makes a block keeps time to about one. */
const headAheadMsMax = 2_000

/** The known facts about three clocks. Instants in milliseconds since the epoch. */
type Clocks = {
  readonly at: number
  readonly headAt: number
  /** The service's clock minus this one; undefined where it gave no time. */
  readonly serviceAheadMs: number | undefined
  /** Since when every head was too far behind this clock; undefined where this one is not. */
  readonly behindSince: number | undefined
}

/** Whether this clock is too far ahead of a head, or the head too far behind it. */
export const isBehind = (
  { at, headAt }: Pick<Clocks, 'at' | 'headAt'>,
  { clock }: Pick<BreakerLimits, 'clock'>,
): boolean => at - headAt > clock.aheadMs

/**
 * The lock that clocks which disagree open. Pure: facts in, locks out.
 *
 * It is judged of every head, one that is too old to decide on included: to a clock that runs ahead every head is old.
 * A node that stands still looks the same, and nothing is decided on its head: that locks only where it lasts.
 */
export function tripAtHead(
  { at, headAt, serviceAheadMs, behindSince = at }: Clocks,
  { clock: { aheadMs, overMs, serviceMs, lockMs } }: BreakerLimits,
): readonly NewLock[] {
  const lead = at - headAt
  const off = serviceAheadMs ?? 0
  const reasons = [
    lead > aheadMs &&
      at - behindSince >= overMs &&
      `this clock is ${lead} ms ahead of the newest block`,
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
  // This head was taken as new enough: what is wrong with the clock then is judged at once.
  const clocks = { ...facts, behindSince: Number.NEGATIVE_INFINITY }
  return [...jumps(facts, limits), ...tripAtHead(clocks, limits), ...drift(facts)]
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
    const ppm = differencePpm(...drawTogether(price, earlier))
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

function drift({ wallet, missing, nonce }: LookFacts): readonly NewLock[] {
  if (missing.length === 0) return []
  const named = missing.map(
    ({ token, wei }) => `${formatDecimal(wei, token.decimals)} ${token.symbol}`,
  )
  return [
    {
      kind: 'breaker',
      scope: `wallet ${wallet.toLowerCase()}`,
      code: 'LEDGER_DRIFT',
      reason: `the wallet holds less than its swaps explain: ${named.join(', ')} missing; ${causeOf(nonce)}`,
      expiresAt: undefined,
    },
  ]
}

/** Who can have taken it, by the nonce: a person acts otherwise where the key is known to another. */
function causeOf(nonce: LookFacts['nonce']): string {
  if (nonce === undefined) return 'the nonce of the wallet is not known'
  const { ofChain, ofBooks } = nonce
  if (ofChain > ofBooks)
    return `its nonce is ${ofChain} and the books end at ${ofBooks}: somebody used its key for ${ofChain - ofBooks} transactions that are not ours`
  if (ofChain < ofBooks)
    return `its nonce is ${ofChain}, below the ${ofBooks} of the books: a reorganisation took swaps back, or the node is behind. Compare it with another node (ballast reconcile)`
  return `its nonce is ${ofChain}, as in the books: its key was not used. A spender took it by an allowance (ballast revoke), or the token moved it`
}
