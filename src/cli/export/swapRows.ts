import type { Dossier } from '../../bot/dossier.ts'
import { amountCells } from './amountCells.ts'
import { columns } from './columns.ts'
import type { Export, Row } from './exports.ts'

/** Swaps read at a time. */
const page = 200

/** Every swap in the order in which they were planned. */
export const swapRows: Export = {
  columns: columns(
    ...['id', 'strategy', 'state', 'code', 'reason', 'created_at', 'updated_at'],
    ...['wallet', 'recipient', 'sell_token', 'sell_address', 'buy_token', 'buy_address'],
    ...['sell_amount#', 'sell_wei#', 'floor_amount#', 'floor_wei#'],
    ...['fair_amount#', 'fair_wei#', 'indicated_amount#', 'indicated_wei#'],
    ...['quoted_amount#', 'quoted_wei#', 'minimum_amount#', 'minimum_wei#'],
    ...['sold_amount#', 'sold_wei#', 'received_amount#', 'received_wei#'],
    ...['notional_unit', 'notional_amount#', 'notional_wei#', 'source', 'quote_id'],
    ...['gas_used#', 'gas_paid_wei#', 'gas_paid_in_all_wei#', 'nonce#', 'block#', 'tx_hash'],
  ),
  async *rows({ journal, since, until }) {
    let last: Dossier | undefined
    for (;;) {
      const after = last && { createdAt: last.createdAt, id: last.id }
      const swaps = await journal.swaps.page({ after, limit: page, since, until })
      for (const swap of swaps) yield rowOf(swap)
      last = swaps.at(-1)
      if (last === undefined || swaps.length < page) return
    }
  },
}

function rowOf({ plan, quote, moved, attempts, ...swap }: Dossier): Row {
  const { sell, buy, floor, reason } = plan.intent
  return {
    id: swap.id,
    strategy: swap.strategy,
    state: swap.state,
    code: swap.code,
    reason: swap.reason ?? reason,
    created_at: new Date(swap.createdAt).toISOString(),
    updated_at: new Date(swap.updatedAt).toISOString(),
    wallet: plan.wallet,
    recipient: plan.recipient,
    sell_token: sell.token.symbol,
    sell_address: sell.token.address,
    buy_token: buy.symbol,
    buy_address: buy.address,
    ...amountCells('sell', sell),
    ...amountCells('floor', floor),
    ...amountCells('fair', plan.arrival?.fair),
    ...amountCells('indicated', plan.indication?.bought),
    ...amountCells('quoted', quote?.amountOut),
    ...amountCells('minimum', quote?.minimum),
    ...amountCells('sold', moved?.sold),
    ...amountCells('received', moved?.received),
    notional_unit: plan.notional?.token.symbol,
    ...amountCells('notional', plan.notional),
    source: quote?.source,
    quote_id: quote?.quoteId,
    gas_used: swap.gasUsed?.toString(),
    gas_paid_wei: swap.gasPaid?.toString(),
    gas_paid_in_all_wei: swap.gasPaidInAll?.toString(),
    nonce: swap.nonce,
    block: swap.block,
    tx_hash: attempts.findLast(({ kind }) => kind === 'SWAP')?.hash,
  }
}
