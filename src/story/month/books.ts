import type { Valuation } from '../../bot/journal/valuations/valuations.ts'
import type { Move } from '../../bot/journal/wallet/moves.ts'
import type { Amount } from '../../core/amount.ts'
import { balanceIn, smaller } from '../../core/holdings.ts'
import { sameToken, type Token } from '../../core/token.ts'
import type { BookEntry, BookFacts } from './bookFacts.ts'
import { createWorths } from './createWorths.ts'

/** The books of a wallet: every entry in order, and the valuations between which they are complete. */
export type Books = {
  readonly unit: Token
  readonly entries: readonly BookEntry[]
  readonly quiet: readonly Valuation[]
}

/** Valuations at which no swap was under way: there, balances are what the log says, or something else moved them. */
export function quietValuations({
  valuations,
  fills,
}: Pick<BookFacts, 'valuations' | 'fills'>): readonly Valuation[] {
  const begun = [...fills.values()]
    .flatMap((fill) => [fill, ...fill.later])
    .sort((a, b) => a.begun - b.begun)
  let [next, busyUntil] = [0, Number.NEGATIVE_INFINITY]
  return valuations.filter(({ at }) => {
    for (; (begun[next]?.begun ?? Number.POSITIVE_INFINITY) <= at; next += 1)
      busyUntil = Math.max(busyUntil, begun[next]?.ended ?? 0)
    return busyUntil <= at
  })
}

/**
 * Writes the books: the first quiet valuation opens them, swaps and gas are entered from the log, and a difference between two
 * quiet valuations that the log does not explain is a deposit or a withdrawal.
 */
export function keepBooks(facts: BookFacts): Books {
  const { unit } = facts
  const worths = createWorths(facts)
  const quiet = quietValuations(facts)
  const logged = loggedEntries(facts, worths)
  const entries: BookEntry[] = []
  let next = 0
  const loggedUpto = (at: number): readonly BookEntry[] => {
    const from = next
    while ((logged[next]?.at ?? Number.POSITIVE_INFINITY) <= at) next += 1
    return logged.slice(from, next)
  }
  const flow = (
    kind: 'opening' | 'deposit' | 'withdrawal',
    at: number,
    amount: Amount,
  ): BookEntry => ({
    ...{ kind, at, ...worths.of(amount, at) },
    ...(kind === 'withdrawal'
      ? { left: amount, came: undefined }
      : { left: undefined, came: amount }),
    ...{ seq: undefined, swap: undefined, strategy: undefined, hash: undefined },
  })
  for (const [index, { at, holdings }] of quiet.entries()) {
    const own = loggedUpto(at)
    const before = quiet[index - 1]
    const held = holdings.map((one) => one.held)
    if (before === undefined) {
      entries.push(...own, ...held.map((amount) => flow('opening', at, amount)))
      continue
    }
    const flows = flowsBetween({ before: before.holdings.map((one) => one.held), held, own })
    entries.push(...flows.into.map((amount) => flow('deposit', at, amount)))
    entries.push(...own)
    entries.push(...flows.out.map((amount) => flow('withdrawal', at, amount)))
  }
  return { unit, quiet, entries: [...entries, ...logged.slice(next)] }
}

/**
 * What came from outside and left to it between two valuations, as far as the log does not explain it. What came is entered
 * before the swaps and what left behind them. Where swaps sold more than was there, that much must have come, and left again.
 */
function flowsBetween({
  before,
  held,
  own,
}: {
  readonly before: readonly Amount[]
  readonly held: readonly Amount[]
  readonly own: readonly BookEntry[]
}): { readonly into: readonly Amount[]; readonly out: readonly Amount[] } {
  const changes = own.flatMap(({ left, came }) => [
    ...(left === undefined ? [] : [{ token: left.token, wei: -left.wei }]),
    ...(came === undefined ? [] : [came]),
  ])
  const tokens: Token[] = []
  for (const { token } of [...before, ...held, ...changes])
    if (!tokens.some((one) => sameToken(one, token))) tokens.push(token)
  tokens.sort((a, b) => (a.address.toLowerCase() < b.address.toLowerCase() ? -1 : 1))
  const [into, out]: [Amount[], Amount[]] = [[], []]
  for (const token of tokens) {
    let expected = balanceIn(before, token)
    let lowest = 0n
    for (const change of changes) {
      if (!sameToken(change.token, token)) continue
      expected += change.wei
      if (expected < lowest) lowest = expected
    }
    const net = balanceIn(held, token) - expected
    const came = -smaller(lowest, -net)
    if (came > 0n) into.push({ token, wei: came })
    if (came > net) out.push({ token, wei: came - net })
  }
  return { into, out }
}

/** Swaps and gas as the log has them, in the order of time. */
function loggedEntries(
  { moves, fills, coin }: BookFacts,
  worths: ReturnType<typeof createWorths>,
): readonly BookEntry[] {
  const steps = [...Map.groupBy(moves, ({ seq }) => seq).values()]
  const entries = steps.flatMap((step): readonly BookEntry[] => {
    const amountOf = (kind: Move['kind']): Amount | undefined => {
      const move = step.find((one) => one.kind === kind)
      return move && { token: move.token ?? coin.native, wei: move.wei < 0n ? -move.wei : move.wei }
    }
    const [first] = step
    if (first === undefined) return []
    const { at, seq, of, strategy, hash } = first
    const fill = fills.get(of)
    const base = { at, seq, strategy, hash, swap: of }
    const nothing = fill?.received?.wei === 0n ? fill.received : undefined
    const came = nothing ?? amountOf('received')
    const [sold, gas] = [amountOf('sold'), amountOf('gas')]
    return [
      ...(sold === undefined
        ? []
        : [
            {
              ...{ ...base, kind: 'swap' as const, left: sold, came },
              ...worths.ofSwap(fill, sold, at),
              ...(nothing === undefined ? {} : { lost: worths.of(sold, at) }),
            },
          ]),
      ...(gas === undefined || gas.wei === 0n
        ? []
        : [
            {
              ...{ ...base, kind: 'gas' as const, left: gas, came: undefined },
              ...worths.ofGas(fill, gas, at),
            },
          ]),
    ]
  })
  return entries.sort((a, b) => a.at - b.at || (a.seq ?? 0) - (b.seq ?? 0))
}
