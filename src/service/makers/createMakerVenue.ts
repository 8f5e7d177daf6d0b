import type { PrivateKeyAccount } from 'viem/accounts'
import type { OrderPair } from '../../api/orderbook.ts'
import { erc20Abi } from '../../chain/abi/erc20.ts'
import { readContract } from '../../chain/calls/readContract.ts'
import { formatDecimal } from '../../core/decimal.ts'
import type { Address, Token } from '../../core/token.ts'
import type { Fill, Offer, Venue } from '../venues/venue.ts'
import type { Book } from './book.ts'
import type { Level } from './level.ts'
import { priceScale } from './priceScale.ts'
import { smaller } from './smaller.ts'
import { trimAsks, trimBids } from './trimLevels.ts'
import { sellIntoAsks, sellIntoBids } from './walkLevels.ts'

/** A private maker: quotes from its books, never more than it holds and has approved, and signs at once. */
export function createMakerVenue({
  name,
  account,
  router,
  books,
}: {
  name: string
  account: PrivateKeyAccount
  router: Address
  books: readonly Book[]
}): Venue {
  const tokens = [
    ...new Map(
      books.flatMap(({ base, quote }) => [base, quote]).map((token) => [token.address, token]),
    ).values(),
  ]
  const owner = account.address
  return {
    id: name,
    pairs: books.map(({ base, quote }) => [base, quote]),
    reads: (block) =>
      tokens.flatMap(({ address }) => [
        readContract({ address, abi: erc20Abi, functionName: 'balanceOf', args: [owner], block }),
        readContract({
          address,
          abi: erc20Abi,
          functionName: 'allowance',
          args: [owner, router],
          block,
        }),
      ]),
    at(block, answers) {
      const available = new Map(
        tokens.map(({ address }, index) => {
          const [balance, allowance] = answers.slice(index * 2, index * 2 + 2)
          if (balance?.ok !== true || allowance?.ok !== true) return [address, 0n]
          return [address, smaller(balance.value as bigint, allowance.value as bigint)]
        }),
      )
      const sides = (expirySeconds: number) =>
        books.flatMap((book): readonly Side[] => {
          const { bid, ask } = book.levels({ block, expirySeconds })
          const paysQuote = available.get(book.quote.address) ?? 0n
          const paysBase = available.get(book.base.address) ?? 0n
          return [
            { book, side: 'bid', levels: trimBids(book, bid, paysQuote) },
            { book, side: 'ask', levels: trimAsks(ask, paysBase) },
          ]
        })
      const offered = (expirySeconds: number) => sides(expirySeconds).filter(isEnough)
      return {
        offers: (expirySeconds) =>
          offered(expirySeconds).map((side) => offerOf(side, { name, account })),
        rows: (expirySeconds) => offered(expirySeconds).map(rowOf),
      }
    },
  }
}

type Side = {
  readonly book: Book
  readonly side: 'bid' | 'ask'
  readonly levels: readonly Level[]
}

/** Depth below the maker's own minimum cannot be traded. */
function isEnough({ book, levels }: Side): boolean {
  const depth = levels.reduce((sum, { amount }) => sum + amount, 0n)
  return depth > 0n && depth >= book.minimumWei
}

function offerOf(
  { book, side, levels }: Side,
  { name, account }: { name: string; account: PrivateKeyAccount },
): Offer {
  const { base, quote } = book
  const [sell, buy]: [Token, Token] = side === 'bid' ? [base, quote] : [quote, base]
  return {
    source: name,
    sell,
    buy,
    feeBps: 0,
    fill: (sellWei) =>
      side === 'bid' ? fillBid(book, levels, sellWei) : fillAsk(book, levels, sellWei),
    settlement: { kind: 'maker', account },
  }
}

function fillBid(book: Book, levels: readonly Level[], sellWei: bigint): Fill {
  if (sellWei < book.minimumWei) return { kind: 'below-minimum' }
  const buyWei = sellIntoBids(book, levels, sellWei)
  if (buyWei === undefined) return { kind: 'exceeds-depth' }
  return buyWei === 0n ? { kind: 'below-minimum' } : { kind: 'filled', buyWei }
}

/** The minimum is in base, and base is what an ask pays out. */
function fillAsk(book: Book, levels: readonly Level[], sellWei: bigint): Fill {
  const buyWei = sellIntoAsks(book, levels, sellWei)
  if (buyWei === undefined) return { kind: 'exceeds-depth' }
  if (buyWei === 0n || buyWei < book.minimumWei) return { kind: 'below-minimum' }
  return { kind: 'filled', buyWei }
}

/** JSON numbers are exact here: no amount and no price has more than 15 digits. */
function rowOf({ book: { base, quote, minimumWei }, side, levels }: Side): OrderPair {
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
}
