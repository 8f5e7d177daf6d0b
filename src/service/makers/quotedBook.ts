import type { OrderPair } from '../../api/orderbook.ts'
import type { Block } from '../../chain/calls/node.ts'
import type { Token } from '../../core/token.ts'
import type { Inventory } from '../inventory/createInventory.ts'
import type { Offer } from '../venues/venue.ts'
import type { LevelBook } from './book.ts'
import { type Levels, levelsToOffer } from './levels.ts'
import type { MakerDesk } from './makerDesk.ts'
import { type BookSide, sideOffer } from './sideOffer.ts'

/** Both sides of a book for one expiry. */
export type QuotedLevels = {
  readonly offers: readonly Offer[]
  /** Written when the order book is requested, not when a price is. */
  readonly rows: () => readonly OrderPair[]
}

type Made = QuotedLevels & { readonly free: { readonly base: bigint; readonly quote: bigint } }

/**
 * A book at one block, cut to what is free at each request. Levels are made once for each expiry, and cut again only
 * when a promise touched one of its two tokens: a maker may have hundreds of books.
 */
export function quotedBook(
  book: LevelBook,
  {
    block,
    held,
    inventory,
    name,
    desk,
  }: {
    block: Block
    held: (token: Token) => bigint
    inventory: Pick<Inventory, 'freeFor'>
    name: string
    desk: MakerDesk
  },
): (expirySeconds: number, callers?: readonly string[]) => QuotedLevels {
  const { base, quote, minimumWei } = book
  const levels = new Map<number, Levels>()
  const made = new Map<string, Made>()
  const levelsAt = (expirySeconds: number) => {
    const known = levels.get(expirySeconds)
    if (known !== undefined) return known
    const found = book.levels({ block, expirySeconds, held })
    levels.set(expirySeconds, found)
    return found
  }
  return (expirySeconds, callers = []) => {
    const free = {
      base: inventory.freeFor(base.address, callers),
      quote: inventory.freeFor(quote.address, callers),
    }
    // The published book has no caller, and is not made anew for one.
    const kind = `${expirySeconds} ${callers.length > 0}`
    const last = made.get(kind)
    if (last !== undefined && last.free.base === free.base && last.free.quote === free.quote)
      return last
    const timeless = levelsAt(0)
    const { bid, ask } = levelsToOffer(book, { levels: levelsAt(expirySeconds), timeless, free })
    const both: readonly BookSide[] = [
      { base, quote, minimumWei, side: 'bid', levels: bid },
      { base, quote, minimumWei, side: 'ask', levels: ask },
    ]
    const sides = both.filter(sideOffer.isEnough)
    let rows: readonly OrderPair[] | undefined
    const next: Made = {
      free,
      offers: sides.map((side) => sideOffer.offer(side, { name, desk })),
      rows: () => {
        rows ??= sides.map(sideOffer.row)
        return rows
      },
    }
    made.set(kind, next)
    return next
  }
}
