import type { OrderPair } from '../../api/orderbook.ts'
import { formatDecimal } from '../../core/decimal.ts'
import type { Token } from '../../core/token.ts'
import type { Offer, Piece, VenueFill } from '../venues/venue.ts'
import { levelPieces } from './levelPieces.ts'
import { depthOf, type MakerLevel, priceScale, sellIntoAsks, sellIntoBids } from './levels.ts'
import type { MakerDesk } from './makerDesk.ts'

/** One side of one pair of a maker, cut to what it can pay. */
export type BookSide = {
  readonly base: Token
  readonly quote: Token
  readonly side: 'bid' | 'ask'
  /** In base, on either side. */
  readonly minimumWei: bigint
  readonly levels: readonly MakerLevel[]
}

/** A side as the routes take it and as the order book shows it. */
export const sideOffer = {
  /** Depth below the maker's own minimum cannot be traded. */
  isEnough({ minimumWei, levels }: BookSide): boolean {
    const depth = depthOf(levels)
    return depth > 0n && depth >= minimumWei
  },

  offer(side: BookSide, { name, desk }: { name: string; desk: MakerDesk }): Offer {
    const { base, quote, minimumWei, levels } = side
    const isBid = side.side === 'bid'
    const [sell, buy]: [Token, Token] = isBid ? [base, quote] : [quote, base]
    let pieces: readonly Piece[] | undefined
    return {
      source: name,
      sell,
      buy,
      feeBps: 0,
      fill: (sellWei) => (isBid ? fillBid(side, sellWei) : fillAsk(side, sellWei)),
      curve: () => {
        pieces ??= levelPieces({ base, quote, side: side.side, levels })
        return pieces
      },
      minimum: isBid ? { sellWei: minimumWei, buyWei: 0n } : { sellWei: 0n, buyWei: minimumWei },
      gas: makerLegGas,
      // One inventory pays for every pair that buys the token.
      resource: `${desk.address}:${buy.address}`,
      settlement: { kind: 'maker', desk },
    }
  },

  /** JSON numbers are exact here: no amount and no price has more than 15 digits. */
  row({ base, quote, side, minimumWei, levels }: BookSide): OrderPair {
    return {
      base_symbol: base.symbol,
      base_address: base.address,
      quote_symbol: quote.symbol,
      quote_address: quote.address,
      levels: levels.map(({ amount, price }) => [
        Number(formatDecimal(amount, base.decimals)),
        Number(formatDecimal(price, priceScale)),
      ]),
      side,
      minimum_in_base: Number(formatDecimal(minimumWei, base.decimals)),
    }
  },
}

/** Measured: the order's check and mark, and two transfers. */
const makerLegGas = 73_000n

function fillBid({ base, quote, minimumWei, levels }: BookSide, sellWei: bigint): VenueFill {
  if (sellWei < minimumWei) return { kind: 'below-minimum' }
  const buyWei = sellIntoBids({ base, quote }, levels, sellWei)
  if (buyWei === undefined) return { kind: 'exceeds-depth' }
  return buyWei === 0n ? { kind: 'below-minimum' } : { kind: 'filled', buyWei }
}

/** The minimum is in base, and an ask pays out base. */
function fillAsk({ base, quote, minimumWei, levels }: BookSide, sellWei: bigint): VenueFill {
  const buyWei = sellIntoAsks({ base, quote }, levels, sellWei)
  if (buyWei === undefined) return { kind: 'exceeds-depth' }
  if (buyWei === 0n || buyWei < minimumWei) return { kind: 'below-minimum' }
  return { kind: 'filled', buyWei }
}
