import { getAddress } from 'viem/utils'
import { z } from 'zod'
import { parseBps } from '../core/bps.ts'
import { parseDuration } from '../core/duration.ts'
import { BallastError } from '../core/errors.ts'
import { parseGasPrice } from '../core/gasPrice.ts'
import { nativeAddress, sameAddress } from '../core/token.ts'

/**
 * `ballast.yaml` as it is written: every scalar is text with its unit. Checked here and turned into values by
 * `buildConfig`; keeping the two apart lets `config show` print the effective text and the editor know the format.
 */

type Check = (text: string) => unknown

/** Text that `check` can read; a BallastError it throws becomes the message. */
function text(check: Check, { example, ...meta }: { example: string } & Record<string, unknown>) {
  return z
    .string({ error: ({ input }) => wrongKind(input, example) })
    .superRefine((value, context) => {
      try {
        check(value)
      } catch (error) {
        if (!(error instanceof BallastError)) throw error
        context.addIssue({ code: 'custom', message: error.summary })
      }
    })
    .meta({ examples: [example], ...meta })
}

function refuse(summary: string): never {
  throw new BallastError(summary, { code: 'CONFIG_INVALID', remedy: 'halt', fault: 'usage' })
}

function wrongKind(input: unknown, example: string): string {
  if (input === undefined) return `is missing: write for example ${quoted(example)}.`
  return `is ${kindOf(input)}: write for example ${quoted(example)}.`
}

const quoted = (example: string) => (/^[[{]/.test(example) ? example : `'${example}'`)

function kindOf(input: unknown): string {
  if (input === null || input === undefined) return 'empty'
  if (Array.isArray(input)) return 'a list'
  if (typeof input === 'object') return 'a section with keys'
  return `'${String(input).slice(0, 64)}'`
}

function section<shape extends z.ZodRawShape>(shape: shape, example: string) {
  return z.strictObject(shape, {
    error: ({ code, input }) => (code === 'invalid_type' ? wrongKind(input, example) : undefined),
  })
}

function list<item extends z.ZodType>(item: item, example: string) {
  return z.array(item, { error: ({ input }) => wrongKind(input, example) })
}

function choice<const words extends readonly [string, ...string[]]>(words: words, example: string) {
  return z.enum(words, {
    error: ({ input }) =>
      input === undefined || typeof input !== 'string'
        ? wrongKind(input, example)
        : `is '${input.slice(0, 64)}': write one of ${words.join(', ')}.`,
  })
}

/** A whole number. YAML numbers arrive as text here; an editor sees a number. */
function integer({ min, max, example }: { min: number; max: number; example: string }) {
  return text(
    (value) => {
      if (!/^(?:0|[1-9]\d{0,15})$/.test(value))
        refuse(`'${value.slice(0, 64)}' is not a whole number: write for example '${example}'.`)
      if (Number(value) < min || Number(value) > max)
        refuse(`${value} is out of range: write a whole number from ${min} to ${max}.`)
    },
    { example, type: ['integer', 'string'] },
  )
}

const addressExample = '0x5FbDB2315678afecb367f032d93F642f64180aa3'

const address = text(
  (value) => {
    if (!/^0x[0-9a-fA-F]{40}$/.test(value))
      refuse(`'${value.slice(0, 64)}' is not an address: write 0x and 40 hex digits, in quotes.`)
    const right = getAddress(value)
    const digits = value.slice(2)
    const oneCase = digits === digits.toLowerCase() || digits === digits.toUpperCase()
    if (!oneCase && value !== right)
      refuse(
        `'${value}' has a wrong checksum: check it letter by letter; if it is the right address it is written '${right}'.`,
      )
    if (/^0x0{40}$/.test(value))
      refuse('is the zero address: write the address of the contract or account.')
    if (sameAddress(value, nativeAddress))
      refuse(
        "is the placeholder of the chain's own currency: that one is named by chain.currency and has no entry of its own.",
      )
  },
  { example: addressExample, pattern: '^0x[0-9a-fA-F]{40}$' },
)

const codeHash = text(
  (value) => {
    if (!/^0x[0-9a-fA-F]{64}$/.test(value))
      refuse(`'${value.slice(0, 80)}' is not a code hash: write 0x and 64 hex digits, in quotes.`)
  },
  { example: `0x${'ab'.repeat(32)}`, pattern: '^0x[0-9a-fA-F]{64}$' },
)

/** An address may carry a key, so no message repeats it. */
const url = (example: string) =>
  text(
    (value) => {
      if (!URL.canParse(value)) refuse(`is not a URL: write for example '${example}'.`)
      const { protocol } = new URL(value)
      if (protocol !== 'http:' && protocol !== 'https:')
        refuse(`begins with ${protocol.slice(0, 16)}//: write an http:// or https:// URL.`)
    },
    { example, format: 'uri' },
  )

const symbol = /^[A-Za-z][A-Za-z0-9.+-]{0,15}$/

const slug = (example: string) =>
  text(
    (value) => {
      if (!/^[a-z0-9][a-z0-9_-]{0,63}$/.test(value))
        refuse(
          `'${value.slice(0, 64)}' is not a name: use lower-case letters, digits, - and _, such as '${example}'.`,
        )
    },
    { example },
  )

const duration = ({ min, max, example }: { min: string; max: string; example: string }) =>
  text(
    (value) => {
      const milliseconds = parseDuration(value)
      if (milliseconds < parseDuration(min) || milliseconds > parseDuration(max))
        refuse(`${value} is out of range: write a duration from ${min} to ${max}.`)
    },
    { example },
  )

/** For what the chain or the service counts in seconds. */
const wholeSeconds = (range: { min: string; max: string; example: string }) =>
  duration(range).superRefine((value, context) => {
    if (value.endsWith('ms'))
      context.addIssue({
        code: 'custom',
        message: `'${value}' is not in whole seconds: write for example '${range.example}'.`,
      })
  })

const bps = (example: string) => text(parseBps, { example })

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
    wrapsNative: z
      .boolean({ error: ({ input }) => `is ${kindOf(input)}: write true or false.` })
      .default(false),
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

const symbolText = text(
  (value) => {
    if (!symbol.test(value))
      refuse(`'${value.slice(0, 32)}' is not a token symbol: write for example 'WETH'.`)
  },
  { example: 'WETH' },
)

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
    strategies: list(strategy, '[{ name: …, use: …, params: { … } }]').default([]),
    database: database.default('sqlite:./ballast.db'),
    dashboard: section(
      {
        host: text(
          (value) => {
            if (!/^[A-Za-z0-9.:_-]{1,253}$/.test(value))
              refuse(`'${value.slice(0, 64)}' is not a host: write for example '127.0.0.1'.`)
          },
          { example: '127.0.0.1' },
        ).default('127.0.0.1'),
        port: integer({ min: 0, max: 65_535, example: '8787' }).default('8787'),
      },
      '{ host: 127.0.0.1, port: 8787 }',
    ).prefault({}),
    logLevel: choice(
      ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'],
      'info',
    ).default('info'),
  },
  'chain, service, tokens, wallet and policy',
)

/** The file after defaults: still text, but right. */
export type FileText = z.output<typeof fileSchema>
