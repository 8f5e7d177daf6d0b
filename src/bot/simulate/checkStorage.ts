import type { StorageChange } from '../../chain/calls/traces.ts'
import { isTransfer } from '../../chain/settlement/permit.ts'
import type { Checklist } from '../../core/check.ts'
import { type Address, isNative, type Token } from '../../core/token.ts'
import type { Permitted } from '../stages.ts'
import { type Stray, straysOf, type TracedSwap } from './strays.ts'
import type { VoteWrite } from './votes.ts'

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
    blank.length === 0
      ? 'known'
      : `unknown: ${blank.join(', ')}: for a token that you know, write storage: untraced under its name in tokens`,
  )

  if (traced.swap !== undefined) {
    const stray = unexplained(straysOf(permitted, written), written)
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
  const alone = `the allowance of ${isTransfer(permitted.signedPermit) ? 'Permit2' : 'the router'}`
  checks.equal(
    'approval-writes',
    alone,
    strayApproval.length === 0 ? alone : strayApproval.join(', '),
  )
}

type Written = TracedSwap & {
  /** Tokens that may write vote checkpoints, and which of the stray writes are such. */
  readonly voting?: readonly Token[]
  readonly votes?: readonly VoteWrite[]
}

/** The stray writes that stay so: not the vote checkpoints of a token that may write them. */
function unexplained(
  strays: readonly Stray[],
  { tokens, voting = [], votes = [] }: Written,
): readonly string[] {
  const voteOf = ({ token, slot }: Stray) =>
    votes.find((one) => one.token === token && one.slot === slot)
  const isVoting = ({ token }: Stray) => voting.some((one) => one.address.toLowerCase() === token)
  const counted = strays.filter((one) => voteOf(one) !== undefined && !isVoting(one))
  const strange = strays.filter((one) => voteOf(one) === undefined)
  const names = [...new Set(counted.map(({ token }) => nameIn(tokens, token)))]
  return [
    ...names.map(
      (name) =>
        `${name} writes vote checkpoints of ${[
          ...new Set(
            counted.flatMap((one) =>
              nameIn(tokens, one.token) === name ? (voteOf(one)?.delegate ?? []) : [],
            ),
          ),
        ].join(' and ')}: to allow these beside balances, write storage: votes at tokens.${name}`,
    ),
    ...strange.map(({ token, slot }) => `${nameIn(tokens, token)} ${slot}`),
  ]
}

const nameIn = (tokens: readonly Token[], key: string) =>
  tokens.find(({ address }) => address.toLowerCase() === key)?.symbol ?? key

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
