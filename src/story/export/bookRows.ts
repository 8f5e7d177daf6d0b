import type { Amount } from '../../core/amount.ts'
import { isoText } from '../../core/isoText.ts'
import type { BookEntry } from '../month/bookFacts.ts'
import { type Books, keepBooks, quietValuations } from '../month/books.ts'
import { completeEntries, createLots, openedEntries } from '../month/createLots.ts'
import type { MonthSpan } from '../month/monthSpan.ts'
import { factsUpto, readBooks, readMarked } from '../month/readBooks.ts'
import { markAt } from '../month/statement.ts'
import { amountCells, columns, type Export, type Row, type Wanted } from './row.ts'

type Span = {
  readonly books: Books
  readonly isWithin: (entry: { readonly at: number }) => boolean
  /** The last instant that counts. */
  readonly upto: number
}

/** Until an instant they go on to the valuation that marks it: entries are worth what the statement of a month says. */
async function spanOf({ journal, config, since = 0, until, month }: Wanted): Promise<Span> {
  if (month !== undefined) return spanOfMonth({ journal, config }, month)
  const isWithin: Span['isWithin'] = ({ at }) => at >= since && (until === undefined || at < until)
  if (until === undefined) {
    const known = await readBooks(journal, config, { until: Number.MAX_SAFE_INTEGER })
    return { books: keepBooks(known), isWithin, upto: Number.MAX_SAFE_INTEGER }
  }
  const { known, mark } = await readMarked(journal, config, until)
  const upto = Math.max(mark?.valuation.at ?? 0, until - 1)
  return { books: keepBooks(factsUpto(known, upto)), isWithin, upto: until - 1 }
}

/**
 * A month begins and ends with the valuations that stand for its boundaries: its rows are those of its statement, and each entry is of
 * one month. Without one, and where the books begin with it, the instant counts.
 */
async function spanOfMonth(
  { journal, config }: Pick<Wanted, 'journal' | 'config'>,
  { from, until }: MonthSpan,
): Promise<Span> {
  const { known } = await readMarked(journal, config, until)
  const quiet = quietValuations(known)
  const lastOf = (boundary: number) => {
    const mark = markAt(quiet, boundary)
    const isMark = mark?.place === 'after' && mark.valuation.at !== quiet[0]?.at
    return isMark ? mark.valuation.at : boundary - 1
  }
  const [after, upto] = [lastOf(from), lastOf(until)]
  const isWithin: Span['isWithin'] = ({ at }) => at > after && at <= upto
  return { books: keepBooks(factsUpto(known, upto)), isWithin, upto }
}

/** Every entry of the books as rows of a general ledger. In each entry debits equal credits, by token and in value. */
export const journalRows: Export = {
  columns: columns(
    ...['entry#', 'date', 'kind', 'account', 'token', 'address'],
    ...['debit_amount#', 'debit_wei#', 'credit_amount#', 'credit_wei#'],
    ...['unit', 'debit_value_amount#', 'debit_value_wei#', 'credit_value_amount#'],
    ...['credit_value_wei#', 'valued_by', 'strategy', 'swap', 'tx_hash', 'chain#'],
  ),
  async *rows(wanted) {
    const { books, isWithin } = await spanOf(wanted)
    const { unit } = books
    for (const [index, entry] of openedEntries(books).entries()) {
      if (!isWithin(entry)) continue
      const { at, kind, strategy, swap, hash } = entry
      const { worth, by } = entry.lost ?? entry
      const value = worth === undefined ? undefined : { token: unit, wei: worth }
      for (const { account, side, amount } of legsOf(entry))
        yield {
          ...{ entry: index + 1, date: isoText(at), kind, account },
          ...{ token: amount.token.symbol, address: amount.token.address },
          ...amountCells(side, amount),
          unit: unit.symbol,
          ...amountCells(`${side}_value`, value),
          ...{ valued_by: by, strategy, swap, tx_hash: hash, chain: amount.token.chainId },
        }
    }
  },
}

type Leg = { readonly account: string; readonly side: 'debit' | 'credit'; readonly amount: Amount }

/** The other side of what came to the wallet or left it; a swap passes through `Trading`, so that each token balances. */
const counterOf: Readonly<Record<BookEntry['kind'], string>> = {
  opening: 'Equity:Opening',
  deposit: 'Equity:Deposits',
  withdrawal: 'Equity:Withdrawals',
  gas: 'Expenses:Gas',
  swap: 'Trading',
}

/** A swap that took and gave nothing. */
const isLoss = ({ kind, came }: BookEntry) => kind === 'swap' && came?.wei === 0n

function legsOf(entry: BookEntry): readonly Leg[] {
  const { kind, left, came } = entry
  const isSentOn = kind === 'swap' && came === undefined
  const swapped = isLoss(entry) ? 'Expenses:Losses' : counterOf[kind]
  const counter = isSentOn ? 'Equity:Paid to recipients' : swapped
  const pair = (amount: Amount, [debit, credit]: readonly [string, string]): readonly Leg[] => [
    { account: debit, side: 'debit', amount },
    { account: credit, side: 'credit', amount },
  ]
  return [
    ...(left === undefined ? [] : pair(left, [counter, 'Assets:Wallet'])),
    ...(came === undefined || isLoss(entry) ? [] : pair(came, ['Assets:Wallet', counter])),
  ]
}

/** Every lot, first in first out: what it cost, what is left of it and of its cost at the last valuation. */
export const lotRows: Export = {
  columns: columns(
    ...['acquired_at', 'acquired_by', 'token', 'address', 'amount#', 'wei#', 'unit'],
    ...['cost_amount#', 'cost_wei#', 'valued_by', 'left_amount#', 'left_wei#'],
    ...['left_cost_amount#', 'left_cost_wei#', 'strategy', 'swap', 'tx_hash', 'chain#'],
  ),
  async *rows(wanted) {
    const { books, isWithin, upto } = await spanOf(wanted)
    const quiet = books.quiet.filter(({ at }) => at <= upto)
    const lots = createLots()
    for (const entry of completeEntries({ ...books, quiet })) lots.enter(entry)
    for (const { entry, came, left, cost } of lots.all()) {
      // One from before a month is part of its statement, until it is sold.
      if (wanted.month === undefined && !isWithin(entry)) continue
      const inUnit = (wei: bigint | undefined) =>
        wei === undefined ? undefined : { token: books.unit, wei }
      const { amount_amount: amount, amount_wei: wei } = amountCells('amount', came)
      const row: Row = {
        ...{ acquired_at: isoText(entry.at), acquired_by: entry.kind },
        ...{ token: came.token.symbol, address: came.token.address, amount, wei },
        unit: books.unit.symbol,
        ...amountCells('cost', inUnit(entry.worth)),
        valued_by: entry.by,
        ...amountCells('left', { token: came.token, wei: left }),
        ...amountCells('left_cost', inUnit(entry.worth === undefined ? undefined : cost)),
        ...{ strategy: entry.strategy, swap: entry.swap, tx_hash: entry.hash },
        chain: came.token.chainId,
      }
      yield row
    }
  },
}
