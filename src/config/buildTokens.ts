import { getAddress } from 'viem/utils'
import { type Address, nativeAddress, type Token } from '../core/token.ts'
import type { Tokens } from './config.ts'
import type { FileText } from './fileSchema.ts'

/** The tokens a configuration names, the chain's own currency first. Takes whatever part of the file is right already. */
export function buildTokens({
  chain,
  tokens,
}: {
  readonly chain: Pick<FileText['chain'], 'chainId' | 'currency'>
  readonly tokens: FileText['tokens']
}): Tokens {
  const chainId = Number(chain.chainId)
  const native: Token = { chainId, address: nativeAddress, symbol: chain.currency, decimals: 18 }
  const listed = Object.entries(tokens).map(([symbol, token]) => ({
    token: { chainId, address: address(token.address), symbol, decimals: Number(token.decimals) },
    wrapsNative: token.wrapsNative,
    storage: token.storage,
  }))
  return {
    native,
    bySymbol: new Map([native, ...listed.map(({ token }) => token)].map((t) => [t.symbol, t])),
    wrapped: listed.find(({ wrapsNative }) => wrapsNative)?.token ?? native,
    untraced: listed.filter(({ storage }) => storage === 'untraced').map(({ token }) => token),
  }
}

const address = (text: string): Address => getAddress(text)
