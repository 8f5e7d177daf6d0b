import type { Amount } from '../../core/amount.ts'
import type { BookEntry } from '../month/bookFacts.ts'
import { type Books, keepBooks, quietValuations } from '../month/books.ts'
import { completeEntries, createLots, openedEntries } from '../month/createLots.ts'
import { factsUpto, readBooks, readMarked } from '../month/readBooks.ts'
import { markAt } from '../month/statement.ts'
import { amountCells, columns, type Export, iso, type Row, type Wanted } from './row.ts'

type Span = {
  readonly books: Books
  readonly isWithin: (entry: { readonly at: number }) => boolean
  /** The last instant that counts. */
  readonly upto: number
}

/**
 * A span begins and ends with the valuations behind its instants, as a month of `ballast report --month` does: the rows of a month
 * are those of its statement, and spans that follow each other have each entry once. Without such a valuation the instant counts.
 */
async function spanOf({ journal, config, since, until }: Wanted): Promise<Span> {
  const known =
    until === undefined
      ? await readBooks(journal, config, { until: Number.MAX_SAFE_INTEGER })
      : (await readMarked(journal, config, until)).known
  const lastOf = (boundary: number) => {
    const mark = markAt(quietValuations(known), boundary)
    return mark?.place === 'after' ? mark.valuation.at : boundary - 1
  }
  const after = since === undefined ? Number.NEGATIVE_INFINITY : lastOf(since)
  const upto = until === undefined ? Number.MAX_SAFE_INTEGER : lastOf(until)
  return {
    books: keepBooks(until === undefined ? known : factsUpto(known, upto)),
    isWithin: ({ at }) => at > after && at <= upto,
    upto,
  }
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
      const { at, kind, worth, by, strategy, swap, hash } = entry
      const value = worth === undefined ? undefined : { token: unit, wei: worth }
      for (const { account, side, amount } of legsOf(entry))
        yield {
          ...{ entry: index + 1, date: iso(at), kind, account },
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

function legsOf({ kind, left, came }: BookEntry): readonly Leg[] {
  const isSentOn = kind === 'swap' && came === undefined
  const counter = isSentOn ? 'Equity:Paid to recipients' : counterOf[kind]
  const pair = (amount: Amount, [debit, credit]: readonly [string, string]): readonly Leg[] => [
    { account: debit, side: 'debit', amount },
    { account: credit, side: 'credit', amount },
  ]
  return [
    ...(left === undefined ? [] : pair(left, [counter, 'Assets:Wallet'])),
    ...(came === undefined ? [] : pair(came, ['Assets:Wallet', counter])),
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
      if (!isWithin(entry)) continue
      const inUnit = (wei: bigint | undefined) =>
        wei === undefined ? undefined : { token: books.unit, wei }
      const { amount_amount: amount, amount_wei: wei } = amountCells('amount', came)
      const row: Row = {
        ...{ acquired_at: iso(entry.at), acquired_by: entry.kind },
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
