import type { PublishedPair } from '../../api/orderbook.ts'
import { pairRows } from '../../api/pairRows.ts'
import type { Clock } from '../../core/clock.ts'
import { type Fraction, fractionOf } from '../../core/fractionOf.ts'
import { invertPrice, type Price } from '../../core/price.ts'
import type { Token } from '../../core/token.ts'
import {
  type OrderBook,
  type ReferenceAnswer,
  type ReferenceBook,
  referenceFailure,
} from './reference.ts'

/** The middle between the best bid and the best offer, exactly as the numbers were written. */
export async function bookPrice(
  { pair, book, ageMsMax }: OrderBook,
  { wrapped, now }: { wrapped: Token; now: () => number },
): Promise<ReferenceAnswer> {
  let answer: Awaited<ReturnType<ReferenceBook['read']>>
  try {
    answer = await book.read()
  } catch (error) {
    return { reason: referenceFailure(error) }
  }
  const { rows, askedAt } = answer
  const age = now() - askedAt
  // By a clock that was set back, the age is not known.
  if (age > ageMsMax || age < 0)
    return { reason: `its answer is ${age} ms old, at most ${ageMsMax} ms are allowed` }
  const listed = (base: Token, quote: Token) => pairRows(rows, { base, quote, wrapped })
  const [first, second] = pair
  const straight = middleOf(listed(first, second), { base: first, quote: second, at: askedAt })
  if (!('reason' in straight)) return straight
  // The other spelling: some services list a side in both.
  const mirrored = middleOf(listed(second, first), { base: second, quote: first, at: askedAt })
  if ('reason' in mirrored) return listed(first, second).length > 0 ? straight : mirrored
  return { price: invertPrice(mirrored.price), at: askedAt }
}

function middleOf(
  rows: readonly PublishedPair[],
  { base, quote, at }: { base: Token; quote: Token; at: number },
): ReferenceAnswer {
  if (rows.length === 0) return { reason: 'the book does not have the pair' }
  const bid = best(rows, 'bid')
  const ask = best(rows, 'ask')
  if (bid === undefined || ask === undefined)
    return { reason: `the book has no ${bid === undefined ? 'bids' : 'asks'}` }
  // Of no market: one party could move the middle as it likes with a level of dust.
  if (bid.numerator * ask.denominator > ask.numerator * bid.denominator)
    return { reason: 'the best bid of the book is above its best ask' }
  const price: Price = {
    sold: {
      token: base,
      wei: 2n * bid.denominator * ask.denominator * 10n ** BigInt(base.decimals),
    },
    bought: {
      token: quote,
      wei:
        (bid.numerator * ask.denominator + ask.numerator * bid.denominator) *
        10n ** BigInt(quote.decimals),
    },
  }
  return { price, at }
}

/** A level without an amount is no offer. */
function best(rows: readonly PublishedPair[], side: 'bid' | 'ask'): Fraction | undefined {
  const prices = rows
    .filter((row) => row.side === side)
    .flatMap(({ levels }) => levels.filter(([amount, price]) => amount > 0 && price > 0))
    .map(([, price]) => price)
  if (prices.length === 0) return undefined
  return fractionOf(
    prices.reduce((one, other) => (side === 'bid' ? Math.max(one, other) : Math.min(one, other))),
  )
}

/** Several pairs of one appraisal share one request; a second later it is sent again. */
const keptMsMax = 1_000

/** Requests a book once for all callers at the same moment. A failure is not kept. */
export function createBook({
  label,
  own,
  fetch,
  clock,
}: {
  label: string
  own: boolean
  fetch: () => Promise<readonly PublishedPair[]>
  clock: Clock
}): ReferenceBook {
  let last:
    | { readonly askedAt: number; readonly rows: Promise<readonly PublishedPair[]> }
    | undefined
  return {
    label,
    own,
    async read() {
      const now = clock.now()
      if (last === undefined || Math.abs(now - last.askedAt) > keptMsMax)
        last = { askedAt: now, rows: fetch() }
      const mine = last
      try {
        return { rows: await mine.rows, askedAt: mine.askedAt }
      } catch (error) {
        if (last === mine) last = undefined
        throw error
      }
    },
  }
}
