import { ballastError } from '../core/errors.ts'
import type { Token } from '../core/token.ts'
import { type BookReader, createBookReader, type TapeBook } from './createBookReader.ts'
import { createParity, type Parity } from './createParity.ts'
import type { TapeEntry } from './readTape.ts'
import { headBody, type TapeHeader, type TapeLine } from './tapeLine.ts'

/** The service's order book at one instant; without a book, the reason. */
export type BookLook = {
  readonly at: number
  readonly book: TapeBook | undefined
  readonly why: string
}

/** The node's head at one instant. */
export type HeadLook = {
  readonly at: number
  readonly number: number
  /** How old the block was when the node called it its latest. */
  readonly ageMs: number
  /** Wei. */
  readonly baseFeePerGas: bigint
}

/** A tape in memory: every book read once. All instants are milliseconds since the epoch and never step back. */
export type Tape = {
  readonly header: TapeHeader
  readonly books: readonly BookLook[]
  readonly heads: readonly HeadLook[]
  /** When the node was called, and gave no head. */
  readonly headless: readonly { readonly at: number }[]
  readonly indexOf: BookReader['indexOf']
  /** Where files end in the middle of a line. */
  readonly torn: readonly string[]
  /** Lines whose clock had been set back: they count as of the latest instant before them. */
  readonly steppedBack: number
  /** The recorded indicative quotes against the walk that a replay prices by. */
  readonly parity: Parity
}

type Expected = {
  readonly chain: { readonly name: string; readonly chainId: number }
  readonly tokens: { readonly bySymbol: ReadonlyMap<string, Token>; readonly wrapped: Token }
}

/** Reads a whole tape. One of another chain is refused; a synthetic one is of none. */
export async function loadTape(
  entries: AsyncIterable<TapeEntry> | Iterable<TapeEntry>,
  { chain, tokens }: Expected,
): Promise<Tape> {
  let header: TapeHeader | undefined
  let reader: BookReader | undefined
  let parity: ReturnType<typeof createParity> | undefined
  const books: BookLook[] = []
  const heads: HeadLook[] = []
  const headless: { readonly at: number }[] = []
  const torn: string[] = []
  let steppedBack = 0
  let latest = Number.NEGATIVE_INFINITY
  let last: { readonly body: string; readonly book: TapeBook | undefined } | undefined

  for await (const entry of entries) {
    if (entry.kind === 'torn') torn.push(entry.place)
    else if (entry.kind === 'header') {
      assertOfChain(entry.header, chain)
      assertOneTape(header, entry.header)
      header ??= entry.header
      reader ??= createBookReader({ source: header.source, tokens })
      parity ??= createParity(reader.indexOf, tokens)
    } else if (reader !== undefined) {
      const { line } = entry
      if (line.tWall < latest) steppedBack += 1
      latest = Math.max(latest, line.tWall)
      if (line.endpoint === 'head') {
        const head = headOf(line, latest)
        if (head === undefined) headless.push({ at: latest })
        else heads.push(head)
      }
      if (line.endpoint === 'indicative-quote') parity?.note(line)
      if (line.endpoint === 'orderbook') {
        const why = whyNot(line)
        // A book that did not change is not read again.
        if (why === undefined && last?.body !== line.body)
          last = { body: line.body, book: reader.read(line.body) }
        const book = why === undefined ? last?.book : undefined
        if (book !== undefined) parity?.noteBook(line.tWall, book)
        books.push({ at: latest, book, why: why ?? 'answered with something that is no book' })
      }
    }
  }
  if (header === undefined || reader === undefined || parity === undefined || books.length === 0)
    throw ballastError('TAPE_EMPTY', 'The tape has no order book: there is nothing to replay.')
  return {
    header,
    books,
    heads,
    headless,
    indexOf: reader.indexOf,
    torn,
    steppedBack,
    parity: parity.parity(),
  }
}

function assertOfChain(header: TapeHeader, { name, chainId }: Expected['chain']): void {
  if (header.source === 'synthetic' || header.chainId === chainId) return
  throw ballastError(
    'TAPE_OF_ANOTHER_CHAIN',
    `The tape is of ${header.chain} (chain id ${header.chainId}), but the configuration is for ${name} (${chainId}).`,
  )
}

/** A synthetic tape behind a recorded one must not pass as recorded. */
function assertOneTape(first: TapeHeader | undefined, next: TapeHeader): void {
  if (first === undefined || (first.source === next.source && first.chainId === next.chainId))
    return
  throw ballastError(
    'TAPES_MIXED',
    'Recorded and synthetic files, or files of two chains, are two tapes.',
  )
}

function whyNot({ status }: TapeLine): string | undefined {
  if (status >= 200 && status < 300) return undefined
  return status === 0 ? 'did not answer' : `answered ${status}`
}

function headOf({ status, body }: TapeLine, at: number): HeadLook | undefined {
  if (status !== 200) return undefined
  const { number, timestamp, baseFeePerGas } = headBody.parse(JSON.parse(body))
  return {
    at,
    number,
    ageMs: at - timestamp * 1_000,
    baseFeePerGas: BigInt(baseFeePerGas),
  }
}
