/** `0x` and 40 hex digits. */
export type Address = `0x${string}`

/** Stands for the chain's own currency wherever a token address is expected (specification, "What the service does"). */
export const nativeAddress: Address = '0xEeeeeEeeeEeEeeEeEeEeeEEEeeeeEeeeeeeeEEeE'

/** A token as the treasury names it. Two tokens are the same when chain and address are. */
export type Token = {
  readonly chainId: number
  readonly address: Address
  readonly symbol: string
  readonly decimals: number
}

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
