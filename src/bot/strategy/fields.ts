import type { z } from 'zod'
import type { Amount } from '../../core/amount.ts'
import type { Price } from '../../core/price.ts'
import type { Token } from '../../core/token.ts'

/** The reader of one value, or all parameters, of a strategy from `ballast.yaml`. */
export type Schema<params> = z.ZodType<params>

/**
 * A price as it is written, before it is known what is sold: `2950 USDC` for each one sold, or `2950 USDC per WETH`.
 * `units` of 10^-`scale`; more decimals than the token has are kept, so a price never rounds.
 */
export type WrittenPrice = {
  readonly units: bigint
  readonly scale: number
  readonly token: Token
  readonly per: Token | undefined
}

/** The share one token is to have of the whole, in bps. */
export type Weight = { readonly token: Token; readonly bps: number }

/** `need` of the last `of`. */
export type Votes = { readonly need: number; readonly of: number }

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

/**
 * The fields a strategy declares its parameters with. Every value carries its unit; an undeclared key is refused.
 * `fields.bps.describe('How much less it accepts.')` shows editors and templates the purpose of a key, and `.meta({
 * examples: ['50 bps'] })` the value a template fills in.
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
  /** Adds what must hold between keys: for each, the complaint or undefined. */
  readonly check: <params extends object>(
    schema: Schema<params>,
    rules: { readonly [key in keyof params]?: (params: params) => string | undefined },
  ) => Schema<params>
  /** The key may be left out. */
  readonly optional: <field extends z.ZodType>(field: field) => z.ZodOptional<field>
  /** `1.5 WETH` */
  readonly amount: Schema<Amount>
  /** `USDC` */
  readonly token: Schema<Token>
  /** `0.5 WETH, 0.02 WBTC` */
  readonly amounts: Schema<readonly Amount[]>
  /** `WETH/WBTC, WBTC/DAI` */
  readonly pairs: Schema<readonly (readonly [Token, Token])[]>
  /** `2950 USDC` (for each one sold) or `2950 USDC per WETH`. Only in a {@link Fields.trade}. */
  readonly price: Schema<WrittenPrice>
  /** `5s`, `10m`, `1h` as whole seconds, at least one. */
  readonly seconds: Schema<number>
  /** `50 bps` as 50. */
  readonly bps: Schema<number>
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
  /** `2 of 3`: this number of the last ones, of at most 32. */
  readonly votes: Schema<Votes>
  /** `0 9 * * *`: minute, hour, day of month, month, day of week. */
  readonly cron: Schema<string>
  /** `Europe/Berlin` */
  readonly timeZone: Schema<string>
}
