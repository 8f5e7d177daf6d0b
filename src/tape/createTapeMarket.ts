import type { Level } from '../bot/strategy/index.ts'
import type { Amount } from '../core/amount.ts'
import { fractionOf } from '../core/fractionOf.ts'
import { invertPrice, type Price, worthAt } from '../core/price.ts'
import { assetOf, oneWhole, sameToken, type Token, usdAddress } from '../core/token.ts'
import type { TapeBook } from './createBookReader.ts'
import { bestPrice, ladderLevels, sellInto } from './ladder.ts'
import type { BookLook, HeadLook, Tape } from './loadTape.ts'

/** The pair of two tokens as the books have it: which of them is the base, and so what a price is. */
export type TapePair = {
  readonly base: Token
  readonly quote: Token
  /** The side of the base when the first token is sold for the second. */
  readonly side: 'buy' | 'sell'
}

type Worth = {
  readonly unit: Token
  /** Worth a dollar each, by assumption. */
  readonly stablecoins: readonly Token[]
  readonly tokens: readonly Token[]
}

/** The market of a tape at any instant. Shows nothing that was not known then; a later instant shows more. */
export function createTapeMarket(
  tape: Tape,
  { wrapped, worth }: { readonly wrapped: Token; readonly worth: Worth },
) {
  const { books, heads, headless } = tape
  const { ladderOf, bestOf, middle } = createBookPrices(tape)

  function convert(book: TapeBook, amount: Amount, to: Token): Amount | undefined {
    if (sameToken(assetOf(amount.token, { wrapped }), assetOf(to, { wrapped })))
      return { token: to, wei: amount.wei }
    const price = middle(book, amount.token, to)
    return price && worthAt(price, amount)
  }

  function convertThrough(book: TapeBook, amount: Amount, to: Token): Amount | undefined {
    const direct = convert(book, amount, to)
    if (direct !== undefined) return direct
    for (const hub of worth.tokens) {
      const half = convert(book, amount, hub)
      const whole = half && convert(book, half, to)
      if (whole !== undefined) return whole
    }
    return undefined
  }

  return {
    books,
    heads,
    pairOf: createPairs(tape),
    middle,
    /** The newest look that was there by then; undefined before the first. */
    lookAt: cursor<BookLook>(books),
    headAt: cursor<HeadLook>(heads),
    /** The newest call of the node by then that gave no head. */
    headlessAt: cursor(headless),
    /** The first look that came then or later. Only what has been decided before may be held to it. */
    firstFrom: (at: number): BookLook | undefined => books[firstAt(books, at)],
    /** The proceeds of selling exactly this amount; undefined beyond the depth and where the pair is not traded. */
    sell(
      book: TapeBook,
      {
        sell,
        buy,
        missing = 0n,
      }: {
        readonly sell: Amount
        readonly buy: Token
        /** What is taken out of the book before. */
        readonly missing?: bigint
      },
    ) {
      const ladder = ladderOf(book, sell.token, buy)
      const all = ladder && sellInto(ladder, sell.wei + missing)
      const before = ladder && missing > 0n ? sellInto(ladder, missing) : 0n
      const wei = all === undefined || before === undefined ? undefined : all - before
      return wei === undefined || wei === 0n ? undefined : { token: buy, wei }
    },
    /** All that a book takes of a token; nothing where it has no such pair. */
    depth(book: TapeBook, sold: Token, bought: Token): bigint {
      const ladder = ladderOf(book, sold, bought)
      return ladder === undefined
        ? 0n
        : ladderLevels(ladder, { sold, bought }).reduce((sum, level) => sum + level.sold.wei, 0n)
    },
    /** The published levels, best first, as a live strategy is given them. */
    levels(book: TapeBook, sold: Token, bought: Token): readonly Level[] {
      const ladder = ladderOf(book, sold, bought)
      return ladder === undefined ? [] : ladderLevels(ladder, { sold, bought })
    },
    /** The middle of a pair as a double, quote per base: for benchmarks. */
    rateAt(book: TapeBook, { base, quote }: TapePair): number | undefined {
      const best = bestOf(book, base, quote)
      return best && (best.bid + best.ask) / 2
    },
    convert,
    /** An amount in the unit of account, by the middles of this book; undefined where they do not lead there. */
    worth(book: TapeBook, amount: Amount): Amount | undefined {
      const { unit, stablecoins } = worth
      const inDollars = unit.address === usdAddress
      for (const target of inDollars ? stablecoins : [unit]) {
        const found = convertThrough(book, amount, target)
        if (found !== undefined) return inDollars ? atPar(found, unit) : found
      }
      return undefined
    },
  }
}

/** Says of two tokens which is the base. The first book that has either side of the pair decides, and once. */
function createPairs(tape: Tape): (sold: Token, bought: Token) => TapePair | undefined {
  const { ladderOf } = createBookPrices(tape)
  const pairs = new Map<string, TapePair | undefined>()
  const findPair = (sold: Token, bought: Token): TapePair | undefined => {
    for (const { book } of tape.books) {
      const there = book && ladderOf(book, sold, bought)
      const back = book && ladderOf(book, bought, sold)
      if (there?.side === 'bid' || back?.side === 'ask')
        return { base: sold, quote: bought, side: 'sell' }
      if (there !== undefined || back !== undefined)
        return { base: bought, quote: sold, side: 'buy' }
    }
    return undefined
  }
  return (sold, bought) => {
    const key = `${sold.address} ${bought.address}`
    if (!pairs.has(key)) pairs.set(key, findPair(sold, bought))
    return pairs.get(key)
  }
}

/** What a book of the tape says of two tokens. */
function createBookPrices(tape: Tape) {
  const ladderOf = (book: TapeBook, sold: Token, bought: Token) => {
    const place = tape.indexOf(sold, bought)
    return place === undefined ? undefined : book.ladders[place]
  }

  /** Best bid and best ask of a pair as they were written. */
  function bestOf(book: TapeBook, base: Token, quote: Token) {
    const [bids, asks] = [ladderOf(book, base, quote), ladderOf(book, quote, base)]
    if (bids?.side !== 'bid' || asks?.side !== 'ask') return undefined
    const [bid, ask] = [bestPrice(bids), bestPrice(asks)]
    return bid === undefined || ask === undefined ? undefined : { bid, ask }
  }

  function middle(book: TapeBook, sold: Token, bought: Token): Price | undefined {
    if (ladderOf(book, sold, bought)?.side === 'ask') {
      const mirrored = straightMiddle(book, bought, sold)
      return mirrored && invertPrice(mirrored)
    }
    return straightMiddle(book, sold, bought)
  }

  function straightMiddle(book: TapeBook, sold: Token, bought: Token): Price | undefined {
    const best = bestOf(book, sold, bought)
    if (best === undefined) return undefined
    const [bid, ask] = [fractionOf(best.bid), fractionOf(best.ask)]
    const denominator = 2n * bid.denominator * ask.denominator
    const numerator = bid.numerator * ask.denominator + ask.numerator * bid.denominator
    return {
      sold: { token: sold, wei: denominator * oneWhole(sold) },
      bought: { token: bought, wei: numerator * oneWhole(bought) },
    }
  }

  return { ladderOf, bestOf, middle }
}

export type TapeMarket = ReturnType<typeof createTapeMarket>

/** A dollar token as dollars. Rounds up: as a value it counts a swap for more. */
function atPar({ token, wei }: Amount, unit: Token): Amount {
  const one = oneWhole(token)
  return { token: unit, wei: (wei * oneWhole(unit) + one - 1n) / one }
}

/** Finds the newest entry at an instant. In the order of time it does not search. */
function cursor<look extends { readonly at: number }>(looks: readonly look[]) {
  let index = -1
  return (at: number): look | undefined => {
    if ((looks[index]?.at ?? Number.NEGATIVE_INFINITY) > at) index = firstAt(looks, at)
    while ((looks[index + 1]?.at ?? Number.POSITIVE_INFINITY) <= at) index += 1
    while ((looks[index]?.at ?? Number.NEGATIVE_INFINITY) > at) index -= 1
    return looks[index]
  }
}

/** The index of the first that is not before; the length where there is none. */
function firstAt(looks: readonly { readonly at: number }[], at: number): number {
  let [low, high] = [0, looks.length]
  while (low < high) {
    const between = (low + high) >>> 1
    if ((looks[between]?.at ?? 0) < at) low = between + 1
    else high = between
  }
  return low
}
