import { getAddress } from 'viem/utils'
import { z } from 'zod'
import { parseBps } from '../core/bps.ts'
import { parseDuration } from '../core/duration.ts'
import { BallastError } from '../core/errors.ts'
import { nativeAddress, sameAddress } from '../core/token.ts'

/** What configuration files are made of: text with its unit, and sections of it. Every refusal is one sentence with a cure. */

type Check = (text: string) => unknown

/** What a template says where only its reader knows. */
const blank = 'FILL IN'

/** Text that `check` can read; a BallastError it throws becomes the message. */
export function text(
  check: Check,
  { example, ...meta }: { example: string } & Record<string, unknown>,
) {
  return z
    .string({ error: ({ input }) => wrongKind(input, example) })
    .superRefine((value, context) => {
      if (value === blank) {
        context.addIssue({
          code: 'custom',
          message: `is not filled in yet: write for example ${quoted(example)}.`,
        })
        return
      }
      try {
        check(value)
      } catch (error) {
        if (!(error instanceof BallastError)) throw error
        context.addIssue({ code: 'custom', message: error.summary })
      }
    })
    .meta({ examples: [example], ...meta })
}

export function refuse(summary: string): never {
  throw new BallastError(summary, { code: 'CONFIG_INVALID', remedy: 'halt', fault: 'usage' })
}

export function wrongKind(input: unknown, example: string): string {
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

export function section<shape extends z.ZodRawShape>(shape: shape, example: string) {
  return z.strictObject(shape, {
    error: ({ code, input }) => (code === 'invalid_type' ? wrongKind(input, example) : undefined),
  })
}

export function list<item extends z.ZodType>(item: item, example: string) {
  return z.array(item, { error: ({ input }) => wrongKind(input, example) })
}

export function choice<const words extends readonly [string, ...string[]]>(
  words: words,
  example: string,
) {
  return z.enum(words, {
    error: ({ input }) =>
      input === undefined || typeof input !== 'string'
        ? wrongKind(input, example)
        : `is '${input.slice(0, 64)}': write one of ${words.join(', ')}.`,
  })
}

/** A whole number. YAML numbers arrive as text here; an editor sees a number. */
export function integer({ min, max, example }: { min: number; max: number; example: string }) {
  return text(
    (value) => {
      if (!/^(?:0|-?[1-9]\d{0,15})$/.test(value))
        refuse(`'${value.slice(0, 64)}' is not a whole number: write for example '${example}'.`)
      if (Number(value) < min || Number(value) > max)
        refuse(`${value} is out of range: write a whole number from ${min} to ${max}.`)
    },
    { example, type: ['integer', 'string'], pattern: String.raw`^-?\d+$` },
  )
}

export const addressExample = '0x5FbDB2315678afecb367f032d93F642f64180aa3'

export const address = text(
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

/** An address may carry a key, so no message repeats it. */
export const url = (example: string) =>
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

export const slug = (example: string) =>
  text(
    (value) => {
      if (!/^[a-z0-9][a-z0-9_-]{0,63}$/.test(value))
        refuse(
          `'${value.slice(0, 64)}' is not a name: use lower-case letters, digits, - and _, such as '${example}'.`,
        )
    },
    { example },
  )

export const duration = ({ min, max, example }: { min: string; max: string; example: string }) =>
  text(
    (value) => {
      const milliseconds = parseDuration(value)
      if (milliseconds < parseDuration(min) || milliseconds > parseDuration(max))
        refuse(`${value} is out of range: write a duration from ${min} to ${max}.`)
    },
    { example, pattern: String.raw`^\d{1,12} ?(ms|s|m|h|d)$` },
  )

/** For what the chain or the service counts in seconds. */
export const wholeSeconds = (range: { min: string; max: string; example: string }) =>
  duration(range).superRefine((value, context) => {
    if (value.endsWith('ms'))
      context.addIssue({
        code: 'custom',
        message: `'${value}' is not in whole seconds: write for example '${range.example}'.`,
      })
  })

export const bps = (example: string) =>
  text(parseBps, { example, pattern: String.raw`^\d{1,9} ?bps$` })

/** An amount and its token; which tokens there are is known to whoever checks the sections together. */
export const amount = (example: string) =>
  text(() => undefined, { example, pattern: String.raw`^\d+(\.\d+)? [^\s\d]\S{0,31}$` })

const symbolSuchAs = (example: string) =>
  text(
    (value) => {
      if (!symbol.test(value))
        refuse(`'${value.slice(0, 32)}' is not a token symbol: write for example '${example}'.`)
    },
    { example },
  )

export const symbolText = symbolSuchAs('WETH')

/** The chain's own, which is no token with an address. */
export const currencyText = symbolSuchAs('ETH')

const host = text(
  (value) => {
    if (!/^[A-Za-z0-9.:_-]{1,253}$/.test(value))
      refuse(`'${value.slice(0, 64)}' is not a host: write for example '127.0.0.1'.`)
  },
  { example: '127.0.0.1' },
)

export const yesOrNo = z.boolean({
  error: ({ input }) => `is ${kindOf(input)}: write true or false.`,
})

export const logLevel = choice(
  ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'],
  'info',
).default('info')

/** Where a server of ours listens: this machine alone, unless told otherwise. */
export const listenAt = (port: string) =>
  section(
    {
      host: host.default('127.0.0.1'),
      port: integer({ min: 0, max: 65_535, example: port }).default(port),
    },
    `{ host: 127.0.0.1, port: ${port} }`,
  ).prefault({})

/** Relative to the file it is written in. */
export const filePath = (example: string) =>
  text(
    (value) => {
      if (value === '') refuse(`is empty: write a path, such as '${example}'.`)
    },
    { example },
  )
