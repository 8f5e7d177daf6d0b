import type { Address } from '../core/token.ts'
import type { Hex } from './calls/fields.ts'

/**
 * The deterministic deployment proxy (github.com/Arachnid/deterministic-deployment-proxy): it creates by CREATE2 what
 * it is sent, a salt and then the creation code. The address of a contract follows from those alone, on every chain.
 */
export const create2Proxy: { readonly address: Address; readonly code: Hex } = {
  address: '0x4e59b44847b379578588920cA78FbF26c0B4956C',
  code: '0x7fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffe03601600081602082378035828234f58015156039578182fd5b8082525050506014600cf3',
}

/**
 * The transaction that puts the proxy on a chain. No key made it: its signature was written down, and its sender is the
 * account that such a signature recovers to, so it is valid on every chain, once. It names gas and price for ever, and a
 * chain whose base fee is above that price cannot take it.
 */
export const keylessCreation: {
  readonly sender: Address
  readonly raw: Hex
  readonly hash: Hex
  /** Wei: its gas at its price. */
  readonly cost: bigint
} = {
  sender: '0x3fAB184622Dc19b6109349B94811493BF2a45362',
  raw: '0xf8a58085174876e800830186a08080b853604580600e600039806000f350fe7fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffe03601600081602082378035828234f58015156039578182fd5b8082525050506014600cf31ba02222222222222222222222222222222222222222222222222222222222222222a02222222222222222222222222222222222222222222222222222222222222222',
  hash: '0xeddf9e61fb9d8f5111840daef55e5fde0041f5702856532cdbb5a02998033d26',
  cost: 100_000n * 100_000_000_000n,
}
