import type { Amount } from './amount.ts'
import { sameToken, type Token } from './token.ts'

/** How far transfers may be off by the rounding of the token itself, as an owner declared it: a token each. */
export type Rounding = readonly Amount[]

/** The smallest units that one transfer of a token may be off; none where nothing is declared. */
export const roundingOf = (declared: Rounding | undefined, token: Token): bigint =>
  declared?.find((one) => sameToken(one.token, token))?.wei ?? 0n

/** Whether two quantities differ by no more than that. */
export const areWithin = (most: bigint, one: bigint, other: bigint): boolean =>
  one - other <= most && other - one <= most
