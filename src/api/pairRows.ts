import { assetOf, nativeAddress, type Token } from '../core/token.ts'
import type { PublishedPair } from './orderbook.ts'

type Book = readonly PublishedPair[]
type Pair = { readonly base: Token; readonly quote: Token; readonly wrapped: Token }

/** The rows of each base, by its address in lower case. An unchanged book is the same list again. */
const indexed = new WeakMap<Book, ReadonlyMap<string, readonly PublishedPair[]>>()

/** The rows of a book about one pair. The chain's own currency stands as its wrapped token. */
export function pairRows(book: Book, { base, quote, wrapped }: Pair): Book {
  const byBase = indexed.get(book) ?? indexOf(book)
  indexed.set(book, byBase)
  const isQuote = spellings(quote, wrapped)
  return spellings(base, wrapped)
    .flatMap((address) => byBase.get(address) ?? [])
    .filter((row) => isQuote.includes(row.quote_address.toLowerCase()))
}

function indexOf(book: Book): ReadonlyMap<string, readonly PublishedPair[]> {
  const byBase = new Map<string, PublishedPair[]>()
  for (const row of book) {
    const address = row.base_address.toLowerCase()
    const rows = byBase.get(address)
    if (rows === undefined) byBase.set(address, [row])
    else rows.push(row)
  }
  return byBase
}

/** The addresses that mean this token, in lower case. */
function spellings(token: Token, wrapped: Token): readonly string[] {
  const asset = assetOf(token, { wrapped }).address.toLowerCase()
  return asset === wrapped.address.toLowerCase() ? [asset, native] : [asset]
}

const native = nativeAddress.toLowerCase()
