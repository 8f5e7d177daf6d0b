import type { Context } from '../bot/stages.ts'
import type { Indication, Level, Watch } from '../bot/strategy/index.ts'
import { deepFreeze } from '../core/deepFreeze.ts'
import type { TapeBook } from './createBookReader.ts'
import type { TapeMarket } from './createTapeMarket.ts'

/** The answers of one recorded book to the watches of one strategy. */
export type TapeView = Pick<Context<unknown>, 'indications' | 'depths' | 'references'> & {
  readonly book: TapeBook
}

export const viewOf = (market: TapeMarket, book: TapeBook, watches: readonly Watch[]): TapeView =>
  Object.freeze({
    book,
    indications: Object.freeze(watches.map((watch) => indicationOf(market, book, watch))),
    depths: Object.freeze(watches.map((watch) => depthOf(market, book, watch))),
    references: Object.freeze(watches.map((watch) => referenceOf(market, book, watch))),
  })

const route = Object.freeze(['the recorded order book'])

function indicationOf(market: TapeMarket, book: TapeBook, watch: Watch): Indication | undefined {
  const bought = market.sell(book, watch)
  return bought && Object.freeze({ sold: watch.sell, bought: Object.freeze(bought), route })
}

function depthOf(
  market: TapeMarket,
  book: TapeBook,
  { sell, buy, wants }: Watch,
): readonly Level[] {
  if (wants?.includes('depth') !== true) return noLevels
  return deepFreeze(market.levels(book, sell.token, buy))
}

const noLevels = Object.freeze([])

/** The tape has no other sources: the middle of the book stands for them. */
function referenceOf(market: TapeMarket, book: TapeBook, { sell, buy, wants }: Watch) {
  if (wants?.includes('reference') !== true) return undefined
  // As exact as live: of a cheap token a whole one is worth a unit or two.
  return deepFreeze(market.middle(book, sell.token, buy))
}
