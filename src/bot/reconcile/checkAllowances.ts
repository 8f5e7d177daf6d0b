import { erc20Abi } from '../../chain/abi/contracts.ts'
import { readContract } from '../../chain/calls/readContract.ts'
import { isOfContract, saysNo } from '../../chain/rpc/rpc.ts'
import { spendersOf } from '../../chain/settlement/spendersOf.ts'
import { show } from '../../core/amount.ts'
import { countOf } from '../../core/countOf.ts'
import { BallastError } from '../../core/errors.ts'
import { type Address, sameAddress, sameToken, type Token } from '../../core/token.ts'
import type { BookedAllowance, BooksScope, JournalBooks } from '../books.ts'
import type { ReconcileLimits } from './checkLimits.ts'
import type { AskChain, BreakTally } from './createTally.ts'
import { headWithin } from './sight.ts'

/** An allowance as the chain shows it. */
type Pair = { readonly token: Address; readonly spender: Address }

export type WatchedAllowances = {
  readonly ask: AskChain
  readonly books: JournalBooks
  readonly scope: BooksScope
  readonly router: Address
  readonly tokens: readonly Token[]
  readonly limits: Pick<ReconcileLimits, 'perSwap' | 'allowances' | 'permits'>
  readonly limitsChanged: boolean
  /** Allowances that the chain's logs lead to, up to a block: to whomever, and whoever gave them. */
  readonly granted: (to: number) => Promise<{
    readonly standing: readonly (Pair & { readonly wei: bigint })[]
    /** Of which the endpoint did not say. */
    readonly unread: readonly Pair[]
  }>
}

/**
 * I8: the router, or Permit2 for it, may take of each token what an open swap needs, what a dead one is on record to have left, or what the
 * owner lets stand; and nobody else may take anything.
 *
 * Too large an allowance or a stranger's halts nothing: a halt would keep the bot from taking it back.
 */
export async function checkAllowances(
  watched: WatchedAllowances,
  tally: BreakTally,
): Promise<string> {
  const { ask, books, scope } = watched
  const { wallet } = scope
  const read = () => books.allowances(scope)
  const booked = await read()
  const head = await headWithin(ask, { books, scope })
  if (typeof head === 'string') {
    if (booked.length > 0) tally.unknown(head)
    return given(booked.length)
  }
  const outcomes = await ask(
    booked.map(({ token, spender }) =>
      readContract({
        address: token.address,
        abi: erc20Abi,
        functionName: 'allowance',
        args: [wallet, spender],
        block: head,
      }),
    ),
  )
  // A running bot may have approved between the two: the books as they stand afterwards count as well.
  const later = await read()
  const after = new Map(later.map((one) => [nameOf(one), one] as const))
  for (const [index, one] of booked.entries()) {
    const { token } = one
    const both = [one, after.get(nameOf(one)) ?? one]
    const wei = [...new Set(both.flatMap((each) => each.wei))]
    const permitted = both.flatMap((each) => each.permitted)
    const seen = outcomes[index]
    // A contract that is gone, or reverts, would keep the books unproven for ever.
    if (seen?.ok === false && isOfContract(seen.error))
      tally.pruned(`${token.symbol} tells no allowance, and may have none any more`)
    else if (seen?.ok !== true) tally.unknown(`the allowance of ${token.symbol} was not answered`)
    else if (wei.includes(seen.value))
      checkBound({ token, spender: one.spender, wei: seen.value }, watched, tally)
    else differs({ ...one, wei, permitted }, seen.value, tally)
  }
  const others = await checkOthers({ watched, booked: [...booked, ...later], head }, tally)
  const left = booked
    .filter(({ wei }) => wei.some((one) => one > 0n))
    .map(
      ({ token, wei, swapId }) =>
        `${wei.map((some) => show({ token, wei: some })).join(' or ')} left by ${swapId}`,
    )
  return `${given(booked.length)}; on record: ${left.join(', ') || 'nothing left'}; ${others}`
}

/** An allowance that is none of the amounts in the books. Only one that an approval of ours once set is a broken ledger. */
function differs(
  { token, spender, swapId, wei, permitted, isSet }: BookedAllowance,
  seen: bigint,
  tally: BreakTally,
): void {
  const left = permitted.filter((one) => seen <= one.wei)
  // Its swap may use it up.
  if (left.some(({ isOpen }) => isOpen)) return
  const allowed = show({ token, wei: seen })
  const facts = { token: token.symbol, address: token.address, allowed, spender, swapId }
  if (left.length > 0) {
    if (seen > 0n)
      tally.broke({
        key: `I8 ${token.address} ${spender} ${seen}`,
        code: 'PERMIT_LEFT',
        facts,
        next: 'ballast revoke --live; the next swap that sells it uses it up or sets it right',
        lock: undefined,
      })
    return
  }
  if (!isSet) {
    unbooked({ token, spender, wei: seen }, tally)
    return
  }
  tally.broke({
    key: `I8 ${token.address} ${spender} ${seen}`,
    code: 'ALLOWANCE_DIFFERS',
    facts: { ...facts, booked: wei.map((some) => show({ token, wei: some })).join(' or ') },
    next: `set it to 0 from the wallet: approve(${spender}, 0) of ${token.address}; then: ballast resume --reason "…"`,
    lock: 'LEDGER_BROKEN',
  })
}

/** One that no book has. A permit needs no transaction of the wallet, so no nonce shows it. */
function unbooked(
  { token, spender, wei }: { token: Token; spender: Address; wei: bigint },
  tally: BreakTally,
): void {
  const { address, symbol } = token
  tally.broke({
    key: `I8 ${address} ${spender} ${wei}`,
    code: 'ALLOWANCE_UNBOOKED',
    facts: { token: symbol, address, allowed: show({ token, wei }), spender },
    next: 'ballast revoke --live; if you did not give it, another holds this key: move what the wallet has',
    lock: undefined,
  })
}

/** The most that a spender may be left with: what the owner lets stand, or what one swap may sell. */
function mostOf(
  token: Token,
  { perSwap, allowances }: WatchedAllowances['limits'],
): bigint | undefined {
  const amounts = [...perSwap, ...allowances].filter((one) => sameToken(one.token, token))
  return amounts.map(({ wei }) => wei).reduce(larger, undefined)
}

const larger = (most: bigint | undefined, wei: bigint): bigint =>
  most === undefined || wei > most ? wei : most

function checkBound(
  { token, spender, wei }: { token: Token; spender: Address; wei: bigint },
  { limits, limitsChanged, router }: WatchedAllowances,
  tally: BreakTally,
): void {
  // A router that is configured no more needs none, nor Permit2 for a token that policy.permits does not name.
  const spenders = spendersOf(token, { router, permits: limits.permits })
  // Nor does any for a token without a limit: no swap sells it.
  const isOurs = spenders.some((one) => sameAddress(one, spender))
  const most = (isOurs ? mostOf(token, limits) : undefined) ?? 0n
  if (wei <= most) return
  const [allowed, bound] = [show({ token, wei }), show({ token, wei: most })]
  // The next swap that sells it sets it right.
  if (limitsChanged && most > 0n) {
    const changed = 'and the limits were changed since the last clean run'
    tally.unknown(`${spender} may take ${allowed}, of ${bound} at most, ${changed}`)
    return
  }
  tally.broke({
    key: `I8 above ${token.address} ${wei}`,
    code: 'ALLOWANCE_ABOVE_BOUND',
    facts: { token: token.symbol, address: token.address, allowed, most: bound, spender },
    next: 'ballast revoke --live',
    lock: undefined,
  })
}

/** Allowances of configured tokens that no book has. */
async function checkOthers(
  {
    watched: { tokens, granted },
    booked,
    head,
  }: { watched: WatchedAllowances; booked: readonly BookedAllowance[]; head: number },
  tally: BreakTally,
): Promise<string> {
  try {
    const { standing, unread } = await granted(head)
    // Of a contract that is none of ours any answer is possible, also none.
    for (const { token, spender } of unread)
      if (tokens.some(({ address }) => sameAddress(address, token)))
        tally.unknown(`what ${spender} may take of ${token} was not answered`)
    for (const { token: address, spender, wei } of standing) {
      const token = tokens.find((one) => sameAddress(one.address, address))
      const isBooked = booked.some(
        (one) => sameAddress(one.token.address, address) && sameAddress(one.spender, spender),
      )
      if (token !== undefined && !isBooked) unbooked({ token, spender, wei }, tally)
    }
    return 'the logs were searched for others'
  } catch (error) {
    if (!(error instanceof BallastError) || error.fault !== 'upstream') throw error
    const none = `the endpoint does not show whether there are others: ${error.summary}`
    // One that never searches its logs must not keep the mark back; of one that failed now, the same blocks are searched again.
    if (!saysNo(error) && error.code !== 'LOGS_NOT_FOUND') tally.unknown(none)
    return none
  }
}

const nameOf = ({ token, spender }: BookedAllowance) => `${token.address} ${spender}`

const given = (count: number) =>
  `${countOf(count, 'allowance')} ${count === 1 ? 'was' : 'were'} ever given`
