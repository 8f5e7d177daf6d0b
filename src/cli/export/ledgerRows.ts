import type { Move } from '../../bot/journal/wallet/moves.ts'
import { formatDecimal } from '../../core/decimal.ts'
import { sameAddress } from '../../core/token.ts'
import { columns } from './columns.ts'
import type { Export, Row, Wanted } from './exports.ts'

/** Entries of the log read at a time. */
const page = 500

/** Every move of a wallet's balances, in the order of the log: what left is below zero. */
export const ledgerRows: Export = {
  columns: columns(
    ...['seq#', 'at', 'kind', 'strategy', 'swap', 'wallet'],
    ...['token', 'address', 'amount#', 'wei#', 'tx_hash'],
  ),
  async *rows({ journal, config, since, until }) {
    let after: number | undefined
    do {
      const { moves, last } = await journal.wallet.moves({ after, limit: page, since, until })
      for (const move of moves) yield rowOf(move, config)
      after = last
    } while (after !== undefined)
  },
}

function rowOf(move: Move, { tokens }: Wanted['config']): Row {
  const { seq, at, kind, strategy, of, wallet, address, wei, hash } = move
  const token =
    move.token ?? [...tokens.bySymbol.values()].find((one) => sameAddress(one.address, address))
  return {
    seq,
    at: new Date(at).toISOString(),
    kind,
    strategy,
    swap: kind === 'paid-in' ? undefined : of,
    wallet,
    token: token?.symbol,
    address,
    // Of a token that is configured no more the decimals are not known; its integer is.
    amount: token && formatDecimal(wei, token.decimals),
    wei: wei.toString(),
    tx_hash: hash,
  }
}
