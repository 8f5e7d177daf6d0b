/**
 * What the offline verifier costs, next to the curve alone, and what reading a body costs, next to `JSON.parse`.
 *
 * All candidates take turns within each round, in rotated order; a ratio is the median over rounds of the ratio within
 * a round, so other work on the machine touches all alike.
 *
 * `node bench/verify.ts [--rounds 9]`
 */
import { performance } from 'node:perf_hooks'
import { parseArgs } from 'node:util'
import { getAddress } from 'viem'
import { firmQuote } from '../src/api/firmQuote.ts'
import { pairRows } from '../src/api/pairRows.ts'
import { firmBody } from '../src/bot/quote/api/bodies.ts'
import { createBookDecoder } from '../src/bot/quote/api/createBookDecoder.ts'
import type { Quoted } from '../src/bot/stages.ts'
import { createVerify } from '../src/bot/verify/verify.ts'
import { loadEngine } from '../src/chain/crypto/recoverSigner.ts'
import { jsonDefect } from '../src/core/jsonDefect.ts'
import type { Token } from '../src/core/token.ts'
import { now, order, pins, quoteOf } from '../test/bot/verify/goodQuote.ts'
import { median } from './measure.ts'

const { values } = parseArgs({ options: { rounds: { type: 'string', default: '9' } } })
const verify = createVerify({
  pins,
  clock: { now: () => now * 1_000, sleep: async () => {} },
})
const { recoverPublicKey } = await loadEngine()

/** Another one each time: nothing may be remembered from the last. */
const quotesOf = (count: number): Promise<readonly Quoted[]> =>
  Promise.all(
    Array.from({ length: 50 }, (_, nth) =>
      quoteOf({
        orders: Array.from({ length: count }, (_, leg) =>
          order({
            id: BigInt(nth * count + leg),
            sellerTokenAmount:
              10n ** 18n / BigInt(count) + (leg === 0 ? 10n ** 18n % BigInt(count) : 0n),
            buyerTokenAmount: 3_000_000_000n / BigInt(count),
          }),
        ),
      }),
    ),
  )

const signed = await quoteOf()
const signature = Buffer.from(`00${signed.quote.widgetFeeSignature.slice(2, 130)}`, 'hex')
const digest = Buffer.from('2'.repeat(64), 'hex')
const recoveries = (count: number) => () => {
  for (let nth = 0; nth < count; nth += 1) recoverPublicKey(signature, digest)
}
const takingTurns = (quotes: readonly Quoted[]) => {
  let nth = 0
  return async () => {
    nth += 1
    const quoted = quotes[nth % quotes.length]
    if (quoted !== undefined) await verify(quoted)
  }
}

const [one, three] = [await quotesOf(1), await quotesOf(3)]
const firm = JSON.stringify(one[0]?.quote)
const tokenAt = (nth: number): Token => ({
  chainId: 1,
  address: getAddress(`0x${nth.toString(16).padStart(8, '0').padStart(40, 'a7')}`),
  symbol: `T${nth}`,
  decimals: 18,
})
const [quoteToken, wrapped] = [tokenAt(2_000), tokenAt(2_001)]
/** 2,000 pairs of 20 levels, no two books alike. */
const bookAt = (version: number) =>
  JSON.stringify(
    Array.from({ length: 2_000 }, (_, pair) => ({
      base_symbol: `T${pair}`,
      base_address: tokenAt(pair).address,
      quote_symbol: 'USDC',
      quote_address: quoteToken.address,
      levels: Array.from({ length: 20 }, (_, level) => [(level + version) / 7, 3_000 - pair / 3]),
      side: pair % 2 === 0 ? 'bid' : 'ask',
      minimum_in_base: 0.001,
    })),
  )
const books = [bookAt(0), bookAt(1), bookAt(2)]
const book = books[0] ?? ''

/** From the bytes of an answer to the rows of the pairs that ten strategies watch. */
const ingest = (bodies: readonly string[]) => {
  const reader = createBookDecoder()
  // The bytes of each answer are its own.
  const arrived = bodies.map((body) => Buffer.from(body))
  let nth = 0
  return () => {
    nth += 1
    const rows = reader.read(reader.decode(arrived[nth % arrived.length] ?? Buffer.alloc(0)))
    if (rows === undefined) throw new Error('The book was not taken.')
    for (let pair = 0; pair < 10; pair += 1)
      if (
        pairRows(rows, { base: tokens[pair] ?? wrapped, quote: quoteToken, wrapped }).length !== 1
      )
        throw new Error('The book has lost a pair.')
  }
}
const tokens = Array.from({ length: 10 }, (_, nth) => tokenAt(nth * 150))

type Candidate = {
  readonly name: string
  readonly runs: number
  readonly run: () => unknown
  /** What it is compared with. */
  readonly to?: string
  readonly atMost?: number
}
const candidates: readonly Candidate[] = [
  { name: 'curve: 2 recoveries', runs: 150, run: recoveries(2) },
  {
    name: 'verify: one maker order',
    runs: 150,
    run: takingTurns(one),
    to: 'curve: 2 recoveries',
    atMost: 4,
  },
  { name: 'curve: 4 recoveries', runs: 75, run: recoveries(4) },
  {
    name: 'verify: three maker orders',
    runs: 75,
    run: takingTurns(three),
    to: 'curve: 4 recoveries',
    atMost: 4,
  },
  { name: 'JSON.parse: a firm quote', runs: 200, run: () => JSON.parse(firm) },
  {
    name: 'read: a firm quote',
    runs: 100,
    run: () => jsonDefect(firm) ?? firmQuote.response.safeParse(firmBody(firm)),
    to: 'JSON.parse: a firm quote',
  },
  { name: 'JSON.parse: an order book', runs: 1, run: () => JSON.parse(book) },
  {
    name: 'ingest: another order book',
    runs: 1,
    run: ingest(books),
    to: 'JSON.parse: an order book',
    atMost: 1.6,
  },
  {
    name: 'ingest: the same order book',
    runs: 1,
    run: ingest([book, book, book, book]),
    to: 'JSON.parse: an order book',
    atMost: 0.05,
  },
]

const rounds: Map<string, number>[] = []
for (let round = -5; round < Number(values.rounds); round += 1) {
  const figures = new Map<string, number>()
  for (let index = 0; index < candidates.length; index += 1) {
    const candidate = candidates[(index + Math.max(round, 0)) % candidates.length]
    if (candidate === undefined) continue
    const started = performance.now()
    for (let run = 0; run < candidate.runs; run += 1) await candidate.run()
    figures.set(candidate.name, ((performance.now() - started) * 1_000) / candidate.runs)
  }
  // The first rounds warm up.
  if (round >= 0) rounds.push(figures)
}

console.log(
  `an order book of ${(book.length / 1e6).toFixed(1)} MB, a firm quote of ${firm.length} bytes`,
)
for (const { name, to, atMost } of candidates) {
  const micros = median(rounds.map((figures) => figures.get(name) ?? Number.NaN))
  const within = rounds.map((figures) => (figures.get(name) ?? 0) / (figures.get(to ?? '') ?? 1))
  const ratio = to === undefined ? '' : `${median(within).toFixed(2)} × ${to}`
  const target = atMost === undefined ? '' : `   target at most ${atMost}`
  console.log(`${name.padEnd(32)}${micros.toFixed(1).padStart(10)} µs   ${ratio}${target}`)
}
