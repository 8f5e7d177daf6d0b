import type { Hex } from '../../chain/calls/fields.ts'
import { isTransfer } from '../../chain/settlement/permit.ts'
import { nonceSlotOf, permit2Address } from '../../chain/settlement/permit2.ts'
import { slotOf } from '../../chain/storage/layout.ts'
import { type Address, isNative, sameAddress, type Token } from '../../core/token.ts'
import type { Permitted } from '../stages.ts'
import { spenderOf } from './spenderOf.ts'
import type { TokenLayout, Traced } from './traces.ts'

/** A played swap's writes, and whose they may be. */
export type TracedSwap = {
  readonly traced: Traced
  readonly executor: Address | undefined
  /** Every configured token: one that has no part in the swap has nothing to write. */
  readonly tokens: readonly Token[]
  readonly untraced: readonly Address[]
  /** Accounts that a foreign router reaches or its logs name, where they were looked for. */
  readonly parties?: readonly Address[]
}

/** A write into a token where it keeps no balance and no allowance that the swap spends. */
export type Stray = {
  /** Its address in lower case. */
  readonly token: string
  readonly slot: Hex
  readonly layout: TokenLayout | undefined
}

const permit2Key = permit2Address.toLowerCase()

/** The accounts whose balances a swap may change: a foreign router's call data names more. */
export function accountsIn(
  { wallet, recipient, call, orders, swap }: Permitted,
  { traced, executor, parties = [] }: Pick<TracedSwap, 'traced' | 'executor' | 'parties'>,
): readonly Address[] {
  return [
    wallet,
    recipient,
    call.to,
    ...orders.map(({ order }) => order.buyer),
    ...(executor === undefined ? [] : [executor]),
    ...(swap === undefined ? [] : [swap.widgetFee.feeRecipient]),
    ...(traced.swap ?? []).map(({ account }) => account as Address),
    ...parties,
  ]
}

/** What the swap writes into tokens, and into a Permit2 that it uses, that keeps no balance, and no allowance or nonce it spends. */
export function straysOf(permitted: Permitted, written: TracedSwap): readonly Stray[] {
  const { wallet, call, orders, swap, intent, signedPermit, tokenPermit } = permitted
  const { traced, tokens, untraced, parties = [] } = written
  const buyers = orders.map(({ order }) => order.buyer)
  const accounts = accountsIn(permitted, written)
  const isPermit2 = isTransfer(signedPermit)
  const unseen = new Set(untraced.map((one) => one.toLowerCase()))
  const looked = new Set(
    [
      ...tokens.filter((token) => !isNative(token)).map(({ address }) => address.toLowerCase()),
      ...traced.layouts.keys(),
      // What else it writes down could let somebody move what it was approved for.
      ...(isPermit2 ? [permit2Key] : []),
    ].filter((key) => !unseen.has(key)),
  )
  return (traced.swap ?? [])
    .filter(({ account }) => looked.has(account))
    .flatMap(({ account, slots }) => {
      const layout = traced.layouts.get(account)
      const known = new Set<Hex>(layout?.supply)
      for (const owner of accounts)
        if (layout?.balances !== undefined) known.add(slotOf(layout.balances, [owner]))
      if (layout?.allowances !== undefined) {
        known.add(slotOf(layout.allowances, [wallet, spenderOf(permitted)]))
        for (const owner of buyers) known.add(slotOf(layout.allowances, [owner, call.to]))
        // What others let a router take is not the wallet's money.
        for (const owner of parties.filter((one) => !sameAddress(one, wallet)))
          known.add(slotOf(layout.allowances, [owner, call.to]))
      }
      const isSold = sameAddress(account as Address, intent.sell.token.address)
      if (isSold && signedPermit !== undefined && tokenPermit?.nonceSlot !== undefined)
        known.add(tokenPermit.nonceSlot)
      if (isPermit2 && account === permit2Key) known.add(nonceSlotOf(wallet, signedPermit.nonce))
      const strange = slots.filter((slot) => !known.has(slot))
      const others = swap === undefined && strange.length > 0 ? othersIn(permitted, layout) : []
      return strange
        .filter((slot) => !others.includes(slot))
        .map((slot) => ({ token: account, slot, layout }))
    })
}

/**
 * The balances of each account in a foreign router's call data, and their allowances to that router: other accounts'
 * gains from each other are not the wallet's money. Packed or not, an address stands somewhere in it as 20 bytes.
 */
function othersIn({ call, wallet }: Permitted, layout: TokenLayout | undefined): readonly Hex[] {
  const { balances, allowances } = layout ?? {}
  const named = Array.from(
    { length: call.data.length / 2 - 20 },
    (_, byte): Address => `0x${call.data.slice(2 + 2 * byte, 42 + 2 * byte)}`,
  ).filter((one) => !/0{12}/.test(one) && !sameAddress(one, wallet))
  return named.flatMap((owner) => [
    ...(balances === undefined ? [] : [slotOf(balances, [owner])]),
    ...(allowances === undefined ? [] : [slotOf(allowances, [owner, call.to])]),
  ])
}
