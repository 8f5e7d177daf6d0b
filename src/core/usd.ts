import type { Address, Token } from './token.ts'

/** What price feeds call the dollar (Chainlink's denomination: ISO 4217 number 840). */
const usdAddress: Address = '0x0000000000000000000000000000000000000348'

/** The dollar as a unit of account. It has no contract: it is counted in, never traded. */
export function usd(chainId: number): Token {
  return { chainId, address: usdAddress, symbol: 'USD', decimals: 8 }
}
