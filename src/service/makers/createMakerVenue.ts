import { createDigests } from '../../chain/crypto/createDigests.ts'
import type { DigestSigner } from '../../chain/crypto/signer.ts'
import { assert } from '../../core/assert.ts'
import type { Address, Token } from '../../core/token.ts'
import { createInventory, type Share } from '../inventory/createInventory.ts'
import { stockReads } from '../inventory/stockReads.ts'
import type { Venue } from '../venues/venue.ts'
import type { LevelBook } from './book.ts'
import { MakerDeclined } from './errors.ts'
import type { MakerDesk } from './makerDesk.ts'
import { createMakerCounts, makerFigures } from './makerFigures.ts'
import { quotedBook } from './quotedBook.ts'

/**
 * A private maker: quotes from its books, never more than it holds, has approved and has not promised already, and signs
 * at once.
 */
export function createMakerVenue({
  name,
  account,
  router,
  books,
  share,
}: {
  name: string
  account: DigestSigner
  router: Address
  books: readonly LevelBook[]
  /** The part of its stock that one caller may hold back; absent: all of it. */
  share?: Share
}): Venue {
  const tokens = tokensOf(books)
  const addresses = tokens.map(({ address }) => address)
  const maker = account.address
  const [{ chainId } = { chainId: 0 }] = tokens
  assert(chainId > 0, 'a maker has a book')
  const digests = createDigests({ chainId, router })
  const inventory = createInventory(share)
  const counts = createMakerCounts(name)

  const desk: MakerDesk = {
    address: maker,
    async sign(order, callers = []) {
      const reserved = inventory.reserve({
        orderId: order.id,
        token: order.buyerToken,
        amount: order.buyerTokenAmount,
        deadlineSeconds: Number(order.deadlineTimestamp),
        callers,
      })
      if (!reserved) throw new MakerDeclined(name, 'promised-elsewhere')
      counts.add('requested')
      try {
        const signature = await account.sign({ hash: digests.order(order) })
        counts.add('success')
        return signature
      } catch (err) {
        inventory.withdraw(order.id)
        throw err
      }
    },
    withdraw: ({ id }) => inventory.withdraw(id),
  }

  return {
    id: name,
    pairs: books.map(({ base, quote }) => [base, quote]),
    revision: inventory.version,
    figures: () => [...counts.figures(), ...makerFigures.reserved(inventory, { name, tokens })],
    reads: (block) =>
      stockReads.reads(block, { router, maker, tokens: addresses, ids: inventory.openIds() }),
    at(block, answers) {
      const stock = stockReads.stock(answers, { timestamp: block.timestamp, tokens: addresses })
      inventory.moveTo(stock)
      const held = ({ address }: Token) => stock.held.get(address)
      const quoted = books.map((book) => ({
        pair: [book.base, book.quote].map(({ address }) => address.toLowerCase()),
        at: quotedBook(book, { block, held, inventory, name, desk }),
      }))
      return {
        offers: (expirySeconds, among, callers) =>
          quoted
            .filter(({ pair }) => among === undefined || pair.every((token) => among.has(token)))
            .flatMap(({ at }) => at(expirySeconds, callers).offers),
        rows: (expirySeconds) => quoted.flatMap(({ at }) => at(expirySeconds).rows()),
      }
    },
  }
}

function tokensOf(books: readonly LevelBook[]): readonly Token[] {
  const all = books.flatMap(({ base, quote }) => [base, quote])
  return [...new Map(all.map((token) => [token.address, token])).values()]
}
