import type { Dossier } from '../../bot/dossier.ts'
import { swapHash } from '../../bot/journal/swaps/swapHash.ts'
import type { Move } from '../../bot/journal/wallet/moves.ts'
import { formatDecimal } from '../../core/decimal.ts'
import { isoText } from '../../core/isoText.ts'
import { sameAddress } from '../../core/token.ts'
import { inPages } from '../inPages.ts'
import { journalRows, lotRows } from './bookRows.ts'
import { amountCells, columns, type Export, type Row, type Wanted } from './row.ts'

/** Every swap in the order in which they were planned. */
const swapRows: Export = {
  columns: columns(
    ...['id', 'strategy', 'state', 'code', 'reason', 'created_at', 'updated_at'],
    ...['wallet', 'recipient', 'sell_token', 'sell_address', 'buy_token', 'buy_address'],
    ...['sell_amount#', 'sell_wei#', 'floor_amount#', 'floor_wei#'],
    ...['fair_amount#', 'fair_wei#', 'indicated_amount#', 'indicated_wei#'],
    ...['quoted_amount#', 'quoted_wei#', 'minimum_amount#', 'minimum_wei#'],
    ...['sold_amount#', 'sold_wei#', 'received_amount#', 'received_wei#'],
    ...['notional_unit', 'notional_amount#', 'notional_wei#', 'source', 'quote_id'],
    ...[
      'gas_used#',
      'gas_paid_wei#',
      'gas_paid_in_all_wei#',
      'nonce#',
      'block#',
      'tx_hash',
      'chain#',
    ],
  ),
  async *rows({ journal, since, until }) {
    const swaps = inPages(200, (limit, last: Dossier | undefined) => {
      const after = last && { createdAt: last.createdAt, id: last.id }
      return journal.swaps.page({ after, limit, since, until })
    })
    for await (const swap of swaps) yield swapRow(swap)
  },
}

/** Every decision in the order in which they were made, with what was seen and decided as JSON. A row may count looks. */
const decisionRows: Export = {
  columns: columns(
    ...['number#', 'strategy', 'slot', 'at', 'decided', 'reason', 'context', 'decision'],
    ...['looks#', 'last_slot', 'last_at', 'last_reason'],
  ),
  async *rows({ journal, since, until }) {
    type Last = { readonly at: number; readonly id: number }
    // Each has its whole context.
    const decisions = inPages(200, (limit, after: Last | undefined) =>
      journal.decisions.page({ after, limit, since, until }),
    )
    for await (const {
      id,
      strategy,
      slot,
      at,
      kind,
      reason,
      context,
      decision,
      ...last
    } of decisions)
      yield {
        number: id,
        strategy,
        slot: isoText(slot),
        at: isoText(at),
        decided: kind,
        reason,
        context,
        decision,
        looks: last.looks,
        last_slot: last.last_slot === null ? undefined : isoText(last.last_slot),
        last_at: last.last_at === null ? undefined : isoText(last.last_at),
        last_reason: last.last_reason ?? undefined,
      }
  },
}

/** Every calendar slot that is over, strategy by strategy in the order they were due. */
const slotRows: Export = {
  columns: columns('strategy', 'slot', 'upto', 'slots#', 'state', 'reason', 'at'),
  async *rows({ journal, since, until }) {
    type Last = { readonly strategy: string; readonly slot: number }
    const closed = inPages(1_000, (limit, after: Last | undefined) =>
      journal.slots.page({ after, limit, since, until }),
    )
    for await (const { strategy, slot, upto, slots, state, reason, at } of closed)
      yield {
        strategy,
        slot: isoText(slot),
        upto: isoText(upto),
        slots,
        state,
        reason,
        at: isoText(at),
      }
  },
}

/** Every move of a wallet's balances, in the order of the log: what left is below zero. */
const ledgerRows: Export = {
  columns: columns(
    ...['seq#', 'at', 'kind', 'strategy', 'swap', 'wallet'],
    ...['token', 'address', 'amount#', 'wei#', 'tx_hash', 'chain#'],
  ),
  async *rows({ journal, config, since, until }) {
    let after: number | undefined
    do {
      const { moves, last } = await journal.wallet.moves({ after, limit: 500, since, until })
      for (const move of moves) yield ledgerRow(move, config)
      after = last
    } while (after !== undefined)
  },
}

function ledgerRow(move: Move, { tokens }: Wanted['config']): Row {
  const { seq, at, kind, strategy, of, wallet, address, wei, hash } = move
  // The same address may be another token on another chain.
  const { chainId = tokens.native.chainId } = move
  const token =
    move.token ??
    [...tokens.bySymbol.values()].find(
      (one) => one.chainId === chainId && sameAddress(one.address, address),
    )
  return {
    seq,
    at: isoText(at),
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
    chain: chainId,
  }
}

function swapRow({ plan, quote, moved, attempts, ...swap }: Dossier): Row {
  const { sell, buy, floor, reason } = plan.intent
  return {
    id: swap.id,
    strategy: swap.strategy,
    state: swap.state,
    code: swap.code,
    reason: swap.reason ?? reason,
    created_at: isoText(swap.createdAt),
    updated_at: isoText(swap.updatedAt),
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
    tx_hash: swapHash(attempts, swap.mined?.hash),
    chain: sell.token.chainId,
  }
}

export const exports = {
  swaps: swapRows,
  decisions: decisionRows,
  slots: slotRows,
  ledger: ledgerRows,
  journal: journalRows,
  lots: lotRows,
} as const satisfies Readonly<Record<string, Export>>
