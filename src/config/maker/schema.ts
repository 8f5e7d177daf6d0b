import { z } from 'zod'
import { parseDecimal } from '../../core/decimal.ts'
import {
  address,
  addressExample,
  bps,
  integer,
  list,
  listenAt,
  logLevel,
  refuse,
  section,
  slug,
  symbolText,
  text,
  url,
  wholeSeconds,
  wrongKind,
} from '../parts.ts'

/** `maker.yaml` as it is written: one maker that serves itself. Every scalar is text with its unit. */

/** A JSON number carries fifteen digits: what is published is then exactly what is filled. */
const digitsMax = 15

const decimal = (example: string) =>
  text(
    (value) => {
      parseDecimal(value, 77)
      if (value.replace('.', '').replace(/^0+/, '').length > digitsMax)
        refuse(`${value.slice(0, 64)} has more than ${digitsMax} digits: round it.`)
    },
    { example },
  )

const level = list(decimal('10'), '["10", "3000"]').length(
  2,
  'is an amount and a price, such as ["10", "3000"].',
)

/** Quotes around the price of a Uniswap v2 pair. */
const follow = section(
  {
    pool: address,
    halfSpread: bps('4 bps'),
    /** In base, not cumulative. */
    sizes: list(decimal('1'), '["1", "4", "10"]').min(1, 'names no size.'),
    step: bps('2 bps').default('0 bps'),
    impact: bps('5 bps').default('0 bps'),
    /** Annual: "0.7" is 70 %. */
    volatility: decimal('0.7'),
    /** Nothing is offered above it. */
    volatilityMax: decimal('3').optional(),
    skew: section(
      { rate: bps('10 bps'), target: decimal('100'), limit: decimal('50') },
      '{ rate: 10 bps, target: "100", limit: "50" }',
    ).optional(),
  },
  `{ pool: "${addressExample}", halfSpread: 4 bps, sizes: ["1", "4"], volatility: "0.7" }`,
)

const book = section(
  {
    pair: list(symbolText, '[WETH, USDC]').length(2, 'names two tokens, such as [WETH, USDC].'),
    bid: list(level, '[["10", "3000"]]').default([]),
    ask: list(level, '[["10", "3010"]]').default([]),
    follow: follow.optional(),
    minimumInBase: decimal('0.01').default('0'),
  },
  '{ pair: [WETH, USDC], bid: [["10", "3000"]], ask: [["10", "3010"]] }',
)

export const makerSchema = section(
  {
    name: slug('maker-a'),
    chain: section(
      {
        chainId: integer({ min: 1, max: Number.MAX_SAFE_INTEGER, example: '1' }),
        rpcUrl: url('http://127.0.0.1:8545'),
        blockTime: wholeSeconds({ min: '1s', max: '1h', example: '12s' }).default('12s'),
      },
      '{ chainId: 1, rpcUrl: "https://…" }',
    ),
    router: address,
    tokens: z.record(
      symbolText,
      section(
        { address, decimals: integer({ min: 0, max: 36, example: '18' }) },
        `{ address: "${addressExample}", decimals: 18 }`,
      ),
      {
        error: ({ input }) =>
          wrongKind(input, `{ WETH: { address: "${addressExample}", decimals: 18 } }`),
      },
    ),
    books: list(book, '[{ pair: [WETH, USDC], … }]').min(1, 'names no book.'),
    expiryMax: wholeSeconds({ min: '1s', max: '1h', example: '120s' }).default('120s'),
    listen: listenAt('9000'),
    logLevel,
  },
  'name, chain, router, tokens and books',
)

/** The file after defaults: still text, but right. */
export type MakerText = z.output<typeof makerSchema>
