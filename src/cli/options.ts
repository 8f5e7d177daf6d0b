import { addressField } from '../api/fields.ts'
import { asWritten, display } from '../core/display.ts'
import { ballastError, usageError } from '../core/errors.ts'
import { isDay } from '../core/isDay.ts'
import { didYouMean } from '../core/nearest.ts'
import type { Address } from '../core/token.ts'

/** An option as commander writes it: `--firm` is a switch, `--sell <amount>` takes a value, `--strategy <name...>` several. */
export type OptionSpec = {
  readonly flags: string
  readonly summary: string
  readonly required?: boolean
  /** Reads the value; throws a BallastError of fault `usage`. Without it the value stays text. */
  readonly read?: { (text: string): unknown; readonly words?: readonly string[] }
}

/** Options by the camel-case name of their long flag: `--slippage-bps <n>` is `slippageBps`. */
export type OptionSpecs = Readonly<Record<string, OptionSpec>>

type ValueOf<spec extends OptionSpec> = spec extends {
  readonly read: (text: string) => infer value
}
  ? Presence<spec, value>
  : spec['flags'] extends `${string}...>`
    ? Presence<spec, readonly string[]>
    : spec['flags'] extends `${string}<${string}`
      ? Presence<spec, string>
      : boolean

type Presence<spec extends OptionSpec, value> = spec extends { readonly required: true }
  ? value
  : value | undefined

export type OptionValues<specs extends OptionSpecs> = {
  readonly [name in keyof specs]: ValueOf<specs[name]>
}

/** Which journal is read or locked: that of runs on paper instead of the live one. The frame applies it. */
export const paperOption = {
  flags: '--paper',
  summary: 'the journal of `ballast run --paper` instead of the live one',
} as const

/** Refuses a `--since` that is not before `--until`; milliseconds since the epoch. */
export function assertInOrder({
  since,
  until,
}: {
  readonly since?: unknown
  readonly until?: unknown
}): void {
  if (typeof since === 'number' && typeof until === 'number' && since >= until)
    throw usageError('--since is not before --until: nothing can be between them.')
}

/** Reads an option that counts something. */
export function wholeNumber({ name, min, max }: { name: string; min: number; max: number }) {
  return (text: string): number => {
    const value = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN
    if (value >= min && value <= max) return value
    throw usageError(`${name} takes a whole number from ${min} to ${max}, not ${asWritten(text)}.`)
  }
}

/** Reads an option that takes one of a few words. */
export function oneOf<word extends string>(name: string, words: readonly word[]) {
  const read = (text: string): word => {
    const found = words.find((one) => one === text)
    if (found !== undefined) return found
    throw usageError(
      `${name} takes one of ${words.join(', ')}, not '${display(text, 32)}'.${didYouMean(text, words)}`,
    )
  }
  // A shell completes them.
  return Object.assign(read, { words })
}

/** Reads an option that is an address; one with letters of both cases must carry a correct checksum. */
export const readAddress =
  (name: string) =>
  (text: string): Address => {
    const parsed = addressField.safeParse(text)
    if (parsed.success) return parsed.data
    throw ballastError(
      'NOT_AN_ADDRESS',
      `${name}: ${asWritten(text)} ${parsed.error.issues[0]?.message ?? 'is not an address'}.`,
    )
  }

/** Reads an option that is an instant: `2026-11-20` is midnight UTC. Milliseconds since the epoch. */
export function readInstant(name: string) {
  return (text: string): number => {
    const form =
      /^(\d{4}-\d{2}-\d{2})(?:T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,3})?)?(?:Z|[+-]\d{2}:\d{2}))?$/
    const day = form.exec(text)?.[1]
    const at = day === undefined ? Number.NaN : Date.parse(text)
    if (!Number.isNaN(at) && day !== undefined && isDay(day)) return at
    throw usageError(
      `${name} takes an instant such as 2026-11-20 (midnight UTC) or 2026-11-20T09:00:00Z, not '${display(text, 40)}'.`,
    )
  }
}

/** Reads `1%` or `0.5 %` as 0.01 or 0.005. */
export function readShare(name: string) {
  return (text: string): number => {
    const match = /^(\d{1,3}(?:\.\d{1,4})?) ?%$/.exec(text)
    const percent = match === null ? Number.NaN : Number(match[1])
    if (percent <= 100) return percent / 100
    throw usageError(`${name} takes a share from 0% to 100%, such as 1%, not ${asWritten(text)}.`)
  }
}

const bytesPer = { MB: 1024 ** 2, GB: 1024 ** 3 } as const

/** Reads `500MB` or `5 GB` as bytes. */
export function readSize(text: string): number {
  const match = /^([1-9]\d{0,5}) ?(MB|GB)$/.exec(text)
  if (match !== null) return Number(match[1]) * bytesPer[match[2] as keyof typeof bytesPer]
  throw usageError(
    `${asWritten(text)} is not a size: write a whole number and its unit, such as 500MB or 5GB.`,
  )
}

/** Reads `WETH/USDC` as its two symbols. */
export function readPair(text: string): readonly [base: string, quote: string] {
  const [base = '', quote = '', more] = text.split('/')
  if (base !== '' && quote !== '' && more === undefined) return [base, quote]
  throw usageError(`${asWritten(text)} is not a pair: write two tokens, such as WETH/USDC.`)
}
