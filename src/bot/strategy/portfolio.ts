import type { Amount } from '../../core/amount.ts'
import { type Price, worthAt } from '../../core/price.ts'
import { sameToken, type Token } from '../../core/token.ts'
import type { Market } from './market.ts'
import { most } from './most.ts'
import { showShare } from './showShare.ts'

/** One asset as it stands. Values are in the smallest unit of what the portfolio is counted in. */
export type Asset = {
  readonly token: Token
  /** Where it lies: the token itself, or the native coin and its wrapped form. What comes first is sold first. */
  readonly parts: readonly Amount[]
  /** In what the portfolio is counted in. */
  readonly price: Price
  readonly value: bigint
  /** What it is to be, how far it may drift from there, and how far it is left: in parts of {@link wholeShare}. */
  readonly share: bigint
  readonly band: bigint
  readonly edge: bigint
}

/** Assets that are kept in proportion. */
export type Portfolio = {
  readonly assets: readonly Asset[]
  /** The place of what everything is counted in and traded through. */
  readonly hub: number
  readonly whole: bigint
  /** The market of selling one for the other, by their places; undefined where there is none. */
  readonly marketOf: (from: number, into: number) => Market | undefined
  /** What a swap costs in gas; undefined where nobody says. */
  readonly gas: bigint | undefined
}

/** Shares are counted in hundred-millionths of the whole: a part in bps of a part in bps stays exact. */
export const wholeShare = 100_000_000n

/** Rounds down. */
export function worthOf({ token, price }: Asset, wei: bigint): bigint {
  return worthAt(price, { token, wei }).wei
}

/** How much of it there is, wherever it lies. */
export function sumOf({ parts }: Asset): bigint {
  return parts.reduce((sum, { wei }) => sum + wei, 0n)
}

/** Whether a token is this asset, or the other form of it. */
export function isOf({ parts }: Asset, token: Token): boolean {
  return parts.some((part) => sameToken(part.token, token))
}

/** Whether it has drifted out of its band. On the edge of it it has not. */
export function isBeyond({ value, share, band }: Asset, { whole }: Portfolio): boolean {
  const off = value * wholeShare - share * whole
  return most(off, -off) > band * whole
}

/** `WETH 56.21 % of 50 %` */
export function showWeight({ token, value, share }: Asset, { whole }: Portfolio): string {
  return `${token.symbol} ${showShare(value, whole)} of ${showShare(share, wholeShare)}`
}
