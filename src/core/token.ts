/** `0x` and 40 hex digits. */
export type Address = `0x${string}`

/** Stands for the chain's own currency wherever a token address is expected (specification, "What the service does"). */
export const nativeAddress: Address = '0xEeeeeEeeeEeEeeEeEeEeeEEEeeeeEeeeeeeeEEeE'

/** Stands for no account at all. */
export const zeroAddress: Address = '0x0000000000000000000000000000000000000000'

/** Stands for the US dollar where a price is quoted in it, as in the registries of price feeds. No contract is there. */
export const usdAddress: Address = '0x0000000000000000000000000000000000000348'

/** A token as the treasury names it. Two tokens are the same when chain and address are. */
export type Token = {
  readonly chainId: number
  readonly address: Address
  readonly symbol: string
  readonly decimals: number
}

export const isToken = (value: object): value is Token =>
  'symbol' in value && 'decimals' in value && 'address' in value && 'chainId' in value

/** Compares addresses without regard to letter case. */
export function sameAddress(a: string, b: string): boolean {
  return a.toLowerCase() === b.toLowerCase()
}

export function isNative(token: { readonly address: string }): boolean {
  return sameAddress(token.address, nativeAddress)
}

export function sameToken(a: Token, b: Token): boolean {
  return a.chainId === b.chainId && sameAddress(a.address, b.address)
}

/** The US dollar as a unit of account, counted as price feeds count it. It can be neither bought nor sold. */
export function usdOf(chainId: number): Token {
  return { chainId, address: usdAddress, symbol: 'USD', decimals: 8 }
}

/**
 * Whether a token is a dollar by its name. `sUSDe`, `cUSDC` and what else has a prefix are shares of one, which are worth something
 * else, but for those of bridges and of Aave.
 */
export const isDollar = ({ symbol }: Pick<Token, 'symbol'>): boolean =>
  /USD|^DAI$/i.test(symbol) &&
  (!/^[a-z]+USD./.test(symbol) || /^(?:a|any|axl|ce|lz|multi|so|wh|xc)USD/.test(symbol))

/** Whether a token is the wrapped form of the chain's own currency by its name: WETH of ETH. */
export const isWrapperOf = (token: Token, native: Token): boolean =>
  token.symbol === `W${native.symbol}` && token.decimals === native.decimals

/** The chain's own currency and the token that wraps it: one asset under two names. */
export type Coin = { readonly native: Token; readonly wrapped: Token }

/** The asset behind a token: the chain's own currency and its wrapped form are one. */
export const assetOf = (token: Token, { wrapped }: Pick<Coin, 'wrapped'>): Token =>
  isNative(token) ? wrapped : token

/** One whole token, in its smallest unit. */
export const oneWhole = ({ decimals }: Pick<Token, 'decimals'>): bigint => 10n ** BigInt(decimals)
