import { numberToHex } from 'viem'
import type { Hex } from '../../chain/calls/fields.ts'
import { type Address, nativeAddress, sameAddress } from '../../core/token.ts'
import type { AccountOverride, Overrides } from './overrideCall.ts'

/** What a wallet has on paper. Addresses in lower case. */
export type VirtualMoney = {
  readonly balances: ReadonlyMap<string, bigint>
  /** What contracts may take, where that is not what the chain says. */
  readonly allowances: readonly {
    readonly token: Address
    readonly spender: Address
    readonly wei: bigint
  }[]
}

/** Where tokens keep what belongs to the wallet, by the token's address in lower case. Absent where that is not known. */
export type WalletSlots = {
  readonly balances: ReadonlyMap<string, Hex>
  /** What the router may take. */
  readonly allowances: ReadonlyMap<string, Hex>
}

/** How the chain must look for a wallet to have this money. A token whose slot is not known looks as it is. */
export function overridesOf(
  { balances, allowances }: VirtualMoney,
  { wallet, router, slots }: { wallet: Address; router: Address; slots: WalletSlots },
): Overrides {
  const native = balances.get(nativeAddress.toLowerCase()) ?? 0n
  const overrides: Record<string, AccountOverride> = {
    [wallet.toLowerCase()]: { balance: numberToHex(native) },
  }
  const write = (
    token: string,
    { slots: of, wei }: { slots: ReadonlyMap<string, Hex>; wei: bigint },
  ) => {
    const slot = of.get(token)
    if (slot === undefined) return
    const stateDiff = { ...overrides[token]?.stateDiff, [slot]: numberToHex(wei, { size: 32 }) }
    overrides[token] = { stateDiff }
  }
  for (const [token, wei] of balances) write(token, { slots: slots.balances, wei })
  for (const { token, spender, wei } of allowances)
    if (sameAddress(spender, router)) write(token.toLowerCase(), { slots: slots.allowances, wei })
  return overrides
}
