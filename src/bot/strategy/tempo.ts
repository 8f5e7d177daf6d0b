import { countSwaps, maxOf, minOf } from './amounts.ts'
import { notePrice, recallPrice } from './counts.ts'
import type { WatchedMarket } from './market.ts'
import { isOfPair } from './prices.ts'
import type { Context, Memory } from './strategy.ts'

/** All of it, in ten thousandths. */
const whole = 10_000n

/** However dear the fills: an eighth of what the book takes. However wild the market: a quarter of the time, half a slice. */
const [partMin, expiryMin, sizeMin] = [1_250n, 2_500n, 5_000n]

/** What was expected counts as so many looks, and so does all that was seen: what is long ago is forgotten. */
const looksExpected = 15n

const yearMs = 31_536_000_000n
/** Of a move, as a part of the price before it. A variance is in parts of it, twice. */
const moveUnit = 10n ** 9n

/** How far to go at once, in ten thousandths. */
export type Tempo = {
  /** Of what the book takes: less after fills that cost more than they may. */
  readonly part: bigint
  /** Of an even slice, and of the time a quote is asked for: less while prices move more than expected. */
  readonly size: bigint
  readonly expiry: bigint
  /** Why it is less than usual; nothing where it is not. */
  readonly says: string
  readonly notes: Memory
}

type Expected = { readonly impactBps: number; readonly volatilityBps: number | undefined }
type Seen = Pick<Context<unknown>, 'memory' | 'now' | 'totals' | 'lastFill'>

/**
 * The tempo of an order: by what its last fill cost against the best level it was decided on, and by how much the price
 * moves from look to look. A quote is an option of its taker, worth σ·√t: at twice the volatility it gets a quarter of the time.
 */
export function tempoOf(context: Seen, market: WatchedMarket, expected: Expected): Tempo {
  const { part, ...byFill } = partOf(context, market, expected)
  const calm = calmOf(context, market, expected)
  const size = maxOf(sizeMin, BigInt(Math.floor(Math.sqrt(Number(calm.share * whole)))))
  const expiry = maxOf(expiryMin, calm.share)
  const wild = ` ${calm.says}: ${percent(size)} of a slice, ${percent(expiry)} of the expiry.`
  return {
    ...{ part, size, expiry },
    says: `${part < whole ? byFill.says : ''}${size < whole ? wild : ''}`,
    notes: { ...byFill.notes, ...calm.notes },
  }
}

const percent = (share: bigint) => `${Number(share) / 100} %`

/** The part of a book that is taken: what the fills of it really cost stays within the impact. */
function partOf(
  { memory = {}, totals, lastFill }: Seen,
  { levels: [best] }: WatchedMarket,
  { impactBps }: Expected,
) {
  const last = lastFill?.price
  const known = BigInt(memory.part ?? whole)
  const swaps = countSwaps({ totals })
  const before = last && recallPrice(memory, 'best', { sell: last.sold, buy: last.bought.token })
  const isNew = typeof memory.swaps === 'number' && swaps > memory.swaps
  const isOfBook = last && best && isOfPair(best, { sell: last.sold, buy: last.bought.token })
  let part = known
  if (isNew && isOfBook && before && before.bought.wei > 0n) {
    const cost =
      whole - (last.bought.wei * before.sold.wei * whole) / (last.sold.wei * before.bought.wei)
    const isDear = cost > BigInt(impactBps)
    part = isDear ? (known * BigInt(impactBps)) / cost : (known * 5n) / 4n
  }
  part = minOf(whole, maxOf(partMin, part))
  return {
    part,
    says: ` Fills cost more than ${impactBps} bps: ${percent(part)} of what the book takes.`,
    notes: { part: `${part}`, swaps, ...(best && notePrice('best', best)) },
  }
}

/** The expected variance as a share of the seen one, of a year; all of it where it is not more. */
function calmOf(
  { memory = {}, now }: Seen,
  { indication: { sold, bought } }: WatchedMarket,
  { volatilityBps }: Expected,
): { readonly share: bigint; readonly says: string; readonly notes: Memory } {
  if (volatilityBps === undefined) return { share: whole, says: '', notes: {} }
  const expected = ((BigInt(volatilityBps) * moveUnit) / whole) ** 2n
  // Of one whole token, in parts of the smallest unit that is paid: a cheap one has as many digits as a dear one.
  const price = (bought.wei * 10n ** BigInt(sold.token.decimals) * moveUnit) / sold.wei
  const before = BigInt(memory.wholePrice ?? 0)
  const known = memory.variance === undefined ? expected : BigInt(`${memory.variance}`)
  const passedMs = typeof memory.pricedAt === 'number' ? BigInt(now - memory.pricedAt) : 0n
  const move = before === 0n ? 0n : ((price - before) * moveUnit) / before
  const variance =
    passedMs > 0n
      ? (known * looksExpected + (move ** 2n * yearMs) / passedMs) / (looksExpected + 1n)
      : known
  const seen = Math.round((Math.sqrt(Number(variance)) / Number(moveUnit)) * 100)
  return {
    share: variance === 0n ? whole : minOf(whole, (expected * whole) / variance),
    says: `Prices move by ${seen} % a year, not ${volatilityBps / 100} %`,
    notes: { wholePrice: `${price}`, pricedAt: now, variance: `${variance}` },
  }
}
