import { z } from 'zod'
import { parseGasPrice } from '../core/gasPrice.ts'
import { databaseText } from './databaseText.ts'
import {
  address,
  addressExample,
  amount,
  bps,
  choice,
  currencyText,
  duration,
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
} from './parts.ts'
import { walletSigner } from './walletSigner.ts'

/**
 * `ballast.yaml` as it is written: every scalar is text with its unit. Checked here and turned into values by
 * `buildConfig`; keeping the two apart lets `config show` print the effective text and the editor know the format.
 */

const codeHash = text(
  (value) => {
    if (!/^0x[0-9a-fA-F]{64}$/.test(value))
      refuse(`'${value.slice(0, 80)}' is not a code hash: write 0x and 64 hex digits, in quotes.`)
  },
  { example: `0x${'ab'.repeat(32)}`, pattern: '^0x[0-9a-fA-F]{64}$' },
)

const database = text(databaseText, { example: 'sqlite:./ballast.db' })

const amountList = list(amount('5 WETH'), '[5 WETH, 15000 USDC]')

const pair = text(
  (value) => {
    const [base, quote] = /^(\S+)\/(\S+)$/.exec(value)?.slice(1) ?? []
    if (base === undefined || quote === undefined || base === quote)
      refuse(`'${value.slice(0, 64)}' is not a pair: write two symbols, such as 'WETH/USDC'.`)
  },
  { example: 'WETH/USDC' },
)

const selector = text(
  (value) => {
    if (!/^0x[0-9a-fA-F]{8}$/.test(value))
      refuse(`'${value.slice(0, 32)}' is not a selector: write 0x and 8 hex digits, in quotes.`)
  },
  { example: '0x1a2b3c4d', pattern: '^0x[0-9a-fA-F]{8}$' },
)

const notionalAmount = amount('20000 USD')

const token = section(
  {
    address,
    // One unit of more would not fit the chain's largest number.
    decimals: integer({ min: 0, max: 77, example: '18' }),
    wrapsNative: yesOrNo.default(false),
    storage: choice(['traced', 'untraced'], 'untraced').default('traced'),
  },
  `{ address: "${addressExample}", decimals: 18 }`,
)

const witness = section(
  {
    rpcUrl: url('http://127.0.0.1:8547'),
    above: amount('5000 USDC'),
    sends: yesOrNo.default(true),
  },
  '{ rpcUrl: "https://…", above: 5000 USDC }',
)

const strategy = section(
  {
    name: slug('sell-strength'),
    use: text(
      (value) => {
        if (!/^[a-z][a-z0-9-]{0,63}$/.test(value))
          refuse(
            `'${value.slice(0, 64)}' is not a strategy: write the name of a file in strategies/ without .ts, such as 'threshold'.`,
          )
      },
      { example: 'threshold' },
    ),
    params: z.record(z.string(), z.unknown(), {
      error: ({ input }) => wrongKind(input, '{ sell: 1 WETH, buy: USDC }'),
    }),
    priority: integer({ min: -1_000, max: 1_000, example: '10' }).default('0'),
  },
  '{ name: sell-strength, use: threshold, params: { … } }',
)

/** What each kind of reference is written with, besides its pair; the others do not belong to it. */
const referenceKeys = {
  pool: { needs: ['venue', 'address'], takes: [] },
  feed: { needs: ['address', 'maxAge'], takes: [] },
  'order-book': { needs: [], takes: ['url', 'maxAge'] },
} as const

const referenceExamples = {
  venue: 'uniswap-v3',
  address: addressExample,
  maxAge: '1h',
  url: 'http://127.0.0.1:8546',
} as const

/** One shape with a rule instead of one for each kind: every refusal keeps its own key and sentence. */
const reference = section(
  {
    kind: choice(['pool', 'feed', 'order-book'], 'pool'),
    pair: text(
      (value) => {
        if (!/^[^\s/]+\/[^\s/]+$/.test(value))
          refuse(`'${value.slice(0, 64)}' is not a pair: write for example 'WETH/USDC'.`)
      },
      { example: 'WETH/USDC' },
    ),
    venue: choice(['uniswap-v2', 'uniswap-v3'], referenceExamples.venue).optional(),
    address: address.optional(),
    url: url(referenceExamples.url).optional(),
    maxAge: duration({ min: '1s', max: '7d', example: referenceExamples.maxAge }).optional(),
  },
  '{ kind: feed, pair: WETH/USD, address: "0x…", maxAge: 1h }',
).superRefine((written, context) => {
  const { needs, takes } = referenceKeys[written.kind]
  const allowed: readonly string[] = [...needs, ...takes]
  for (const [key, example] of Object.entries(referenceExamples)) {
    const given = written[key as keyof typeof referenceExamples] !== undefined
    if (given && !allowed.includes(key))
      context.addIssue({
        code: 'custom',
        path: [key],
        message: `does not belong to a reference of kind ${written.kind}: remove it.`,
      })
    if (!given && (needs as readonly string[]).includes(key))
      context.addIssue({ code: 'custom', path: [key], message: wrongKind(undefined, example) })
  }
})
const lockTime = (example: string) => duration({ min: '1s', max: '30d', example })
const clockTime = (example: string) => duration({ min: '1s', max: '1h', example })

export const fileSchema = section(
  {
    chain: section(
      {
        name: slug('ethereum'),
        chainId: integer({ min: 1, max: Number.MAX_SAFE_INTEGER, example: '1' }),
        currency: currencyText,
        rpcUrl: url('http://127.0.0.1:8545'),
        confirmations: integer({ min: 0, max: 1_000, example: '2' }).default('2'),
        blockTime: duration({ min: '100ms', max: '10m', example: '12s' }).default('12s'),
        tracing: choice(['required', 'unavailable'], 'required').default('required'),
        witness: witness.optional(),
        alsoSendTo: list(url('http://127.0.0.1:8548'), '["https://…"]').default([]),
      },
      '{ name: ethereum, chainId: 1, currency: ETH, rpcUrl: "https://…" }',
    ),
    service: section(
      {
        url: url('http://127.0.0.1:8546'),
        router: address,
        routerCodeHash: codeHash,
        profile: choice(['ballast', 'opaque'], 'ballast').default('ballast'),
        executor: address.optional(),
        feeSigner: address.optional(),
        feeRecipients: list(address, `["${addressExample}"]`).optional(),
        makers: list(address, `["${addressExample}"]`).optional(),
        selectors: list(selector, '["0x1a2b3c4d"]').optional(),
        maxNotional: notionalAmount.optional(),
      },
      '{ url: …, router: "0x…", routerCodeHash: "0x…", executor: "0x…", feeSigner: "0x…", makers: ["0x…"] }',
    ),
    tokens: z.record(symbolText, token, {
      error: ({ input }) =>
        wrongKind(input, `{ WETH: { address: "${addressExample}", decimals: 18 } }`),
    }),
    wallet: section(
      { name: slug('treasury'), address, signer: walletSigner },
      '{ name: treasury, address: "0x…" }',
    ),
    quote: section(
      {
        expiry: wholeSeconds({ min: '1s', max: '120s', example: '30s' }).default('30s'),
        slippage: bps('10 bps').default('0 bps'),
        timeout: duration({ min: '50ms', max: '60s', example: '3s' }).default('3s'),
      },
      '{ expiry: 30s, slippage: 10 bps, timeout: 3s }',
    ).prefault({}),
    policy: section(
      {
        tokens: list(symbolText, '[ETH, WETH, USDC]'),
        pairs: list(pair, '[WETH/USDC]'),
        recipients: list(address, `["${addressExample}"]`).default([]),
        perSwap: amountList,
        perDay: amountList,
        notional: section(
          {
            perSwap: notionalAmount,
            perHour: notionalAmount,
            perDay: notionalAmount,
            perStrategy: notionalAmount,
          },
          '{ perSwap: 20000 USD, perHour: 50000 USD, perDay: 200000 USD, perStrategy: 100000 USD }',
        ),
        maxDeviation: bps('100 bps'),
        minReferences: integer({ min: 1, max: 16, example: '1' }).default('1'),
        cooldown: duration({ min: '0s', max: '30d', example: '30s' }).default('0s'),
        maxGasCost: bps('100 bps'),
        maxSlippage: bps('50 bps'),
        maxFee: bps('10 bps'),
        maxGasPrice: text(parseGasPrice, { example: '200 gwei' }),
        maxGas: integer({ min: 21_000, max: 1_000_000_000, example: '1500000' }),
        minTimeToDeadline: wholeSeconds({ min: '1s', max: '120s', example: '8s' }),
        unit: symbolText.default('USD'),
        references: list(
          reference,
          '[{ kind: feed, pair: WETH/USD, address: "0x…", maxAge: 1h }]',
        ).default([]),
        stablecoins: z
          .record(symbolText, bps('50 bps'), {
            error: ({ input }) => wrongKind(input, '{ USDC: 50 bps }'),
          })
          .default({}),
      },
      '{ tokens: [WETH, USDC], pairs: [WETH/USDC], perSwap: [5 WETH], perDay: [200 WETH], … }',
    ),
    breakers: section(
      {
        refusals: section(
          {
            count: integer({ min: 1, max: 100, example: '5' }).default('5'),
            lock: lockTime('15m').default('15m'),
          },
          '{ count: 5, lock: 15m }',
        ).prefault({}),
        failures: section(
          {
            count: integer({ min: 1, max: 100, example: '3' }).default('3'),
            lock: lockTime('1h').default('1h'),
          },
          '{ count: 3, lock: 1h }',
        ).prefault({}),
        priceJump: section(
          {
            above: bps('500 bps').default('500 bps'),
            within: lockTime('10m').default('10m'),
            lock: lockTime('5m').default('5m'),
          },
          '{ above: 500 bps, within: 10m, lock: 5m }',
        ).prefault({}),
        witness: section({ lock: lockTime('10m').default('10m') }, '{ lock: 10m }').prefault({}),
        clock: section(
          {
            ahead: clockTime('60s').default('60s'),
            service: clockTime('10s').default('10s'),
            lock: lockTime('5m').default('5m'),
          },
          '{ ahead: 60s, service: 10s, lock: 5m }',
        ).prefault({}),
        maxGasPerDay: amount('0.5 ETH').optional(),
      },
      '{ refusals: { count: 5, lock: 15m }, maxGasPerDay: 0.5 ETH }',
    ).prefault({}),
    strategies: list(strategy, '[{ name: …, use: …, params: { … } }]').default([]),
    database: database.default('sqlite:./ballast.db'),
    haltFile: text(
      (value) => {
        if (value.trim() === '') refuse("is empty: write the name of a file, such as 'HALT'.")
      },
      { example: 'HALT' },
    ).default('HALT'),
    dashboard: listenAt('8787'),
    logLevel,
  },
  'chain, service, tokens, wallet and policy',
)

/** The file after defaults: still text, but right. */
export type FileText = z.output<typeof fileSchema>
