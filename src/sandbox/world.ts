import { z } from 'zod'

/** Plain decimal text. Levels have at most 15 significant digits, so that the JSON number of the order book is exact. */
const decimal = z.string().regex(/^(?:0|[1-9]\d{0,77})(?:\.\d+)?$/, 'is not a plain decimal number')
const shortDecimal = decimal.refine(
  (text) => text.replace('.', '').replace(/^0+/, '').length <= 15,
  'has more than 15 digits',
)
const whole = z
  .string()
  .regex(/^(?:0|[1-9]\d{0,8})$/, 'is not a whole number')
  .transform(Number)
const positive = whole.refine((value) => value > 0, 'must be above zero')
const rate = decimal.transform(Number)
const bps = positive.refine((value) => value <= 10_000, 'is more than 10000')
const symbol = z.string().regex(/^[A-Za-z][A-Za-z0-9.]{0,15}$/, 'is not a token symbol')
const name = z.string().regex(/^[a-z][a-z0-9-]{0,31}$/, 'is not a lower-case name')
const pair = z.tuple([symbol, symbol])

const token = z.strictObject({
  decimals: whole.refine((value) => value <= 30, 'is more than 30'),
  /** The ERC-20 that wraps the chain's own currency. */
  wrapsNative: z.boolean().default(false),
  /** Worth one US dollar by definition: fees are shown in it. */
  isDollar: z.boolean().default(false),
  behaves: z
    .enum([
      'plain',
      'permit',
      'no-return',
      'false-return',
      'fee-on-transfer',
      'reentrant',
      'blocklist',
    ])
    .default('plain'),
})

const poolV2 = z.strictObject({
  kind: z.literal('uniswap-v2'),
  tokens: pair,
  reserves: z.tuple([decimal, decimal]),
})

const above = (text: string) => Number(text) > 0

const position = z.strictObject({
  /** Prices of the first token in units of the second, lower end first. */
  range: z
    .tuple([decimal, decimal])
    .refine(([low, high]) => above(low) && Number(low) < Number(high), 'is not a rising range'),
  /** At most these; what does not fit the price stays out. */
  amounts: z.tuple([decimal, decimal]),
})

const poolV3 = z
  .strictObject({
    kind: z.literal('uniswap-v3'),
    tokens: pair,
    /** Millionths of the input. */
    fee: z
      .enum(['100', '500', '3000', '10000'])
      .transform((text) => Number(text) as 100 | 500 | 3000 | 10000),
    /** The amounts of the first one in its range set the price at the start. */
    positions: z.array(position).min(1),
  })
  .refine(({ positions: [first] }) => first?.amounts.every(above), {
    path: ['positions', 0, 'amounts'],
    message: 'both must be above zero: they set the price',
  })

const pool = z.discriminatedUnion('kind', [poolV2, poolV3])

const level = z.tuple([shortDecimal, shortDecimal])

const fixedBook = z.strictObject({
  pair,
  bid: z.array(level).default([]),
  ask: z.array(level).default([]),
  minimumInBase: shortDecimal.default('0'),
})

const followBook = z.strictObject({
  pair,
  follow: z.strictObject({
    halfSpreadBps: rate,
    /** Size of each level in base, not cumulative; or the first, each further one twice the one before. */
    sizes: z.union([
      z.array(shortDecimal).min(1),
      z.strictObject({ first: shortDecimal, count: positive.refine((value) => value <= 16) }),
    ]),
    /** Each further level is this much worse. */
    stepBps: rate.default(1),
    /** Annual. Makers charge for the time they give: a longer expiry is a wider spread. */
    volatility: rate.default(0),
    /** The average price of the whole book is this much worse for its size. */
    impactBps: rate.optional(),
    /** Nothing is offered while the price moves more than this, annual. */
    volatilityMax: rate.optional(),
    /** Both sides lean against holding more, or less, than the target of base; `bps` at the limit. */
    skew: z
      .strictObject({
        bps: rate,
        target: decimal,
        limit: decimal.refine(above, 'must be above zero'),
      })
      .optional(),
  }),
  minimumInBase: shortDecimal.default('0'),
})

const maker = z.strictObject({
  name,
  /** Where `ballast maker` serves it. Absent: it is part of the service. */
  url: z.url({ protocol: /^https?$/ }).optional(),
  inventory: z.record(symbol, decimal),
  books: z.array(z.union([fixedBook, followBook])).min(1),
})

/** The embedded market as a file: chain, tokens, pools, makers, prices, service and wallets. */
export const worldSchema = z
  .strictObject({
    chain: z.strictObject({
      name,
      chainId: positive,
      label: z.string().min(1),
      token: symbol,
      blockTimeSeconds: positive,
    }),
    tokens: z.record(symbol, token),
    pools: z.array(pool).default([]),
    makers: z.array(maker).default([]),
    /** Synthetic and seeded. Absent: prices stand still. */
    prices: z
      .strictObject({
        seed: whole,
        /** A token without a model is worth 1. */
        model: z.record(
          symbol,
          z.strictObject({
            start: decimal,
            volatility: rate,
            /** How fast the price is drawn back to its start. Absent: it walks away for good. */
            halfLifeHours: rate.refine((hours) => hours > 0, 'must be above zero').optional(),
          }),
        ),
      })
      .optional(),
    service: z
      .strictObject({
        apiKeys: z.array(z.string().min(1)).default([]),
        widgetFeeBps: whole.refine((value) => value <= 100, 'is more than 100').default(0),
        defaultExpirySeconds: positive.default(60),
        maxExpirySeconds: positive.default(120),
        /** Tokens a route may pass through. */
        hubs: z.array(symbol).max(6).default([]),
        /** Weight of the gas price in the choice of sources. */
        gasWeight: rate.default(1),
        /** The part of a maker's stock that one key or one taker may hold back. */
        shareBps: bps.default(2_500),
        /** How far the price of a quote may be below the best one for a hundredth of its amount. */
        impactBpsMax: bps.default(1_000),
        /** For each caller. A laptop's market is generous by default. */
        rateLimit: z
          .strictObject({ perSecond: positive, burst: positive })
          .default({ perSecond: 1_000, burst: 2_000 }),
        /** `native200`: refusals as HTTP 200 with the code inside, as some services of this family do. */
        errorStyle: z.enum(['status', 'native200']).default('status'),
      })
      .prefault({}),
    /** `native` is the chain's own currency. */
    wallets: z.record(name, z.record(symbol, decimal)),
  })
  .superRefine((world, { addIssue }) => {
    const known = (candidate: string, path: (string | number)[]) => {
      if (world.tokens[candidate] === undefined)
        addIssue({ code: 'custom', path, message: `${candidate} is not among the tokens` })
    }
    const wrapped = Object.entries(world.tokens).filter(([, { wrapsNative }]) => wrapsNative)
    if (wrapped.length !== 1)
      addIssue({ code: 'custom', path: ['tokens'], message: 'exactly one token wrapsNative' })
    if (world.wallets.treasury === undefined)
      addIssue({ code: 'custom', path: ['wallets'], message: 'a wallet named treasury is needed' })
    world.pools.forEach(({ tokens }, index) => {
      tokens.forEach((each, side) => {
        known(each, ['pools', index, 'tokens', side])
      })
    })
    world.service.hubs.forEach((each, index) => {
      known(each, ['service', 'hubs', index])
    })
    world.makers.forEach(({ inventory, books }, index) => {
      for (const each of Object.keys(inventory)) known(each, ['makers', index, 'inventory', each])
      books.forEach((book, nth) => {
        book.pair.forEach((each, side) => {
          known(each, ['makers', index, 'books', nth, 'pair', side])
        })
        if ('follow' in book && world.prices === undefined)
          addIssue({
            code: 'custom',
            path: ['makers', index, 'books', nth, 'follow'],
            message: 'there are no prices to follow',
          })
      })
    })
    for (const each of Object.keys(world.prices?.model ?? {}))
      known(each, ['prices', 'model', each])
    for (const [wallet, holdings] of Object.entries(world.wallets))
      for (const each of Object.keys(holdings))
        if (each !== 'native') known(each, ['wallets', wallet, each])
  })

export type SandboxWorld = z.output<typeof worldSchema>

export type PoolV2 = Extract<SandboxWorld['pools'][number], { kind: 'uniswap-v2' }>
export type PoolV3 = Extract<SandboxWorld['pools'][number], { kind: 'uniswap-v3' }>
