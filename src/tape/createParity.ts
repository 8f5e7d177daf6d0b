import { indicativeQuote } from '../api/indicativeQuote.ts'
import type { Token } from '../core/token.ts'
import type { BookReader, TapeBook } from './createBookReader.ts'
import { sellInto } from './ladder.ts'
import type { TapeLine } from './tapeLine.ts'

/** How far what the service indicated was from what its book of that moment gives; above zero it indicated more. */
export type Parity = {
  readonly compared: number
  readonly medianBps: number | undefined
  readonly furthestBps: number | undefined
}

/** A book further than this from a quote, in milliseconds, is not what the quote was made from. */
const apartMsMax = 30_000

type DatedBook = { readonly at: number; readonly book: TapeBook }

/**
 * Holds the recorded indicative quotes to the walk over the recorded books. A replay prices everything by that walk: here
 * it shows how well the walk knows the service. Both are requested at once, and a quote may be there before its book: it
 * is held to the book that came nearest to it, before or after.
 */
export function createParity(
  indexOf: BookReader['indexOf'],
  { bySymbol }: { readonly bySymbol: ReadonlyMap<string, Token> },
) {
  const tokens = new Map(
    [...bySymbol.values()].map((token) => [token.address.toLowerCase(), token]),
  )
  const apart: number[] = []
  let before: DatedBook | undefined
  let waiting: TapeLine[] = []

  function compare({ query, body }: TapeLine, book: TapeBook): void {
    const asked = new URLSearchParams(query)
    const tokenOf = (name: string) => tokens.get((asked.get(name) ?? '').toLowerCase())
    const [sold, bought] = [tokenOf('token_in'), tokenOf('token_out')]
    const sell = /^\d+$/.exec(asked.get('amount_wei') ?? '')?.[0]
    if (sold === undefined || bought === undefined || sell === undefined) return
    const ladder = book.ladders[indexOf(sold, bought) ?? -1]
    const walked = ladder && sellInto(ladder, BigInt(sell))
    const said = indicated(body)
    if (walked === undefined || walked === 0n || said === undefined) return
    apart.push(Number(((said - walked) * 1_000_000n) / walked) / 100)
  }

  /** Holds the quotes since the book before to that one, or to the next. */
  function compareWaiting(next?: DatedBook): void {
    for (const line of waiting) {
      const msTo = ({ at }: DatedBook) => Math.abs(at - line.tWall)
      const [nearest] = [before, next]
        .filter((one) => one !== undefined)
        .sort((one, other) => msTo(one) - msTo(other))
      if (nearest !== undefined && msTo(nearest) <= apartMsMax) compare(line, nearest.book)
    }
    waiting = []
  }

  return {
    /** A book that came at `at`, in milliseconds since the epoch. */
    noteBook(at: number, book: TapeBook): void {
      const next = { at, book }
      compareWaiting(next)
      before = next
    },
    /** An indicative quote: the next book may be the nearest to it. */
    note(line: TapeLine): void {
      if (line.status === 200) waiting.push(line)
    },
    /** Of the whole tape. */
    parity(): Parity {
      compareWaiting()
      const sorted = [...apart].sort((a, b) => a - b)
      const ends = [sorted[0], sorted.at(-1)].filter((one) => one !== undefined)
      return {
        compared: apart.length,
        medianBps: sorted[Math.floor(sorted.length / 2)],
        furthestBps: ends.sort((a, b) => Math.abs(b) - Math.abs(a))[0],
      }
    },
  }
}

function indicated(body: string): bigint | undefined {
  try {
    const read = indicativeQuote.response.safeParse(JSON.parse(body))
    return read.success ? BigInt(read.data.buyerTokenAmountWei) : undefined
  } catch {
    // A page instead of an answer has no price.
    return undefined
  }
}
