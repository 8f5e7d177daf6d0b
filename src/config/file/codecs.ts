import { z } from 'zod'
import { parseBps } from '../../core/bps.ts'
import { formatDecimal } from '../../core/decimal.ts'
import { asWritten } from '../../core/display.ts'
import { parseLong, showDuration } from '../../core/duration.ts'
import { parseGasPrice } from '../../core/gasPrice.ts'
import { isTimeZone } from '../../core/isTimeZone.ts'
import { parseAddress } from '../../core/parseAddress.ts'
import { secretUrl } from '../../core/secret.ts'
import {
  choice,
  key,
  kindOf,
  matching,
  plain,
  reject,
  section,
  text,
  variableKey,
} from './field.ts'

/** Text and value of what configuration files are made of. Every refusal is one sentence with a cure. */

/** A whole number. YAML numbers arrive as text here; an editor sees a number. */
export function integer({ min, max, example }: { min: number; max: number; example: string }) {
  return integerOr([], { min, max, example })
}

/** The same, or one of a few words instead of it. */
export function integerOr<const word extends string>(
  words: readonly word[],
  { min, max, example }: { min: number; max: number; example: string },
) {
  const orWord = words.map((one) => `, or ${one}`).join('')
  return text(
    (value): number | word => {
      const found = words.find((one) => one === value)
      if (found !== undefined) return found
      if (!/^(?:0|-?[1-9]\d{0,15})$/.test(value))
        reject(
          `${asWritten(value)} is not a whole number${orWord}: write for example '${example}'.`,
        )
      const number = Number(value)
      if (number < min || number > max)
        reject(`${value} is out of range: write a whole number from ${min} to ${max}${orWord}.`)
      return number
    },
    {
      example,
      form: `A whole number from ${min} to ${max}${orWord}.`,
      encode: String,
      type: ['integer', 'string'],
      pattern: `^(?:${[String.raw`-?\d+`, ...words].join('|')})$`,
    },
  )
}

/** Gas of one transaction: from a plain transfer to the most that chains take since EIP-7825. */
export const gasLimit = integer({ min: 21_000, max: 16_777_216, example: '1500000' }).transform(
  BigInt,
)

export const addressExample = '0x5FbDB2315678afecb367f032d93F642f64180aa3'

export const addressText = text(parseAddress, {
  example: addressExample,
  form: 'An address: 0x and 40 hex digits, in quotes.',
  encode: (value) => value,
  pattern: '^0x[0-9a-fA-F]{40}$',
})

/** Bytes that a contract is known by, in lower case. */
export const hexBytes = (bytes: number, { noun, example }: { noun: string; example: string }) => {
  const digits = bytes * 2
  const pattern = `^0x[0-9a-fA-F]{${digits}}$`
  return text(
    (value) => {
      if (!new RegExp(pattern).test(value))
        reject(
          `'${value.slice(0, digits + 24)}' is not a ${noun}: write 0x and ${digits} hex digits, in quotes.`,
        )
      return value.toLowerCase() as `0x${string}`
    },
    {
      example,
      form: `A ${noun}: 0x and ${digits} hex digits, in quotes.`,
      encode: (value) => value,
      pattern,
    },
  )
}

export const strayPercent = 'has a % that encodes nothing: write %25 for the sign itself.'

export function isEncoded(text: string): boolean {
  try {
    decodeURIComponent(text)
    return true
  } catch {
    // It throws for nothing else.
    return false
  }
}

/** An address may carry a key, so no message repeats it. `cut` is what a writer may leave at its end. */
export const url = (example: string, { cut = /$/ }: { cut?: RegExp } = {}) =>
  text(
    (value) => {
      if (!URL.canParse(value)) reject(`is not a URL: write for example '${example}'.`)
      const { protocol, username, password } = new URL(value)
      if (protocol !== 'http:' && protocol !== 'https:')
        reject(`begins with ${protocol.slice(0, 16)}//: write an http:// or https:// URL.`)
      if (![username, password].every(isEncoded)) reject(strayPercent)
      return secretUrl(value.replace(cut, ''))
    },
    {
      example,
      form: 'A URL of http or https.',
      encode: (value) => value.reveal(),
      format: 'uri',
    },
  )

/** A quoting service. Documents of this API family give the address with the version, which the paths carry themselves. */
export const serviceUrl = url('http://127.0.0.1:8546', { cut: /\/v1\/?(?=$|\?)/ })

export const slug = (example: string) =>
  matching(
    /^[a-z0-9][a-z0-9_-]{0,63}$/,
    (text) =>
      `${asWritten(text)} is not a name: use lower-case letters, digits, - and _, such as '${example}'.`,
    { example, form: 'A name of lower-case letters, digits, - and _.' },
  )

type Range = { readonly min: string; readonly max: string; readonly example: string }

/** In milliseconds. */
export const duration = ({ min, max, example }: Range) =>
  text((value) => readDuration(value, { min, max }), {
    example,
    form: `A duration from ${min} to ${max}.`,
    encode: showDuration,
    pattern: String.raw`^\d{1,12} ?(ms|s|m|h|d)$`,
  })

/** In seconds: for what the chain or the service counts in them. */
export const wholeSeconds = ({ min, max, example }: Range) =>
  text(
    (value) => {
      const milliseconds = readDuration(value, { min, max })
      if (value.endsWith('ms'))
        reject(`'${value}' is not in whole seconds: write for example '${example}'.`)
      return milliseconds / 1_000
    },
    {
      example,
      form: `A duration of whole seconds, from ${min} to ${max}.`,
      encode: (seconds) => showDuration(seconds * 1_000),
      pattern: String.raw`^\d{1,12} ?(ms|s|m|h|d)$`,
    },
  )

function readDuration(value: string, { min, max }: { min: string; max: string }): number {
  const milliseconds = parseLong(value)
  if (milliseconds < parseLong(min) || milliseconds > parseLong(max))
    reject(`${value} is out of range: write a duration from ${min} to ${max}.`)
  return milliseconds
}

export const bpsText = (
  example: string,
  check: (bps: number, text: string) => void = () => undefined,
) =>
  text(
    (value) => {
      const share = parseBps(value)
      check(share, value)
      return share
    },
    {
      example,
      form: 'A share in basis points: 1 bps is 0.01 %.',
      encode: (share) => `${share} bps`,
      pattern: String.raw`^\d{1,9} ?bps$`,
    },
  )

/** In wei. */
export const gasPrice = text(parseGasPrice, {
  example: '200 gwei',
  form: 'A price in gwei or wei.',
  encode: (wei) => `${formatDecimal(wei, 9)} gwei`,
})

/** Refuses what is no symbol of a token. */
export function checkSymbol(value: string, example = 'WETH'): void {
  if (!/^[A-Za-z][A-Za-z0-9.+-]{0,15}$/.test(value))
    reject(`${asWritten(value)} is not a token symbol: write for example '${example}'.`)
}

const symbolForm = 'A symbol of up to 16 letters, digits, points, + and -.'

export const symbolText = plain((value) => checkSymbol(value), {
  example: 'WETH',
  form: symbolForm,
})

/** The chain's own, which is no token with an address. */
export const currencyText = plain((value) => checkSymbol(value, 'ETH'), {
  example: 'ETH',
  form: symbolForm,
})

const host = matching(
  /^[A-Za-z0-9.:_-]{1,253}$/,
  (text) => `${asWritten(text)} is not a host: write for example '127.0.0.1'.`,
  { example: '127.0.0.1', form: 'A name or an IP address.' },
)

export const yesOrNo = z.boolean({
  error: ({ input }) => `is ${kindOf(input)}: write true or false.`,
})

/** Stands in a section with addresses, and counts for the sections inside it too. */
export const insecure = key(
  yesOrNo.optional(),
  'Allows plain http to another machine, where the network between is yours: keys and answers travel in the clear.',
)

export const logLevel = choice(
  ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'],
  'info',
).prefault('info')

/** Where a server of ours listens: on this machine alone, unless the file names another host. */
export const listenKeys = (port: string) => ({
  host: key(host.prefault('127.0.0.1'), 'The address it listens at.'),
  port: key(
    integer({ min: 0, max: 65_535, example: port }).prefault(port),
    'The port it listens at; 0 takes any that is free.',
  ),
})

export const listenAt = (port: string) =>
  section(listenKeys(port), `{ host: 127.0.0.1, port: ${port} }`).prefault({})

/** Makes the path absolute: it is relative to the file it is written in. */
export const filePath = (example: string, beside: (path: string) => string) =>
  text(
    (value) => {
      if (value === '') reject(`is empty: write a path, such as '${example}'.`)
      return beside(value)
    },
    { example, form: 'A path, relative to this file.', encode: (path) => path },
  )

/** Of `sun_path`, which has 108 bytes on Linux and 104 elsewhere, without the end of the text. */
const socketBytesMax = process.platform === 'linux' ? 107 : 103

/** A Unix socket. */
export const socketPath = (example: string, beside: (path: string) => string) =>
  text(
    (value) => {
      if (value === '') reject(`is empty: write a path, such as '${example}'.`)
      const path = beside(value)
      const bytes = Buffer.byteLength(path)
      if (bytes > socketBytesMax)
        reject(
          `is ${bytes} bytes long from the root on, and a socket may have ${socketBytesMax} here: write a shorter path.`,
        )
      return path
    },
    { example, form: 'A path, relative to this file.', encode: (path) => path },
  )

export const chainId = integer({ min: 1, max: Number.MAX_SAFE_INTEGER, example: '1' })

/** The node of a service of ours; `variables` stand over its address. */
export const nodeKeys = (variables: readonly string[]) => ({
  chainId: key(chainId, 'The id of the chain. A node of another chain is refused.'),
  rpcUrl: variableKey(
    variables,
    url('http://127.0.0.1:8545'),
    'The node. An address with a key belongs in the environment.',
  ),
  insecure,
  blockTime: key(
    wholeSeconds({ min: '1s', max: '1h', example: '12s' }).prefault('12s'),
    'How long a block takes.',
    'blockTimeSeconds',
  ),
})

/** A token as every file describes one. */
export const tokenKeys = ({ decimalsMax }: { decimalsMax: number }) => ({
  address: key(addressText, 'The contract of the token.'),
  decimals: key(
    integer({ min: 0, max: decimalsMax, example: '18' }),
    'How many decimals the token has.',
  ),
})

export const wrapsNative = key(
  yesOrNo.prefault(false),
  "Whether it wraps the chain's own currency. Exactly one token does.",
)

export const tokenExample = `{ address: "${addressExample}", decimals: 18 }`

/** An IANA time zone. */
export const timeZoneName = matching(
  /^[A-Za-z]/,
  (written) =>
    `${asWritten(written)} is not a time zone: write its IANA name, such as 'Europe/Berlin'.`,
  { example: 'Europe/Berlin', form: 'A time zone by its IANA name.' },
).refine(isTimeZone, {
  error: ({ input }) =>
    `${asWritten(String(input))} is not a time zone: write its IANA name, such as 'Europe/Berlin'.`,
})
