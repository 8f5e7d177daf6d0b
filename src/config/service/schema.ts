import { z } from 'zod'
import { parseDecimal } from '../../core/decimal.ts'
import {
  address,
  addressExample,
  bps,
  choice,
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
  yesOrNo,
} from '../parts.ts'

/** `service.yaml` as it is written: the market a desk serves. Every scalar is text with its unit. */

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

const token = section(
  {
    address,
    decimals: integer({ min: 0, max: 36, example: '18' }),
    wrapsNative: yesOrNo.default(false),
    /** Worth one US dollar by definition: fees are shown in it. */
    isDollar: yesOrNo.default(false),
  },
  `{ address: "${addressExample}", decimals: 18 }`,
)

const pair = list(symbolText, '[WETH, USDC]').length(2, 'names two tokens, such as [WETH, USDC].')

const level = list(decimal('10'), '["10", "3000"]').length(
  2,
  'is an amount and a price, such as ["10", "3000"].',
)

const book = section(
  {
    pair,
    bid: list(level, '[["10", "3000"]]').default([]),
    ask: list(level, '[["10", "3010"]]').default([]),
    minimumInBase: decimal('0.01').default('0'),
  },
  '{ pair: [WETH, USDC], bid: [["10", "3000"]], ask: [["10", "3010"]] }',
)

const maker = section(
  { name: slug('maker-a'), books: list(book, '[{ pair: [WETH, USDC], … }]') },
  '{ name: maker-a, books: [{ pair: [WETH, USDC], … }] }',
)

/** A maker in a process of its own, as `ballast maker` serves it: its key is not here, only who must have signed. */
const remoteMaker = section(
  {
    name: slug('maker-b'),
    url: url('http://127.0.0.1:9000'),
    address,
    pairs: list(pair, '[[WETH, USDC]]'),
  },
  `{ name: maker-b, url: "http://127.0.0.1:9000", address: "${addressExample}", pairs: [[WETH, USDC]] }`,
)

const pool = section(
  {
    kind: choice(['uniswap-v2', 'uniswap-v3'], 'uniswap-v2'),
    address,
    tokens: pair,
    /** Millionths of the input; a v3 pool has one. */
    fee: choice(['100', '500', '3000', '10000'], '500').optional(),
  },
  `{ kind: uniswap-v2, address: "${addressExample}", tokens: [WETH, USDC] }`,
)

export const serviceSchema = section(
  {
    chain: section(
      {
        name: slug('ethereum'),
        chainId: integer({ min: 1, max: Number.MAX_SAFE_INTEGER, example: '1' }),
        label: text(() => undefined, { example: 'Ethereum' }),
        currency: symbolText,
        rpcUrl: url('http://127.0.0.1:8545'),
        blockTime: wholeSeconds({ min: '1s', max: '1h', example: '12s' }).default('12s'),
      },
      '{ name: ethereum, chainId: 1, label: Ethereum, currency: ETH, rpcUrl: "https://…" }',
    ),
    router: address,
    executor: address,
    tokens: z.record(symbolText, token, {
      error: ({ input }) =>
        wrongKind(input, `{ WETH: { address: "${addressExample}", decimals: 18 } }`),
    }),
    pools: list(pool, '[{ kind: uniswap-v2, … }]').default([]),
    makers: list(maker, '[{ name: maker-a, books: … }]').default([]),
    remoteMakers: list(
      remoteMaker,
      '[{ name: maker-b, url: …, address: "0x…", pairs: … }]',
    ).default([]),
    hubs: list(symbolText, '[WETH, USDC]').max(6, 'names more than six tokens.').default([]),
    gasWeight: text((value) => parseDecimal(value, 6), { example: '1' }).default('1'),
    widgetFee: section(
      { recipient: address, rate: bps('0 bps').default('0 bps') },
      `{ recipient: "${addressExample}", rate: 0 bps }`,
    ),
    expiry: section(
      {
        default: wholeSeconds({ min: '1s', max: '120s', example: '60s' }).default('60s'),
        max: wholeSeconds({ min: '1s', max: '120s', example: '120s' }).default('120s'),
      },
      '{ default: 60s, max: 120s }',
    ).prefault({}),
    keysFile: text(() => undefined, { example: './service.keys' }).optional(),
    rateLimit: section(
      {
        perSecond: integer({ min: 1, max: 1_000_000, example: '10' }).default('10'),
        burst: integer({ min: 1, max: 1_000_000, example: '20' }).default('20'),
      },
      '{ perSecond: 10, burst: 20 }',
    ).prefault({}),
    errorStyle: choice(['status', 'native200'], 'status').default('status'),
    listen: listenAt('8788'),
    logLevel,
  },
  'chain, router, executor, tokens, widgetFee, and pools or makers',
)

/** The file after defaults: still text, but right. */
export type ServiceText = z.output<typeof serviceSchema>
