import { numberToHex } from 'viem'
import type { Hex } from '../../chain/calls/fields.ts'
import type { RpcCall } from '../../chain/rpc/rpc.ts'
import { type Address, nativeAddress, sameAddress } from '../../core/token.ts'

/** An account's overridden state for the length of one call. */
type AccountOverride = {
  readonly balance?: Hex
  readonly stateDiff?: Readonly<Record<Hex, Hex>>
}

/** By address in lower case. */
export type Overrides = Readonly<Record<string, AccountOverride>>

type Json = Readonly<Record<string, unknown>>

/**
 * The same call on a chain on which some accounts look different. The call's own overrides stay; a call that does not
 * depend on state goes out unchanged.
 */
export function overrideCall<result>(call: RpcCall<result>, overrides: Overrides): RpcCall<result> {
  const { params } = call
  switch (call.method) {
    case 'eth_call': {
      const [transaction, block, own, ...rest] = params
      return { ...call, params: [transaction, block, merged(overrides, own), ...rest] }
    }
    case 'eth_simulateV1': {
      const [simulation, ...rest] = params as [Json, ...unknown[]]
      const [first, ...more] = simulation.blockStateCalls as readonly Json[]
      const bent = { ...first, stateOverrides: merged(overrides, first?.stateOverrides) }
      return { ...call, params: [{ ...simulation, blockStateCalls: [bent, ...more] }, ...rest] }
    }
    case 'debug_traceCall': {
      const [transaction, block, tracer, ...rest] = params as [unknown, unknown, Json, ...unknown[]]
      const bent = { ...tracer, stateOverrides: merged(overrides, tracer.stateOverrides) }
      return { ...call, params: [transaction, block, bent, ...rest] }
    }
    default:
      return call
  }
}

function merged(ours: Overrides, theirs: unknown): Json {
  const result: Record<string, Json> = { ...ours }
  for (const [account, own] of Object.entries((theirs ?? {}) as Record<string, Json>)) {
    const name = account.toLowerCase()
    const known: AccountOverride = ours[name] ?? {}
    const slots = { ...known.stateDiff, ...(own.stateDiff as Json | undefined) }
    result[name] = {
      ...known,
      ...own,
      ...(Object.keys(slots).length === 0 ? {} : { stateDiff: slots }),
    }
  }
  return result
}

/** A wallet's holdings on paper. Addresses in lower case. */
export type VirtualMoney = {
  readonly balances: ReadonlyMap<string, bigint>
  /** The contracts' allowances, where they differ from the chain's. */
  readonly allowances: readonly {
    readonly token: Address
    readonly spender: Address
    readonly wei: bigint
  }[]
}

/** Where tokens keep what belongs to the wallet, by the token's address in lower case. Absent where that is not known. */
export type WalletSlots = {
  readonly balances: ReadonlyMap<string, Hex>
  /** The router's allowances. */
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
