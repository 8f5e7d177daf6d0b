import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Address, nativeAddress, type Token } from '../../src/core/token.ts'

/** The one installation of every simulation. All in lower case, as nodes answer. */
export const chainId = 31_337
export const wallet: Address = `0x${'a'.repeat(40)}`
export const router: Address = `0x${'3'.repeat(40)}`

const token = (symbol: string, address: Address): Token => ({
  chainId,
  address,
  symbol,
  decimals: 18,
})
export const sold = token('WETH', `0x${'1'.repeat(40)}`)
export const bought = token('USDC', `0x${'2'.repeat(40)}`)
export const native = token('ETH', nativeAddress.toLowerCase() as Address)

/** Where the journal would be; the simulated disk takes every path. */
const path = join(tmpdir(), 'ballast-simulator', 'ballast.db')
export const journalOptions = {
  database: { dialect: 'sqlite', path },
  haltFile: `${path}.halt`,
} as const
