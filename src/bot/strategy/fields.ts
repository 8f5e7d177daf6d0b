import { z } from 'zod'
import type { Amount } from '../../core/amount.ts'
import type { Price } from '../../core/price.ts'
import type { Address, Token } from '../../core/token.ts'
import type { WrittenPrice } from '../../core/writtenPrice.ts'

/** Reads one value, or all parameters, of a strategy from `ballast.yaml`. */
export type Schema<params> = z.ZodType<params>

/** The parameters of a strategy, as its fields read them. */
export type ParamsOf<params extends (fields: Fields) => Schema<unknown>> = z.output<
  ReturnType<params>
>

/** How much of the whole one token is to be, in bps. */
export type Weight = { readonly token: Token; readonly bps: number }

/** `need` of the last `of`. */
export type Votes = { readonly need: number; readonly of: number }

/** One key of a strategy, stated once: for the reader of the file, of a template, of the documentation and in an editor. */
export type ParamDoc<value> = {
  /** Its meaning. The first sentence stands alone in a template. */
  readonly doc: string
  /** The text in a template. A template leaves out a key that may be left out and has none. */
  readonly example?: string
  /** A template writes it although it may be left out. */
  readonly suggested?: boolean
  /** The value that the strategy uses without the key; in words where it depends on other keys. */
  readonly default?: value | { readonly words: string }
  /** Why a value of the right kind is refused; undefined where it is not. */
  readonly rule?: (value: value) => string | undefined
  /** This key, a choice, is the mode of the strategy: {@link ParamDoc.needs} and {@link ParamDoc.takes} are of its words. */
  readonly mode?: boolean
  /** The modes that cannot do without the key, and the others that it means something to. Without either: all. */
  readonly needs?: readonly string[]
  readonly takes?: readonly string[]
}

/** Rules between keys: for each, why it is refused beside the others; undefined where it is not. */
export type Rules<params> = {
  readonly [key in keyof params]?: (params: params) => string | undefined
}

type Shape = Readonly<Record<string, z.ZodType>>

type Values<shape extends Shape> = z.output<
  z.ZodObject<{ -readonly [key in keyof shape]: shape[key] }>
>

type Priced<values> = {
  [key in keyof values]: values[key] extends WrittenPrice
    ? Price
    : values[key] extends WrittenPrice | undefined
      ? Price | undefined
      : values[key]
}

/** The parameters of a named group of keys, which a strategy spreads among its own in a {@link Fields.trade}. */
export type GroupOf<group extends (fields: Fields) => Shape> = Priced<Values<ReturnType<group>>>

/** A rule of a share or a factor that refuses zero with these words. */
export const notZero = (complaint: string) => (value: number) =>
  value === 0 ? complaint : undefined

/** The same of an amount. */
export const notNothing =
  (complaint: string) =>
  ({ wei }: Amount) =>
    wei === 0n ? complaint : undefined

/**
 * The kinds of parameters that a strategy may declare. Every value carries its unit; a key nobody declared is refused.
 * Each key is a kind, alone or with its {@link ParamDoc}:
 * `optional(fields.bps, { doc: 'How much less it accepts.', example: '50 bps', default: 25 })`.
 */
export type Fields = {
  /** These keys and no others. */
  readonly object: <shape extends Shape>(shape: shape) => Schema<Values<shape>>
  /**
   * `sell: 1 WETH`, `buy: USDC` and these keys: one direction of one pair.
   * Every {@link Fields.price} among them becomes the {@link Price} of selling that token for the other.
   */
  readonly trade: <shape extends Shape>(
    shape: shape,
  ) => Schema<{ sell: Amount; buy: Token } & Priced<Values<shape>>>
  /** Adds rules between keys: for each, the complaint or undefined. A key gets one complaint at most. */
  readonly check: <params extends object>(
    schema: Schema<params>,
    rules: Rules<params>,
  ) => Schema<params>
  readonly required: <field extends z.ZodType>(
    field: field,
    about: ParamDoc<z.output<field>>,
  ) => field
  /** The key may be left out. A default is for the strategy to apply: it is not among the parameters that are recorded. */
  readonly optional: <field extends z.ZodType>(
    field: field,
    about?: ParamDoc<z.output<field>>,
  ) => z.ZodOptional<field>
  /** `1.5 WETH` */
  readonly amount: Schema<Amount>
  /** `1.5 WETH`, of the token that is sold. Only in a {@link Fields.trade}. */
  readonly soldAmount: Schema<Amount>
  /** `USDC` */
  readonly token: Schema<Token>
  /** `0.5 WETH, 0.02 WBTC` */
  readonly amounts: Schema<readonly Amount[]>
  /** `WETH/WBTC, WBTC/DAI` */
  readonly pairs: Schema<readonly (readonly [Token, Token])[]>
  /** `["0x…", "0x…"]`: one to 32 accounts, each once. */
  readonly accounts: Schema<readonly Address[]>
  /** `2950 USDC` (for each one sold) or `2950 USDC per WETH`. Only in a {@link Fields.trade}. */
  readonly price: Schema<WrittenPrice>
  /** `5s`, `10m`, `1h` as whole seconds, at least one. */
  readonly seconds: Schema<number>
  /** `50 bps` as 50. */
  readonly bps: Schema<number>
  /** `50 bps` as 50, a tenth at most: beyond it, "about the market" has become "at any price". */
  readonly tolerance: Schema<number>
  /** `12.5 %` or `1250 bps` as 1250. */
  readonly share: Schema<number>
  /** `{ WETH: 60 %, USDC: 40 % }`, in bps. They make up the whole, and no token is there twice. */
  readonly weights: Schema<readonly Weight[]>
  /** `3`: a whole number, at least one. */
  readonly count: Schema<number>
  /** `1.5`: a plain decimal number of at least zero and four decimals, in ten thousandths. */
  readonly factor: Schema<number>
  /** One of these words. */
  readonly choice: <const words extends readonly [string, ...string[]]>(
    ...words: words
  ) => Schema<words[number]>
  /** `2026-12-31` (midnight UTC) or `2026-12-31T09:00:00+01:00`, as milliseconds since the epoch. */
  readonly instant: Schema<number>
  /** `skip`, `once` or `up to 3`: how many missed slots are made up for. */
  readonly missed: Schema<number>
  /** `2 of 3`: two of the last three, of at most 32. */
  readonly votes: Schema<Votes>
  /** `0 9 * * *`: minute, hour, day of month, month, day of week. */
  readonly cron: Schema<string>
  /** `Europe/Berlin` */
  readonly timeZone: Schema<string>
}

/** A kind of field: its text and what holds for every value of it. */
export type Kind = {
  /** How a value is written, for a default in the documentation. */
  readonly show: (value: unknown) => string
  readonly rule: (value: unknown, params: Readonly<Record<string, unknown>>) => string | undefined
}

/** The kind and the documentation of a key, by its schema. */
export const paramNotes = z.registry<{
  readonly kind: Kind
  readonly about: ParamDoc<unknown> | undefined
}>()

/** The keys of the section at a path, through whatever a strategy wrapped it in. */
export function shapeAt(
  schema: z.core.$ZodType,
  path: readonly (string | number)[] = [],
): z.core.$ZodShape {
  const bare = unwrapped(schema)
  const shape = bare._zod.def.type === 'object' ? (bare._zod.def as z.core.$ZodObjectDef).shape : {}
  const [step, ...rest] = path
  if (step === undefined) return shape
  const next = shape[step]
  return next === undefined ? {} : shapeAt(next, rest)
}

function unwrapped(schema: z.core.$ZodType): z.core.$ZodType {
  const { def } = schema._zod
  if ('innerType' in def) return unwrapped(def.innerType as z.core.$ZodType)
  return def.type === 'pipe' ? unwrapped((def as z.core.$ZodPipeDef).in) : schema
}
