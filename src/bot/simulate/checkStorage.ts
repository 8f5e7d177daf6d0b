import type { Hex } from '../../chain/calls/fields.ts'
import type { StorageChange } from '../../chain/calls/traces.ts'
import { slotOf } from '../../chain/storage/layout.ts'
import type { Checklist } from '../../core/check.ts'
import { type Address, isNative, sameAddress, type Token } from '../../core/token.ts'
import type { Permitted } from '../stages.ts'
import type { TokenLayout, Traced } from './traces.ts'

/**
 * Inside a token, the swap may write balances and the allowances it spends, and nothing else.
 *
 * Probes prove the moves now; this is about possible later moves. A token that lets a stranger spend the wallet's money
 * writes it down, and it cannot write it where a balance or a known allowance is kept: those are hashes. So the
 * balances of every account that the swap changes are allowed, which makes pools known without identifying them: other
 * accounts' gains from each other are not the wallet's money.
 */
export function checkStorage(permitted: Permitted, written: Written, checks: Checklist): void {
  const { wallet, call, swap, intent } = permitted
  const { traced, tokens } = written
  const blank = [...traced.layouts]
    .filter(([, { balances, allowances }]) => balances === undefined || allowances === undefined)
    .map(([key]) => nameIn(tokens, key))
  checks.equal(
    'storage-layout',
    'known',
    blank.length === 0 ? 'known' : `unknown: ${blank.join(', ')}`,
  )

  if (traced.swap !== undefined) {
    const stray = strayWrites(permitted, traced.swap, written)
    const fine = 'balances and the allowances it spends'
    checks.equal('storage-writes', fine, stray.length === 0 ? fine : stray.join(', '))
    // A swap that reverted writes nothing, and would pass all of the above.
    const marked = swap === undefined ? erc20Of(intent.buy, intent.sell.token) : call.to
    const isSettled = settled(traced.swap, marked)
    checks.equal('swap-traced', 'settled', isSettled ? 'settled' : 'wrote nothing')
    checkAccounts(traced.swap, wallet, checks)
  }
  if (permitted.approvals.length === 0) return
  const sold = intent.sell.token.address.toLowerCase()
  const strayApproval = traced.approvals
    .flat()
    .flatMap(({ account, slots, code }) => [
      ...(code ? [`${nameIn(tokens, account)} code`] : []),
      ...slots
        .filter((slot) => account !== sold || slot !== permitted.allowanceSlot)
        .map((slot) => `${nameIn(tokens, account)} ${slot}`),
    ])
  const alone = 'the allowance of the router'
  checks.equal(
    'approval-writes',
    alone,
    strayApproval.length === 0 ? alone : strayApproval.join(', '),
  )
}

type Written = {
  readonly traced: Traced
  readonly executor: Address | undefined
  /** Every configured token: one that has no part in the swap has nothing to write. */
  readonly tokens: readonly Token[]
  readonly untraced: readonly Address[]
}

const nameIn = (tokens: readonly Token[], key: string) =>
  tokens.find(({ address }) => address.toLowerCase() === key)?.symbol ?? key

/** Slots of tokens that the swap writes and that keep no balance and no allowance it spends. */
function strayWrites(
  permitted: Permitted,
  changes: readonly StorageChange[],
  { traced, executor, tokens, untraced }: Written,
): readonly string[] {
  const { wallet, recipient, call, orders, swap } = permitted
  const buyers = orders.map(({ order }) => order.buyer)
  const accounts = [
    wallet,
    recipient,
    call.to,
    ...buyers,
    ...(executor === undefined ? [] : [executor]),
    ...(swap === undefined ? [] : [swap.widgetFee.feeRecipient]),
    ...changes.map(({ account }) => account as Address),
  ]
  const unseen = new Set(untraced.map((one) => one.toLowerCase()))
  const looked = new Set(
    [
      ...tokens.filter((token) => !isNative(token)).map(({ address }) => address.toLowerCase()),
      ...traced.layouts.keys(),
    ].filter((key) => !unseen.has(key)),
  )
  return changes
    .filter(({ account }) => looked.has(account))
    .flatMap(({ account, slots }) => {
      const layout = traced.layouts.get(account)
      const known = new Set<Hex>(layout?.supply)
      for (const owner of accounts)
        if (layout?.balances !== undefined) known.add(slotOf(layout.balances, [owner]))
      for (const owner of [wallet, ...buyers])
        if (layout?.allowances !== undefined) known.add(slotOf(layout.allowances, [owner, call.to]))
      const strange = slots.filter((slot) => !known.has(slot))
      const others = swap === undefined && strange.length > 0 ? othersIn(permitted, layout) : []
      return strange
        .filter((slot) => !others.includes(slot))
        .map((slot) => `${nameIn(tokens, account)} ${slot}`)
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

/** Of a swap's two tokens at least one keeps its balances in storage. */
const erc20Of = (one: Token, other: Token) => (isNative(one) ? other : one).address

/** The router marks the authorisation as used in its own storage; a foreign one moves a token at least. */
const settled = (changes: readonly StorageChange[], contract: Address) =>
  changes.some(({ account, slots }) => account === contract.toLowerCase() && slots.length > 0)

/** Code that changes could be anything afterwards; a wallet that delegates its code has given itself away. */
function checkAccounts(
  changes: readonly StorageChange[],
  wallet: Address,
  checks: Checklist,
): void {
  const rewritten = changes.filter(({ code }) => code).map(({ account }) => account)
  checks.equal('code-writes', 'none', rewritten.length === 0 ? 'none' : rewritten.join(', '))
  const own = changes.find(({ account }) => account === wallet.toLowerCase())?.nonces ?? 0
  checks.holds('wallet-nonce', own <= 1, 'risen by the one of the swap', `risen by ${own}`)
}
