import { type OrderPair, orderbook } from '../api/orderbook.ts'
import { isNative, type Token } from '../core/token.ts'
import type { Ladder } from './ladder.ts'
import type { TapeHeader } from './tapeLine.ts'

/** One order book of every pair whose tokens are known. Frozen; {@link BookReader.indexOf} finds a pair. */
export type TapeBook = { readonly ladders: readonly (Ladder | undefined)[] }

export type BookReader = {
  /** Undefined for a body that is no order book. */
  read(body: string): TapeBook | undefined
  /** Where every book that was read keeps what selling the one for the other meets; undefined where no book has it. */
  indexOf(sold: Token, bought: Token): number | undefined
}

type Known = { readonly bySymbol: ReadonlyMap<string, Token>; readonly wrapped: Token }

/**
 * Reads order books with the tokens of a configuration. The chain's own currency is traded as its wrapped form.
 *
 * A synthetic tape is of no chain, so its tokens are known by their symbols; a recorded one's by their addresses alone.
 */
export function createBookReader({
  source,
  tokens,
}: {
  readonly source: TapeHeader['source']
  readonly tokens: Known
}): BookReader {
  const listed = [...tokens.bySymbol.values()].map((token) =>
    isNative(token) ? tokens.wrapped : token,
  )
  const byName = new Map(
    listed.map((token) => [
      source === 'synthetic' ? token.symbol : token.address.toLowerCase(),
      token,
    ]),
  )
  const tokenOf = (symbol: string, address: string) =>
    byName.get(
      source === 'synthetic'
        ? symbol
        : isNative({ address })
          ? tokens.wrapped.address.toLowerCase()
          : address.toLowerCase(),
    )
  const asset = (token: Token) => (isNative(token) ? tokens.wrapped : token).address.toLowerCase()
  const places = new Map<string, number>()
  const keyOf = (sold: Token, bought: Token) => `${asset(sold)} ${asset(bought)}`

  return {
    indexOf: (sold, bought) => places.get(keyOf(sold, bought)),
    read(body) {
      const rows = rowsOf(body)
      if (rows === undefined) return undefined
      const gathered = new Map<number, OrderPair[]>()
      const ladders: (Ladder | undefined)[] = []
      for (const row of rows) {
        const base = tokenOf(row.base_symbol, row.base_address)
        const quote = tokenOf(row.quote_symbol, row.quote_address)
        if (base === undefined || quote === undefined || base === quote) continue
        const [sold, bought] = row.side === 'bid' ? [base, quote] : [quote, base]
        const key = keyOf(sold, bought)
        const place = places.get(key) ?? places.size
        places.set(key, place)
        const before = gathered.get(place) ?? []
        // The mirrored spelling of a pair that is already there counts the other way round.
        if (before.some(({ side }) => side !== row.side)) continue
        const together = [...before, row]
        gathered.set(place, together)
        ladders[place] = ladderOf(together, { sold, bought })
      }
      return { ladders }
    },
  }
}

function rowsOf(body: string): readonly OrderPair[] | undefined {
  let raw: unknown
  try {
    raw = JSON.parse(body)
  } catch {
    // The caller counts it as an answer that was no book.
    return undefined
  }
  const lower = Array.isArray(raw) ? raw.map(withLowerSide) : raw
  const parsed = orderbook.response.safeParse(lower)
  return parsed.success ? parsed.data : undefined
}

/** The second generation of this API does not agree with itself on the letter case of sides. */
function withLowerSide(row: unknown): unknown {
  if (typeof row !== 'object' || row === null || !('side' in row)) return row
  return typeof row.side === 'string' ? { ...row, side: row.side.toLowerCase() } : row
}

/** Rows of several makers for one side are filled best price first; one row in the order it lists. */
function ladderOf(
  rows: readonly OrderPair[],
  { sold, bought }: { readonly sold: Token; readonly bought: Token },
): Ladder {
  const side = rows[0]?.side ?? 'bid'
  const levels = rows.flatMap((row) => row.levels)
  if (rows.length > 1) levels.sort(([, a], [, b]) => (side === 'bid' ? b - a : a - b))
  return {
    sold,
    bought,
    side,
    written: levels.flat(),
    minimumInBase: Math.min(...rows.map((row) => row.minimum_in_base)),
  }
}
