import { type Amount, medianAmount } from '../../core/amount.ts'
import { divideUp } from '../../core/decimal.ts'
import { type Price, worthAt } from '../../core/price.ts'
import { type Coin, isNative, sameToken, type Token } from '../../core/token.ts'
import type { Dossier } from '../dossier.ts'

/** The benchmark of a settled swap. */
type Benchmark = {
  /** The middle of independent sources when it was decided; or, where none was written down, the price it was shown. */
  readonly kind: 'independent sources' | 'indication'
  /** The sold amount, at that price. */
  readonly worth: Amount
  readonly sources: readonly string[]
  /** How old the oldest source was when it was planned; undefined of an indication. */
  readonly ageMs: number | undefined
}

/**
 * Where the money went between a decision and its settlement, in the smallest unit of the bought token; above zero is a
 * cost. The parts that are known add up to `total` exactly.
 */
export type Shortfall = {
  readonly benchmark: Benchmark
  /** The sources' move between the decision and the firm quote; undefined unless they were read twice. */
  readonly delay: bigint | undefined
  /** From the middle of the sources to the firm quote. Without a delay of its own it holds that as well. */
  readonly spread: bigint
  /** From the firm quote to what arrived. */
  readonly slippage: bigint
  /** Approvals included; undefined where no price of the coin was written down. */
  readonly gas: bigint | undefined
  /** The tips in it; undefined where they, or a price of the coin, were not written down. */
  readonly tip: bigint | undefined
  readonly total: bigint
}

/** The shortfall of a settled swap; undefined where there is nothing valid to hold it to. */
export function shortfall(swap: Dossier, coin: Coin): Shortfall | undefined {
  const { plan, quote, moved } = swap
  if (moved === undefined || quote === undefined) return undefined
  const { sell } = plan.intent
  const benchmark = benchmarkOf(swap, moved.sold)
  if (benchmark === undefined || benchmark.worth.wei === 0n) return undefined

  const levelOf = (bought: Amount) => worthAt({ sold: sell, bought }, moved.sold).wei
  const middle = benchmark.kind === 'indication' ? undefined : middleAtQuote(swap)
  const decided = benchmark.worth.wei
  const asked = middle === undefined ? undefined : levelOf(middle)
  const firm = levelOf(quote.amountOut)
  const delay = asked === undefined ? undefined : decided - asked
  const spread = (asked ?? decided) - firm
  const slippage = firm - moved.received.wei
  const gas = gasInBought(swap.gasPaidInAll, swap, coin)
  return {
    benchmark,
    delay,
    spread,
    slippage,
    gas,
    tip: gasInBought(swap.tipPaidInAll, swap, coin),
    total: decided - moved.received.wei + (gas ?? 0n),
  }
}

function benchmarkOf({ plan, createdAt }: Dossier, sold: Amount): Benchmark | undefined {
  const { arrival, indication, intent } = plan
  const at = (price: Price) => worthAt(price, sold)
  if (arrival !== undefined)
    return {
      kind: 'independent sources',
      worth: at({ sold: intent.sell, bought: arrival.fair }),
      sources: arrival.sources,
      ageMs: createdAt - arrival.at,
    }
  if (indication === undefined || indication.sold.wei === 0n) return undefined
  return { kind: 'indication', worth: at(indication), sources: [], ageMs: undefined }
}

/** The middle of the independent sources right before the firm quote. */
function middleAtQuote({ quote }: Dossier): Amount | undefined {
  const said = quote?.appraisal?.references.filter(({ independent }) => independent) ?? []
  return medianAmount(said.map(({ fair }) => fair))
}

/** The gas's worth in the bought token. Rounds up: it is a cost. */
function gasInBought(
  gas: bigint | undefined,
  swap: Dossier,
  { native, wrapped }: Coin,
): bigint | undefined {
  const { plan, quote } = swap
  if (gas === undefined) return undefined
  const { sell, buy } = plan.intent
  const isCoin = (token: Token) =>
    isNative(token) || sameToken(token, native) || sameToken(token, wrapped)
  if (isCoin(buy)) return gas
  const fair = middleAtQuote(swap) ?? plan.arrival?.fair
  if (fair === undefined) return undefined
  if (isCoin(sell.token)) return divideUp(gas * fair.wei, sell.wei)
  const { coin, notional } = quote?.appraisal ?? {}
  if (coin === undefined || notional === undefined || notional.wei === 0n) return undefined
  if (!sameToken(coin.token, notional.token)) return undefined
  // Coin to the unit of account, and from there at the rate at which the sold amount goes to the bought token.
  return divideUp(gas * coin.wei * fair.wei, 10n ** BigInt(native.decimals) * notional.wei)
}

/** How long things took, as this machine saw it; undefined where it did not get that far or was not written down. */
export type Timing = {
  /** From the quote's arrival to the signature being durable. */
  readonly quoteAgeMs: number | undefined
  /** From the network taking it to a block with it being seen: at most a poll later than the block. */
  readonly inclusionMs: number | undefined
  /** From the head it was sent at to its block. */
  readonly inclusionBlocks: number | undefined
  /** The time left before the deadline when the block was seen. */
  readonly leftSeconds: number | undefined
}

export function timingOf({ quote, signedAt, events, attempts, block }: Dossier): Timing {
  const sent = events.find(({ type }) => type === 'SENT')
  // A reorganisation may take it out and another block bring it back: the last one is the one that held.
  const included = events.findLast(({ type }) => type === 'INCLUDED')
  const sentAtBlock = attempts.find(({ kind }) => kind === 'SWAP')?.sentAtBlock
  return {
    quoteAgeMs:
      quote?.receivedAt === undefined || signedAt === undefined
        ? undefined
        : signedAt - quote.receivedAt,
    inclusionMs: sent === undefined || included === undefined ? undefined : included.at - sent.at,
    inclusionBlocks:
      block === undefined || sentAtBlock === null || sentAtBlock === undefined
        ? undefined
        : block - sentAtBlock,
    leftSeconds:
      quote === undefined || included === undefined
        ? undefined
        : quote.deadline - Math.ceil(included.at / 1_000),
  }
}
