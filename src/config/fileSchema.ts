import { z } from 'zod'
import { parseGasPrice } from '../core/gasPrice.ts'
import {
  address,
  addressExample,
  bps,
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

const database = text(
  (value) => {
    if (/^postgres(?:ql)?:/.test(value))
      refuse('is a PostgreSQL URL, which this version cannot use yet: write sqlite:./ballast.db.')
    if (!/^sqlite:.+/.test(value))
      refuse("is not a database: write sqlite: and a path, such as 'sqlite:./ballast.db'.")
    if (/^sqlite:(?:\/\/)?:memory:/.test(value))
      refuse(
        'is a database in memory, which a crash would empty: write a path, such as sqlite:./ballast.db.',
      )
  },
  { example: 'sqlite:./ballast.db' },
)

const amountList = list(
  text(() => undefined, { example: '5 WETH' }),
  '[5 WETH, 15000 USDC]',
)

const token = section(
  {
    address,
    decimals: integer({ min: 0, max: 36, example: '18' }),
    wrapsNative: yesOrNo.default(false),
  },
  `{ address: "${addressExample}", decimals: 18 }`,
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
  },
  '{ name: sell-strength, use: threshold, params: { … } }',
)

const lockTime = (example: string) => duration({ min: '1s', max: '30d', example })
const clockTime = (example: string) => duration({ min: '1s', max: '1h', example })

export const fileSchema = section(
  {
    chain: section(
      {
        name: slug('ethereum'),
        chainId: integer({ min: 1, max: Number.MAX_SAFE_INTEGER, example: '1' }),
        currency: symbolText,
        rpcUrl: url('http://127.0.0.1:8545'),
        confirmations: integer({ min: 0, max: 1_000, example: '2' }).default('2'),
      },
      '{ name: ethereum, chainId: 1, currency: ETH, rpcUrl: "https://…" }',
    ),
    service: section(
      {
        url: url('http://127.0.0.1:8546'),
        router: address,
        routerCodeHash: codeHash,
        executor: address,
        feeSigner: address,
        makers: list(address, `["${addressExample}"]`),
      },
      '{ url: …, router: "0x…", routerCodeHash: "0x…", executor: "0x…", feeSigner: "0x…", makers: ["0x…"] }',
    ),
    tokens: z.record(symbolText, token, {
      error: ({ input }) =>
        wrongKind(input, `{ WETH: { address: "${addressExample}", decimals: 18 } }`),
    }),
    wallet: section({ name: slug('treasury'), address }, '{ name: treasury, address: "0x…" }'),
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
        recipients: list(address, `["${addressExample}"]`).default([]),
        perSwap: amountList,
        perDay: amountList,
        maxSlippage: bps('50 bps'),
        maxFee: bps('10 bps'),
        maxGasPrice: text(parseGasPrice, { example: '200 gwei' }),
        maxGas: integer({ min: 21_000, max: 1_000_000_000, example: '1500000' }),
        minTimeToDeadline: wholeSeconds({ min: '1s', max: '120s', example: '8s' }),
      },
      '{ tokens: [WETH, USDC], perSwap: [5 WETH], perDay: [200 WETH], … }',
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
            ahead: clockTime('15s').default('15s'),
            service: clockTime('10s').default('10s'),
            lock: lockTime('5m').default('5m'),
          },
          '{ ahead: 15s, service: 10s, lock: 5m }',
        ).prefault({}),
        maxGasPerDay: text(() => undefined, { example: '0.5 ETH' }).optional(),
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
