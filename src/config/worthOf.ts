import type { Amount } from '../core/amount.ts'
import { parseAmount } from '../core/amountText.ts'
import type { Address, Token } from '../core/token.ts'
import type { Tokens } from './config.ts'

/** ISO 4217 gives the dollar the number 840; nothing is ever sent to this address. */
const dollarAddress: Address = '0x0000000000000000000000000000000000000348'

/** Reads what a swap is worth: `5000 USDC` in a configured token, or `5000 USD` with eight decimals. */
export function worthOf(text: string, { bySymbol, native }: Tokens): Amount {
  const dollar: Token = {
    chainId: native.chainId,
    address: dollarAddress,
    symbol: 'USD',
    decimals: 8,
  }
  return parseAmount(text, new Map([[dollar.symbol, dollar], ...bySymbol]))
}
