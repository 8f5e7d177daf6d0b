import { z } from 'zod'
import { type Amount, parseAmount, tokenOf } from '../../core/amount.ts'
import { parseBps } from '../../core/bps.ts'
import { showDuration } from '../../core/duration.ts'
import { BallastError } from '../../core/errors.ts'
import { parseAddress } from '../../core/parseAddress.ts'
import { type Address, sameToken, type Token } from '../../core/token.ts'
import { readPrice } from '../../core/writtenPrice.ts'
import { type Fields, type Kind, type ParamDoc, paramNotes, type Weight } from './fields.ts'
import { inOneDirection } from './inOneDirection.ts'
import {
  parseInstant,
  parsePair,
  parseShare,
  readChoice,
  readCount,
  readCron,
  readFactor,
  readMissed,
  readSeconds,
  readTimeZone,
  readVotes,
} from './readText.ts'

type Params = Readonly<Record<string, unknown>>

/** A kind of text: its reader, its words in JSON Schema, and how a value and a wrong one are described. */
type TextKind<value> = Partial<Kind> & {
  readonly read: (text: string) => value
  readonly description: string
  /** A template is filled with it where the key has none of its own, and a refusal suggests it. */
  readonly example: string
  readonly json?: Readonly<Record<string, unknown>>
}

/** A tenth, in bps. */
const toleranceMax = 1_000

const showBps = (bps: unknown) => `${bps} bps`
const showShare = (bps: unknown) => `${Number(bps) / 100} %`

const bps = {
  read: parseBps,
  show: showBps,
  description: 'A share in basis points: 1 bps is 0.01 %.',
  example: '25 bps',
  json: { pattern: String.raw`^\d{1,9} ?bps$` },
}

/** The kinds that need no tokens. */
const plainFields = {
  seconds: textField({
    read: readSeconds,
    show: (seconds) => showDuration(Number(seconds) * 1_000),
    description: 'A duration of whole seconds.',
    example: '1h',
    json: { pattern: String.raw`^\d{1,12} ?(ms|s|m|h|d)$` },
  }),
  bps: textField(bps),
  tolerance: textField({
    ...bps,
    rule: (value) =>
      Number(value) <= toleranceMax ? undefined : `is more than ${showBps(toleranceMax)}.`,
  }),
  share: textField({
    read: parseShare,
    show: showShare,
    description: 'A share of the whole.',
    example: '10 %',
    json: { pattern: String.raw`^\d{1,3}(\.\d{1,2})? ?%$|^\d{1,9} ?bps$` },
  }),
  count: textField({
    read: readCount,
    description: 'A whole number, at least one.',
    example: '3',
    json: { type: ['integer', 'string'], pattern: String.raw`^[1-9]\d{0,8}$` },
  }),
  factor: textField({
    read: readFactor,
    show: (factor) => `${Number(factor) / 10_000}`,
    description: 'A plain number of at most four decimals.',
    example: '1.5',
    json: { type: ['number', 'string'], pattern: String.raw`^\d{1,12}(\.\d{1,4})?$` },
  }),
  choice: (...words: readonly [string, ...string[]]) =>
    textField({
      read: (text) => readChoice(text, words),
      description: `One of ${words.join(', ')}.`,
      example: words[0],
      json: { enum: words },
    }),
  instant: textField({
    read: parseInstant,
    description: 'A day, from midnight UTC, or an instant with its offset.',
    example: '2026-12-31',
    json: {
      pattern: String.raw`^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(:\d{2}(\.\d{1,3})?)?(Z|[+-]\d{2}:\d{2}))?$`,
    },
  }),
  missed: textField({
    read: readMissed,
    description: 'What becomes of missed slots: skip, once, or up to a number of them.',
    example: 'skip',
    json: { pattern: String.raw`^(skip|once|up to [1-9]\d?)$` },
  }),
  votes: textField({
    read: readVotes,
    description: 'So many of the last so many.',
    example: '2 of 3',
    json: { pattern: String.raw`^\d{1,2} of \d{1,2}$` },
  }),
  cron: textField({
    read: readCron,
    description: 'Minute, hour, day of month, month and day of week.',
    example: '0 9 * * *',
    json: { pattern: String.raw`^\s*(\S+\s+){4}\S+\s*$` },
  }),
  timeZone: textField({
    read: readTimeZone,
    description: 'A time zone by its IANA name.',
    example: 'Europe/Berlin',
  }),
}

/** The fields of one configuration: amounts and tokens are read with the tokens it declares. */
export function createFields({
  bySymbol,
}: {
  readonly bySymbol: ReadonlyMap<string, Token>
}): Fields {
  const readAmount = (text: string) => parseAmount(text, bySymbol)
  const amountKind = {
    read: readAmount,
    description: 'An amount and its token.',
    example: '1 WETH',
    json: { pattern: String.raw`^\d+(\.\d+)? [^\s\d]\S{0,31}$` },
  }
  const amount = textField(amountKind)
  const token = textField({
    read: (text) => tokenOf(text, bySymbol),
    description: 'A token, as tokens lists it.',
    example: 'USDC',
  })

  const fields = {
    token,
    amount,
    soldAmount: textField({ ...amountKind, rule: notSold }),
    amounts: textField({
      read: listOf(readAmount),
      description: 'Amounts of several tokens, with commas between.',
      example: '5 WETH, 1000 USDC',
    }),
    pairs: textField({
      read: listOf((one) => parsePair(one, bySymbol)),
      description: 'Pairs of tokens, with commas between.',
      example: 'WETH/USDC',
    }),
    price: textField({
      read: (text) => readPrice(text, bySymbol),
      description: 'A price: what one unit brings.',
      example: '2950 USDC',
      json: { pattern: String.raw`^\d+(\.\d+)? [^\s\d]\S*( per [^\s\d]\S*)?$` },
    }),
    weights: weightsOf(token),
    accounts: accountsField(),
    ...plainFields,
    required: documented,
    optional: (kind: z.ZodType, about?: ParamDoc<unknown>) => {
      const field = about === undefined ? kind : documented(kind, about)
      const optional = field.optional()
      const known = paramNotes.get(field)
      if (known !== undefined) paramNotes.add(optional, known)
      return optional
    },
    object: (shape: z.ZodRawShape) => withRules(closed(shape), shape),
    trade: (shape: z.ZodRawShape) => {
      const all = {
        sell: documented(amount, { doc: 'What one swap sells.' }),
        buy: documented(token, { doc: 'What it buys.' }),
        ...shape,
      }
      const values = closed(all).transform((written, context) =>
        inOneDirection(written as Parameters<typeof inOneDirection>[0], context),
      )
      return withRules(values as z.ZodType<Params>, all)
    },
    check: (
      schema: z.ZodType<Params>,
      rules: Readonly<Record<string, (params: Params) => string | undefined>>,
    ) => checked(schema, rules),
  }
  // What `object` and `trade` return depends on the shape in a way only their declared types can say.
  return Object.freeze(fields) as unknown as Fields
}

/** A copy of a kind with what its key means: two keys may share one kind. */
function documented(kind: z.ZodType, about: ParamDoc<unknown>): z.ZodType {
  const { description = '', examples } = z.globalRegistry.get(kind) ?? {}
  const field = kind.meta({
    description: `${about.doc} ${description}`.trim(),
    examples: about.example === undefined ? examples : [about.example],
  })
  const known = paramNotes.get(kind)?.kind ?? { show: String, rule: () => undefined }
  paramNotes.add(field, { kind: known, about })
  return field
}

/** Adds what the fields of a section say of their own values and of the mode of the strategy. */
function withRules(schema: z.ZodType<Params>, shape: z.ZodRawShape): z.ZodType<Params> {
  const keys = Object.keys(shape)
  const aboutOf = (key: string) => paramNotes.get(shape[key] as z.ZodType)?.about
  const mode = keys.find((key) => aboutOf(key)?.mode === true)
  const rules = keys.map((key) => {
    const { kind, about } = paramNotes.get(shape[key] as z.ZodType) ?? {}
    const rule = (params: Params) => {
      const value = params[key]
      const inMode = mode === undefined ? undefined : (params[mode] ?? aboutOf(mode)?.default)
      return (
        (about && typeof inMode === 'string' ? outOfMode(value, about, inMode) : undefined) ??
        (value === undefined ? undefined : (kind?.rule(value, params) ?? about?.rule?.(value)))
      )
    }
    return [key, rule] as const
  })
  return checked(schema, Object.fromEntries(rules))
}

/** A key that has no effect is refused like one that is missing: its writer expects something of it. */
function outOfMode(
  value: unknown,
  { needs, takes }: ParamDoc<unknown>,
  mode: string,
): string | undefined {
  if (needs === undefined && takes === undefined) return undefined
  if (needs?.includes(mode) === true)
    return value === undefined ? `is missing: ${mode} needs it.` : undefined
  return value === undefined || takes?.includes(mode) === true
    ? undefined
    : `has no effect with ${mode}: leave it out.`
}

function checked(
  schema: z.ZodType<Params>,
  rules: Readonly<Record<string, (params: Params) => string | undefined>>,
): z.ZodType<Params> {
  return schema.superRefine((params, context) => {
    const refused = new Set(context.issues.map(({ path }) => path?.[0]))
    for (const [key, rule] of Object.entries(rules)) {
      const message = refused.has(key) ? undefined : rule(params)
      if (message !== undefined) context.addIssue({ code: 'custom', message, path: [key] })
    }
  })
}

function notSold(amount: unknown, { sell }: Params): string | undefined {
  const [{ token }, { token: sold }] = [amount as Amount, sell as Amount]
  return sameToken(token, sold) ? undefined : `is in ${token.symbol}, but it sells ${sold.symbol}.`
}

/** These keys and no others; the refusal of another names them. */
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
function textField<value>(kind: TextKind<value>): z.ZodType<value> {
  const { read, description, example, json, show = String, rule = () => undefined } = kind
  const suggestion = `write for example '${example}'.`
  const field = z
    .unknown()
    .transform((raw, context): value => {
      try {
        if (typeof raw === 'string') return read(raw)
        context.addIssue(
          raw === undefined
            ? `is missing: ${suggestion}`
            : `must be one line of text: ${suggestion}`,
        )
      } catch (error) {
        if (!(error instanceof BallastError)) throw error
        context.addIssue(error.summary)
      }
      return z.NEVER
    })
    .meta({ type: 'string', ...json, description, examples: [example] })
  paramNotes.add(field, { kind: { show, rule }, about: undefined })
  return field
}

/** Each is read at every look. */
const accountsMax = 32

function accountsField() {
  const example = ['0x5FbDB2315678afecb367f032d93F642f64180aa3']
  const suggestion = `write for example ["${example}"].`
  const account = textField({
    read: parseAddress,
    description: 'An address: 0x and 40 hex digits, in quotes.',
    example: '0x5FbDB2315678afecb367f032d93F642f64180aa3',
    json: { pattern: '^0x[0-9a-fA-F]{40}$' },
  })
  return z
    .array(account, {
      error: ({ input }) =>
        input === undefined
          ? `is missing: ${suggestion}`
          : `must be a list of addresses: ${suggestion}`,
    })
    .transform((accounts, context): readonly Address[] => {
      const twice = accounts.find((one, index) => accounts.indexOf(one) < index)
      if (accounts.length === 0) context.addIssue(`names no account: ${suggestion}`)
      else if (twice !== undefined) context.addIssue(`names ${twice} twice.`)
      else if (accounts.length > accountsMax)
        context.addIssue(`names ${accounts.length} accounts, and ${accountsMax} are the most.`)
      return accounts
    })
    .meta({ description: 'Accounts by their addresses.', examples: [example] })
}

function weightsOf(token: z.ZodType<Token>) {
  const example = { WETH: '60 %', USDC: '40 %' }
  const share = textField({ read: parseShare, description: 'Its share.', example: '60 %' })
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
