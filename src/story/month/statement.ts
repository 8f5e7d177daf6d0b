import type { Valuation } from '../../bot/journal/valuations/valuations.ts'
import { assert } from '../../core/assert.ts'
import { balanceIn, createTotals } from '../../core/holdings.ts'
import { hourMs } from '../../core/spans.ts'
import { sameToken, type Token } from '../../core/token.ts'
import type { BookEntry } from './bookFacts.ts'
import type { Books } from './books.ts'
import { type ByMethod, completeEntries, createLots } from './createLots.ts'

/** A valuation that stands for the boundary of a month, and where it lies: right behind it, before it, or where the books begin. */
export type MonthMark = {
  readonly valuation: Valuation
  readonly place: 'after' | 'before' | 'begin'
}

/** How far behind a boundary its valuation may lie. Of older days one an hour is kept, so an hour alone could miss it. */
export const markMs = 2 * hourMs

/**
 * The valuation of a boundary: the first that knows every price within two hours behind it, else the first there, else the
 * last before it. It follows from the boundary alone, so one month ends with what the next one begins with.
 */
export function markAt(quiet: readonly Valuation[], boundary: number): MonthMark | undefined {
  const behind = quiet.filter(({ at }) => at >= boundary && at < boundary + markMs)
  const after = behind.find(({ total }) => total !== undefined) ?? behind[0]
  if (after !== undefined) return { valuation: after, place: 'after' }
  const before = quiet.findLast(({ at }) => at < boundary)
  return before && { valuation: before, place: 'before' }
}

/** Amounts of one token: opening + deposits − withdrawals + bought − sold − gas = closing, to the unit. */
export type TokenLine = {
  readonly token: Token
  readonly opening: bigint
  readonly deposits: bigint
  readonly withdrawals: bigint
  readonly bought: bigint
  readonly sold: bigint
  readonly gas: bigint
  readonly closing: bigint
  /** Of the month and in the unit of account. */
  readonly realised: ByMethod
  /** At the month's end. */
  readonly cost: ByMethod
}

/**
 * Sums in the unit of account: opening + deposits − withdrawals − sentOn + realised + unrealised − gas = closing, to the unit
 * and by both methods.
 */
export type Sums = {
  readonly opening: bigint
  readonly deposits: bigint
  readonly withdrawals: bigint
  /** The proceeds of swaps that went to another recipient. */
  readonly sentOn: bigint
  readonly gas: bigint
  readonly realised: ByMethod
  readonly unrealised: ByMethod
  readonly closing: bigint
}

export type Statement = {
  readonly entries: readonly BookEntry[]
  readonly lines: readonly TokenLine[]
  /** Undefined where a price is missing. */
  readonly sums: Sums | undefined
  /** What is not known, a sentence each. */
  readonly unknown: readonly string[]
}

/** Adds up what lies between two valuations of the books. Result: what left was worth, less what it cost. */
export function statementOf(
  books: Books,
  { opening, closing }: { readonly opening: Valuation; readonly closing: Valuation },
): Statement {
  const lots = createLots()
  const all = completeEntries(books)
  const isBefore = ({ at }: BookEntry) => at <= opening.at
  for (const entry of all.filter(isBefore)) lots.enter(entry)
  const begun = lots.held()
  const entries = all.filter((entry) => !isBefore(entry) && entry.at <= closing.at)
  const realised = new Map<string, ByMethod>()
  for (const entry of entries) {
    const cost = lots.enter(entry)
    if (entry.left === undefined) continue
    const key = entry.left.token.address.toLowerCase()
    const sum = realised.get(key) ?? { fifo: 0n, average: 0n }
    const worth = entry.worth ?? 0n
    realised.set(key, plus(sum, { fifo: worth - cost.fifo, average: worth - cost.average }))
  }
  const ended = lots.held()
  const unknown = unknowns(books.unit, { opening, closing, entries })
  const lines = linesOf({ opening, closing, entries, realised, ended })
  return {
    ...{ entries, lines, unknown },
    sums: unknown.length > 0 ? undefined : sumsOf({ opening, closing, entries, lines, begun }),
  }
}

type Piles = ReturnType<ReturnType<typeof createLots>['held']>

type Parts = {
  readonly opening: Valuation
  readonly closing: Valuation
  readonly entries: readonly BookEntry[]
}

function linesOf({
  opening,
  closing,
  entries,
  realised,
  ended,
}: Parts & {
  readonly realised: ReadonlyMap<string, ByMethod>
  readonly ended: Piles
}): readonly TokenLine[] {
  const held = ({ holdings }: Valuation) => holdings.map((one) => one.held)
  const totals = createTotals()
  for (const amount of [...held(opening), ...held(closing)]) totals.add(amount)
  for (const { left, came } of entries)
    for (const amount of [left, came]) if (amount !== undefined) totals.add(amount)
  return totals.all().map(({ token }) => {
    const sum = (kind: BookEntry['kind'], side: 'left' | 'came') =>
      entries.reduce((wei, entry) => {
        const amount = entry.kind === kind ? entry[side] : undefined
        return amount !== undefined && sameToken(amount.token, token) ? wei + amount.wei : wei
      }, 0n)
    const pile = ended.find((one) => sameToken(one.held.token, token))
    const line = {
      token,
      opening: balanceIn(held(opening), token),
      deposits: sum('deposit', 'came'),
      withdrawals: sum('withdrawal', 'left'),
      bought: sum('swap', 'came'),
      sold: sum('swap', 'left'),
      gas: sum('gas', 'left'),
      closing: balanceIn(held(closing), token),
      realised: realised.get(token.address.toLowerCase()) ?? { fifo: 0n, average: 0n },
      cost: pile?.cost ?? { fifo: 0n, average: 0n },
    }
    const { deposits, withdrawals, bought, sold, gas } = line
    const moved = deposits - withdrawals + bought - sold - gas
    assert(line.opening + moved === line.closing, 'the amounts of a token add up')
    return line
  })
}

function sumsOf({
  opening,
  closing,
  entries,
  lines,
  begun,
}: Parts & { readonly lines: readonly TokenLine[]; readonly begun: Piles }): Sums {
  const worthOf = (wanted: (entry: BookEntry) => boolean) =>
    entries.reduce((sum, entry) => (wanted(entry) ? sum + (entry.worth ?? 0n) : sum), 0n)
  const [first, last] = [opening.total?.wei ?? 0n, closing.total?.wei ?? 0n]
  const none = { fifo: 0n, average: 0n }
  const realised = lines.reduce((sum, line) => plus(sum, line.realised), none)
  const costs = [begun.map(({ cost }) => cost), lines.map(({ cost }) => cost)]
  const [before = none, after = none] = costs.map((some) => some.reduce(plus, none))
  const sums: Sums = {
    opening: first,
    deposits: worthOf(({ kind }) => kind === 'deposit'),
    withdrawals: worthOf(({ kind }) => kind === 'withdrawal'),
    sentOn: worthOf(({ kind, came }) => kind === 'swap' && came === undefined),
    gas: worthOf(({ kind }) => kind === 'gas'),
    realised,
    unrealised: {
      fifo: last - after.fifo - (first - before.fifo),
      average: last - after.average - (first - before.average),
    },
    closing: last,
  }
  const { deposits, withdrawals, sentOn, gas, unrealised } = sums
  for (const method of ['fifo', 'average'] as const) {
    const result = realised[method] + unrealised[method] - gas
    assert(first + deposits - withdrawals - sentOn + result === last, 'a month adds up')
  }
  return sums
}

const plus = (a: ByMethod, b: ByMethod): ByMethod => ({
  fifo: a.fifo + b.fifo,
  average: a.average + b.average,
})

/** The reasons why there are no sums. */
function unknowns(unit: Token, { opening, closing, entries }: Parts): readonly string[] {
  const reasons = new Set<string>()
  for (const [name, valuation] of Object.entries({ opening, closing })) {
    if (!sameToken(valuation.unit, unit))
      reasons.add(`The ${name} value was recorded in ${valuation.unit.symbol}.`)
    for (const { held, worth } of valuation.holdings)
      if (worth === undefined) reasons.add(`No price of ${held.token.symbol} at the ${name}.`)
  }
  for (const { kind, worth, left, came } of entries)
    if (worth === undefined)
      reasons.add(`No price of ${(left ?? came)?.token.symbol} for a ${kind}, then or later.`)
  return [...reasons]
}
