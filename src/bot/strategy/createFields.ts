import { CronExpressionParser } from 'cron-parser'
import { z } from 'zod'
import { parseAmount, tokenOf } from '../../core/amount.ts'
import { parseBps } from '../../core/bps.ts'
import { parseDecimal } from '../../core/decimal.ts'
import { parseDuration } from '../../core/duration.ts'
import { BallastError, ballastError } from '../../core/errors.ts'
import { nearest } from '../../core/nearest.ts'
import { sameToken, type Token } from '../../core/token.ts'
import type { Fields, Votes, Weight, WrittenPrice } from './fields.ts'
import { inOneDirection } from './inOneDirection.ts'
import { type Told, told } from './told.ts'

/** A price has fewer; a longer one is a slip of the keyboard. */
const decimalsMax = 36

/** Each is kept with every decision; longer memories are for averages, not for confirming. */
const votesMax = 32

/** The fields of one configuration: amounts and tokens are read with the tokens it declares. */
export function createFields({
  bySymbol,
}: {
  readonly bySymbol: ReadonlyMap<string, Token>
}): Fields {
  const amount = field((text) => parseAmount(text, bySymbol), told.amount)
  const token = field((text) => tokenOf(text, bySymbol), told.token)

  const fields = {
    amount,
    token,
    amounts: field(
      listOf((one) => parseAmount(one, bySymbol)),
      told.amounts,
    ),
    pairs: field(
      listOf((one) => readPair(one, bySymbol)),
      told.pairs,
    ),
    price: field((text) => readPrice(text, bySymbol), told.price),
    seconds: field(readSeconds, told.seconds),
    bps: field(parseBps, told.bps),
    share: field(readShare, told.share),
    weights: weightsOf(token),
    count: field(readCount, told.count),
    factor: field(readFactor, told.factor),
    choice: (...words: readonly string[]) =>
      field((text) => readChoice(text, words), {
        description: `One of ${words.join(', ')}.`,
        examples: words.slice(0, 1),
        enum: words,
      }),
    instant: field(readInstant, told.instant),
    missed: field(readMissed, told.missed),
    votes: field(readVotes, told.votes),
    cron: field(readCron, told.cron),
    timeZone: field(readTimeZone, told.timeZone),
    optional: (inner: z.ZodType) => inner.optional(),
    object: closed,
    trade: (shape: z.ZodRawShape) =>
      closed({
        sell: amount.describe('What one swap sells.'),
        buy: token.describe('What it buys.'),
        ...shape,
      }).transform((values, context) =>
        inOneDirection(values as Parameters<typeof inOneDirection>[0], context),
      ),
    check: (
      schema: z.ZodType<Readonly<Record<string, unknown>>>,
      rules: Readonly<Record<string, (params: unknown) => string | undefined>>,
    ) =>
      schema.superRefine((params, context) => {
        for (const [key, rule] of Object.entries(rules)) {
          const message = rule(params)
          if (message !== undefined) context.addIssue({ code: 'custom', message, path: [key] })
        }
      }),
  }
  // The results of `object` and `trade` depend on the shape in a way only their declared types can express.
  return Object.freeze(fields) as unknown as Fields
}

/** These keys and no others; the refusal of an unknown key lists them. */
function closed(shape: z.ZodRawShape) {
  const known = Object.keys(shape).join(', ')
  return z.strictObject(shape, {
    error: ({ code }) =>
      code === 'unrecognized_keys' ? `is not a known key; known keys are ${known}.` : undefined,
  })
}

/** Several, with commas between. */
const listOf =
  <item>(read: (text: string) => item) =>
  (text: string) =>
    text.split(',').map((one) => read(one.trim()))

/** A schema from a reader of text that refuses with a sentence. */
function field<value>(read: (text: string) => value, about: Told): z.ZodType<value> {
  const such = `write for example '${about.examples[0]}'.`
  return z
    .unknown()
    .transform((raw, context): value => {
      try {
        if (typeof raw === 'string') return read(raw)
        context.addIssue(
          raw === undefined ? `is missing: ${such}` : `must be one line of text: ${such}`,
        )
      } catch (error) {
        if (!(error instanceof BallastError)) throw error
        context.addIssue(error.summary)
      }
      return z.NEVER
    })
    .meta({ type: 'string', ...about, examples: [...about.examples] })
}

function readPrice(text: string, bySymbol: ReadonlyMap<string, Token>): WrittenPrice {
  const match = /^(\d+(?:\.(\d+))?) ([^\s\d]\S*)(?: per ([^\s\d]\S*))?$/.exec(text)
  if (match === null)
    throw refusal(
      `'${text.slice(0, 64)}' is not a price: write what one unit brings, such as '2950 USDC' or '2950 USDC per WETH'.`,
    )
  const [, decimal = '', fraction = '', symbol = '', perSymbol] = match
  if (fraction.length > decimalsMax)
    throw refusal(`'${text.slice(0, 64)}…' has more than ${decimalsMax} decimals.`)
  const token = tokenOf(symbol, bySymbol)
  const per = perSymbol === undefined ? undefined : tokenOf(perSymbol, bySymbol)
  const scale = Math.max(fraction.length, token.decimals)
  const units = parseDecimal(decimal, scale)
  if (units === 0n) throw refusal('a price of zero would sell for nothing.')
  return { units, scale, token, per }
}

function readPair(text: string, bySymbol: ReadonlyMap<string, Token>): readonly [Token, Token] {
  const [one, other, ...more] = text.split('/')
  if (one === undefined || other === undefined || more.length > 0)
    throw refusal(`'${text.slice(0, 64)}' is not a pair: write two tokens, such as WETH/WBTC.`)
  const pair = [tokenOf(one, bySymbol), tokenOf(other, bySymbol)] as const
  if (sameToken(...pair)) throw refusal(`'${text.slice(0, 64)}' is one token twice.`)
  return pair
}

function readSeconds(text: string): number {
  const milliseconds = parseDuration(text)
  if (milliseconds === 0 || milliseconds % 1_000 !== 0)
    throw refusal(`'${text}' is not a whole number of seconds of at least one.`)
  return milliseconds / 1_000
}

function readCron(text: string): string {
  const parts = text.trim().split(/\s+/)
  // `H` is a minute cron-parser picks at random: a slot that moves with every start is no slot.
  const random = parts.some((part) => part.split(/[,/-]/).some((word) => /^H(?:\(|$)/i.test(word)))
  if (parts.length !== 5 || random)
    throw refusal(
      `'${text.slice(0, 64)}' is not a schedule: write minute, hour, day of month, month and day of week, such as '0 9 * * *'.`,
    )
  try {
    // The date is any fixed one: whether a slot exists at all does not depend on today.
    CronExpressionParser.parse(text, { tz: 'UTC', currentDate: 0 }).next()
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : 'unknown'
    throw refusal(`'${text.slice(0, 64)}' is not a schedule: ${reason}.`)
  }
  return parts.join(' ')
}

function readTimeZone(text: string): string {
  // Intl also takes offsets such as +02:00, which know no summer time.
  const zone = /^[A-Za-z]/.test(text) ? canonicalZone(text) : undefined
  // The only zone whose summer time is half an hour: cron-parser 5.10.5 gives up on some of its nights.
  if (zone === 'Australia/Lord_Howe')
    throw refusal(`'${text}' changes its clocks by half an hour, which is not supported.`)
  if (zone !== undefined) return text
  throw refusal(
    `'${text.slice(0, 64)}' is not a time zone: write its IANA name, such as 'Europe/Berlin' or 'UTC'.`,
  )
}

function canonicalZone(name: string): string | undefined {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone
  } catch {
    return undefined
  }
}

/** Percents are what weights are written in; bps are taken as well. */
function readShare(text: string): number {
  const match = /^(\d{1,3})(?:\.(\d{1,2}))? ?%$/.exec(text)
  if (match === null) return parseBps(text)
  const bps = Number(match[1]) * 100 + Number((match[2] ?? '').padEnd(2, '0'))
  if (bps > 10_000) throw refusal(`'${text}' is more than everything.`)
  return bps
}

function weightsOf(token: z.ZodType<Token>) {
  const example = { WETH: '60 %', USDC: '40 %' }
  const share = field(readShare, { description: 'Its share.', examples: ['60 %'] })
  return z
    .record(z.string(), z.unknown(), {
      error: ({ input }) =>
        input === undefined
          ? 'is missing: write for example { WETH: 60 %, USDC: 40 % }.'
          : 'must be a share for each token: write for example { WETH: 60 %, USDC: 40 % }.',
    })
    .transform((shares, context): readonly Weight[] => {
      const weights = Object.entries(shares).flatMap(([symbol, written]): Weight[] => {
        const [named, part] = [token.safeParse(symbol), share.safeParse(written)]
        for (const { error } of [named, part])
          for (const { message } of error?.issues ?? [])
            context.addIssue({ code: 'custom', message, path: [symbol] })
        return named.success && part.success ? [{ token: named.data, bps: part.data }] : []
      })
      const whole = weights.reduce((sum, { bps }) => sum + bps, 0)
      if (weights.length < Object.keys(shares).length) return z.NEVER
      if (weights.length < 2) context.addIssue('names fewer than two tokens: add another.')
      else if (whole !== 10_000)
        context.addIssue(`makes up ${whole / 100} %: change the shares until they make up 100 %.`)
      return weights
    })
    .meta({
      description: 'How much of the whole each token is to be.',
      examples: [example],
      minProperties: 2,
      additionalProperties: { type: 'string', examples: ['60 %'] },
    })
}

function readCount(text: string): number {
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text)
  throw refusal(
    `'${text.slice(0, 32)}' is not a whole number of at least one: write for example '3'.`,
  )
}

function readFactor(text: string): number {
  if (!/^\d{1,12}(?:\.\d{1,4})?$/.test(text))
    throw refusal(
      `'${text.slice(0, 32)}' is not a plain number of at most four decimals: write for example '1.5'.`,
    )
  const units = Number(parseDecimal(text, 4))
  if (units <= 1_000_000_000) return units
  throw refusal(`'${text.slice(0, 32)}' is more than a hundred thousand.`)
}

function readChoice(text: string, words: readonly string[]): string {
  if (words.includes(text)) return text
  const meant = nearest(text, words)
  const hint = meant === undefined ? '' : ` Did you mean ${meant}?`
  throw refusal(`'${text.slice(0, 32)}' is not one of ${words.join(', ')}.${hint}`)
}

function readInstant(text: string): number {
  const form = /^\d{4}-\d{2}-\d{2}(?:T\d{2}:\d{2}(?::\d{2})?(?:Z|[+-]\d{2}:\d{2}))?$/
  const at = form.test(text) ? Date.parse(text) : Number.NaN
  // Date rolls the 31st of a short month over into the next.
  const day = new Date(`${text.slice(0, 10)}T00:00:00Z`)
  const rolled = Number.isNaN(day.getTime()) || day.toISOString().slice(0, 10) !== text.slice(0, 10)
  if (!Number.isNaN(at) && !rolled) return at
  throw refusal(
    `'${text.slice(0, 40)}' is not an instant: write '2026-12-31' for midnight UTC, or '2026-12-31T09:00:00+01:00'.`,
  )
}

function readMissed(text: string): number {
  if (text === 'skip') return 0
  if (text === 'once') return 1
  const some = /^up to ([1-9]\d?)$/.exec(text)?.[1]
  if (some !== undefined) return Number(some)
  throw refusal(`'${text.slice(0, 32)}' is not one of skip, once, or 'up to 3'.`)
}

function readVotes(text: string): Votes {
  const [, need = 0, of = 0] = (/^(\d{1,2}) of (\d{1,2})$/.exec(text) ?? []).map(Number)
  if (need >= 1 && need <= of && of <= votesMax) return { need, of }
  throw refusal(
    `'${text.slice(0, 32)}' is not so many of the last so many: write '2 of 3', of at most ${votesMax}.`,
  )
}

function refusal(summary: string): BallastError {
  return ballastError('CONFIG_INVALID', summary)
}
