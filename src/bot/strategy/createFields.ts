import { CronExpressionParser } from 'cron-parser'
import { z } from 'zod'
import type { Amount } from '../../core/amount.ts'
import { parseAmount, tokenOf } from '../../core/amountText.ts'
import { parseBps } from '../../core/bps.ts'
import { parseDecimal } from '../../core/decimal.ts'
import { parseDuration } from '../../core/duration.ts'
import { BallastError } from '../../core/errors.ts'
import { nearest } from '../../core/nearest.ts'
import type { Price } from '../../core/price.ts'
import { isNative, sameToken, type Token } from '../../core/token.ts'
import type { Fields, Votes, Weight, WrittenPrice } from './fields.ts'

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
  const amount = field((text) => parseAmount(text, bySymbol))
  const token = field((text) => tokenOf(text, bySymbol))

  const fields = {
    amount,
    token,
    amounts: field((text) => text.split(',').map((one) => parseAmount(one.trim(), bySymbol))),
    pairs: field((text) => text.split(',').map((one) => readPair(one.trim(), bySymbol))),
    price: field((text) => readPrice(text, bySymbol)),
    seconds: field(readSeconds),
    bps: field(parseBps),
    share: field(readShare),
    weights: weightsOf(token),
    count: field(readCount),
    factor: field(readFactor),
    choice: (...words: readonly string[]) => field((text) => readChoice(text, words)),
    instant: field(readInstant),
    missed: field(readMissed),
    votes: field(readVotes),
    cron: field(readCron),
    timeZone: field(readTimeZone),
    optional: (inner: z.ZodType) => inner.optional(),
    object: closed,
    trade: (shape: z.ZodRawShape) =>
      closed({ ...shape, sell: amount, buy: token }).transform((values, context) =>
        inOneDirection(values as Trade, context),
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
  // What `object` and `trade` return depends on the shape in a way only their declared types can say.
  return Object.freeze(fields) as unknown as Fields
}

/** These keys and no others; a stranger is told which there are. */
function closed(shape: z.ZodRawShape) {
  const known = Object.keys(shape).join(', ')
  return z.strictObject(shape, {
    error: ({ code }) =>
      code === 'unrecognized_keys' ? `is not a known key; known keys are ${known}.` : undefined,
  })
}

/** A schema from a reader of text that refuses with a sentence. */
function field<value>(read: (text: string) => value): z.ZodType<value> {
  return z.unknown().transform((raw, context): value => {
    try {
      if (typeof raw === 'string') return read(raw)
      context.addIssue(raw === undefined ? 'is missing' : 'must be one line of text')
    } catch (error) {
      if (!(error instanceof BallastError)) throw error
      context.addIssue(error.summary)
    }
    return z.NEVER
  })
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
  const share = field(readShare)
  return z
    .record(z.string(), z.unknown(), {
      error: () => 'must be a share for each token, such as { WETH: 60 %, USDC: 40 % }',
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
      if (weights.length < 2) context.addIssue('names fewer than two tokens')
      else if (whole !== 10_000) context.addIssue(`makes up ${whole / 100} %, not 100 %`)
      return weights
    })
}

function readCount(text: string): number {
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text)
  throw refusal(`'${text.slice(0, 32)}' is not a whole number of at least one.`)
}

function readFactor(text: string): number {
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

type Trade = { readonly sell: Amount; readonly buy: Token }

function inOneDirection(
  values: Trade & Readonly<Record<string, unknown>>,
  context: z.RefinementCtx,
): unknown {
  const { sell, buy } = values
  const complain = (key: string, message: string) =>
    context.addIssue({ code: 'custom', message, path: [key] })

  if (sell.wei === 0n) complain('sell', 'is nothing: sell more than zero.')
  if (sameToken(sell.token, buy)) complain('buy', `buys ${buy.symbol}, which is what it sells.`)

  return Object.fromEntries(
    Object.entries(values).map(([key, value]) => {
      if (!isWrittenPrice(value)) return [key, value]
      const price = priceOf(value, { sold: sell.token, bought: buy })
      if (price === undefined) complain(key, misfit(value, { sold: sell.token, bought: buy }))
      return [key, price]
    }),
  )
}

function isWrittenPrice(value: unknown): value is WrittenPrice {
  return typeof value === 'object' && value !== null && 'units' in value && 'per' in value
}

type Pair = { readonly sold: Token; readonly bought: Token }

/** The price of selling `sold` for `bought`; undefined when the written one is of other tokens. */
function priceOf(
  { units, scale, token, per }: WrittenPrice,
  { sold, bought }: Pair,
): Price | undefined {
  // Decimals beyond the token's own are carried by the other side, so that nothing is cut.
  const one = (of: Token) => 10n ** BigInt(of.decimals + scale - token.decimals)
  if (sameToken(token, bought) && (per === undefined || sameToken(per, sold)))
    return { sold: { token: sold, wei: one(sold) }, bought: { token: bought, wei: units } }
  if (per !== undefined && sameToken(token, sold) && sameToken(per, bought))
    return { sold: { token: sold, wei: units }, bought: { token: bought, wei: one(bought) } }
  return undefined
}

function misfit({ token, per }: WrittenPrice, { sold, bought }: Pair): string {
  const written = per === undefined ? token.symbol : `${token.symbol} per ${per.symbol}`
  const wrapped = [token, per].some((it) => it !== undefined && isNative(it))
    ? ' The native token and its wrapped form are two tokens.'
    : ''
  return `is in ${written}, but it sells ${sold.symbol} for ${bought.symbol}: write it in '${bought.symbol} per ${sold.symbol}' or '${sold.symbol} per ${bought.symbol}'.${wrapped}`
}

function refusal(summary: string): BallastError {
  return new BallastError(summary, { code: 'CONFIG_INVALID', remedy: 'halt', fault: 'usage' })
}
