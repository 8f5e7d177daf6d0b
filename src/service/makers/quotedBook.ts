import type { OrderPair } from '../../api/orderbook.ts'
import type { Block } from '../../chain/calls/node.ts'
import { smaller } from '../../core/holdings.ts'
import type { Token } from '../../core/token.ts'
import type { Inventory } from '../inventory/createInventory.ts'
import type { Offer } from '../venues/venue.ts'
import type { LevelBook } from './book.ts'
import { type Free, fullCost, type Levels, levelsToOffer } from './levels.ts'
import type { MakerDesk } from './makerDesk.ts'
import { type BookSide, sideOffer } from './sideOffer.ts'

/** Both sides of a book for one expiry. */
export type QuotedLevels = {
  readonly offers: readonly Offer[]
  /** Written when the order book is requested, not when a price is. */
  readonly rows: () => readonly OrderPair[]
}

type Made = QuotedLevels & { readonly free: Free }

/** A book for one expiry before it is cut. */
type Whole = { readonly levels: Levels; readonly timeless: Levels; readonly cost: Free }

/**
 * A book at one block, cut to what is free at each request. Levels are made once for each expiry, and cut again only
 * when a promise took something of them: a maker may have hundreds of books, and most hold more than they show.
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
    held: (token: Token) => bigint | undefined
    inventory: Pick<Inventory, 'freeFor'>
    name: string
    desk: MakerDesk
  },
): (expirySeconds: number, callers?: readonly string[]) => QuotedLevels {
  const { base, quote, minimumWei } = book
  const whole = new Map<number, Whole>()
  const made = new Map<string, Made>()
  const wholeAt = (expirySeconds: number): Whole => {
    const known = whole.get(expirySeconds)
    if (known !== undefined) return known
    const levels = book.levels({ block, expirySeconds, held })
    const timeless = expirySeconds === 0 ? levels : wholeAt(0).levels
    const found = { levels, timeless, cost: fullCost(book, { levels, timeless }) }
    whole.set(expirySeconds, found)
    return found
  }
  return (expirySeconds, callers = []) => {
    const { cost, ...uncut } = wholeAt(expirySeconds)
    const free = {
      base: smaller(inventory.freeFor(base.address, callers), cost.base),
      quote: smaller(inventory.freeFor(quote.address, callers), cost.quote),
    }
    // The published book has no caller, and is not made anew for one.
    const kind = `${expirySeconds} ${callers.length > 0}`
    const last = made.get(kind)
    if (last !== undefined && last.free.base === free.base && last.free.quote === free.quote)
      return last
    const { bid, ask } = levelsToOffer(book, { ...uncut, free })
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
