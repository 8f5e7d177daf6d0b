import type { ColumnType, Generated } from 'kysely'
import type { LockKind } from '../../lock.ts'
import type { AttemptKind, Decision } from '../../stages.ts'
import type { SwapState } from '../../state.ts'

/** A long text, stored as `packed` gives it and read as the text it was. */
type PackedText = ColumnType<string, Uint8Array, Uint8Array>

/** One wanted swap and what became of it. Amounts are integers in text: SQLite's own integers end at 2^63. */
export type SwapTable = {
  id: string
  /** The same slot of the same strategy is planned once. */
  key: string
  strategy: string
  chain_id: number
  wallet: string
  /** {@link Plan} as JSON. */
  plan: PackedText
  sell_token: string
  amount_in: string
  /** Absent in rows older than the limits in a unit of account. */
  buy_token: string | null
  /** The sold amount in the unit of account, and the address of that unit. */
  notional: string | null
  notional_unit: string | null
  state: SwapState
  /** Rises with every change. */
  version: number
  /** Why it ended as it did, as a stable code and a sentence. */
  code: string | null
  reason: string | null
  nonce: number | null
  deadline: number | null
  /** When its bytes were stored: what limits over time count from. */
  signed_at: number | null
  included_hash: string | null
  included_block: number | null
  included_block_hash: string | null
  sold: string | null
  received: string | null
  gas_used: string | null
  gas_paid: string | null
  /** The tip in it, and the base fees; null in rows older than these columns. */
  tip_paid: string | null
  base_paid: string | null
  /** 1 when the balances moved by exactly what was reported. */
  agrees: number | null
  /** 1 when less came in, or more left, than was reported. */
  short: number | null
  /** The instant it was planned for, and which attempt at it; null for one by hand. */
  slot: number | null
  slot_try: number | null
  created_at: number
  updated_at: number
}

/** The one firm quote a swap was signed for. */
export type QuoteTable = {
  swap_id: string
  chain_id: number
  router: string
  quote_id: string
  authorization: string
  deadline: number
  amount_out: string
  minimum: string
  /** The answer as it came, kept as evidence. */
  body: PackedText
  checks: PackedText
  simulation: PackedText
  /** The legs it offered, as JSON; null in older rows, and of a quote whose calldata cannot be read. */
  legs: ColumnType<string | null, Uint8Array | null | undefined, Uint8Array | null>
}

/** Signed bytes. A row here is what permits a broadcast. */
export type AttemptTable = {
  hash: string
  swap_id: string
  kind: AttemptKind
  chain_id: number
  wallet: string
  nonce: number
  raw: PackedText
  transaction: PackedText
  created_at: number
  /** Height of the head when last sent; null while it never left. */
  sent_at_block: number | null
  answer: string | null
  /** Height of the block that closed it for good. */
  closed_at_block: number | null
  gas_paid: string | null
  tip_paid: string | null
  base_paid: string | null
  /** Hash of the bytes of the same nonce that these outbid; null for the first. */
  replaces: string | null
  /** The network's last answer to them: a `Verdict`. */
  verdict: string | null
  /** When a person gave its nonce back, because the chain had lost it. */
  given_back_at: number | null
  /** When it was written down that public endpoints get them too; null where they do not, or always did. */
  published_at: number | null
}

type WalletTable = {
  chain_id: number
  address: string
  next_nonce: number
  /** The nonce when the journal took the wallet in; null in rows older than this column. */
  adopted_nonce: number | null
  /** Not used since locks are rows of their own. */
  halted: null
}

/** A reason not to sign. Never deleted: released. */
export type LockTable = {
  id: Generated<number>
  kind: LockKind
  scope: string
  code: string
  reason: string
  opened_at: number
  expires_at: number | null
  released_at: number | null
  released_reason: string | null
  /** Who; null for the bot itself, and in rows older than these columns. */
  opened_by: string | null
  released_by: string | null
}

/** A strategy's view and decision. Replays as a test. Looks that come to the same are one row: see `countLook`. */
export type DecisionTable = {
  id: Generated<number>
  strategy: string
  slot: number
  at: number
  kind: Decision['kind']
  reason: string
  context: PackedText
  decision: PackedText
  /** Memory for the next decision under the same parameters, as JSON, and the hash of those parameters. */
  memory: string | null
  params_hash: string | null
  /** How many looks came to this; slot, instant and sentence of the last, and the prices it saw. Null where it is one. */
  looks: Generated<number>
  last_slot: number | null
  last_at: number | null
  last_reason: string | null
  last_seen: ColumnType<string | null, Uint8Array | null | undefined, Uint8Array | null>
}

/** An intent that was refused before it was planned. */
type RefusalTable = {
  id: Generated<number>
  decision: number
  strategy: string
  code: string
  reason: string
  at: number
  /** How often, where the decision counts several looks. */
  times: Generated<number>
}

/** A price that was seen of a pair, as `keptPrice` gives it: the first of each hour. */
type PriceTable = {
  chain_id: number
  sell_token: string
  buy_token: string
  /** Since the epoch. */
  hour: number
  at: number
  sold: string
  bought: string
}

/** What a wallet held and was worth. `total` in the smallest unit of `unit`; null where a part of it is unknown. */
type ValuationTable = {
  chain_id: number
  wallet: string
  at: number
  unit: string
  total: string | null
  /** `Holding`s as JSON. */
  holdings: PackedText
  /** 1 where it was made up for a demonstration. */
  seeded: Generated<number>
}

/** Outcome of a calendar slot, or of a run of them missed at once. Here it is closed: it is not looked at again. */
export type SlotTable = {
  strategy: string
  slot: number
  /** The last of the run; the slot itself where it is one. */
  upto: number
  /** How many. */
  slots: number
  state: 'done' | 'passed' | 'missed' | 'failed'
  reason: string
  /** Whose slot it was; null in rows older than this column. */
  calendar: string | null
  at: number
}

/** All that the settled swaps of a strategy ever sold of one token for another. */
type StrategyTotalTable = {
  strategy: string
  chain_id: number
  sell_token: string
  buy_token: string
  /** The tokens, as JSON. */
  sell: string
  buy: string
  sold: string
  received: string
  swaps: number
}

/** Append-only: every change of a swap and every lock, in order, each entry chained to the one before it. */
export type EventTable = {
  seq: Generated<number>
  swap_id: string
  at: number
  type: string
  /** JSON with its keys in alphabetical order. */
  facts: PackedText
  /** Hash of the entry before. */
  prev: PackedText
  hash: PackedText
}

/** Balance of a token in a wallet at a quiet moment. */
type BaselineTable = {
  chain_id: number
  wallet: string
  token: string
  wei: string
  /** The last entry of the log that it takes into account. */
  seq: number
  at: number
}

/** Up to where the books were compared with the chain and found in order. */
type ReconciledTable = {
  chain_id: number
  wallet: string
  block: number
  seq: number
  /** Of that entry: the log before it is still the one that was looked through. */
  hash: string
  at: number
  limits: string
  /** Of the strategies, as of that entry; null in rows older than this column. */
  totals: string | null
}

/** The spender, where the journal is on a server. Times are the server's. */
type WalletLeaseTable = {
  chain_id: number
  address: string
  holder: string
  /** Rises whenever it is given to another. */
  epoch: number
  expires_at: number
}

/** Amount the wallet lets a contract take: set by a mined approval, less what settled swaps took. */
export type AllowanceTable = {
  chain_id: number
  wallet: string
  token: string
  spender: string
  wei: string
  /** The swap whose approval set it. */
  swap_id: string
  at: number
}

export type PermitKind = 'TOKEN' | 'PERMIT2'

/** A signed permit of a token: whoever has it may give it to the token until its deadline, or until its nonce is used. Permit2 takes its own from the router alone. */
type PermitTable = {
  /** Whose it is: the token's own, or Permit2's. */
  kind: PermitKind
  /** EIP-712. */
  digest: string
  swap_id: string
  chain_id: number
  wallet: string
  token: string
  spender: string
  wei: string
  /** The token's own count, not the wallet's; or one of Permit2's, which have no order. */
  nonce: string
  /** Unix seconds. */
  deadline: number
  signature: string
  /** 1 where the bytes of its swap bring it along. */
  sent: number
  created_at: number
}

/** The kind of these books: one row, absent in those that are older than it. */
type JournalKindTable = {
  id: number
  kind: 'live' | 'paper'
}

/** Virtual money of a run on paper: where it began, and what its swaps left. */
type PaperBalanceTable = {
  chain_id: number
  wallet: string
  token: string
  opening: string
  /** The balance the wallet held then, or the one a person gave. */
  origin: 'wallet' | 'given'
  wei: string
  opened_at: number
}

/** An event to be told: something began to need attention, or ended. */
export type AlertTable = {
  /** Receivers leave out what they have by this. */
  id: string
  /** Code and subject: the same thing as long as it lasts. */
  topic: string
  severity: 'critical' | 'warning' | 'info'
  /** The very text that is sent. */
  body: string
  at: number
  /** When what began was over; null while it lasts. */
  over_at: number | null
}

/** An event on its way through one channel. */
export type AlertDeliveryTable = {
  alert_id: string
  channel: string
  tries: number
  next_at: number
  delivered_at: number | null
}

/** What is read after a swap was mined, or after a wish came to nothing. Rows stay: figures of reports are made of them. */
export type AftermathTable = {
  /** A swap's id, or `refusal 12`. */
  subject: string
  strategy: string
  /** 1 where the swap was mined and did not revert. */
  filled: number
  /** Of a refusal, which has no plan: what was to be sold, and for what, as JSON. */
  asked: ColumnType<string | null, Uint8Array | null | undefined, Uint8Array | null>
  /** The instant that marks count from: of the swap's block, or when the wish ended. */
  at: number
  /** Of a filled swap. */
  block: number | null
  /** When there is something to read again; null where all of it is read or given up. */
  next_at: number | null
  /** `Found` as JSON. */
  found: PackedText
}

export type Tables = {
  aftermath: AftermathTable
  alert: AlertTable
  alert_delivery: AlertDeliveryTable
  allowance: AllowanceTable
  permit: PermitTable
  swap: SwapTable
  quote: QuoteTable
  attempt: AttemptTable
  wallet: WalletTable
  decision: DecisionTable
  price: PriceTable
  valuation: ValuationTable
  slot: SlotTable
  refusal: RefusalTable
  strategy_total: StrategyTotalTable
  event: EventTable
  lock: LockTable
  baseline: BaselineTable
  reconciled: ReconciledTable
  wallet_lease: WalletLeaseTable
  journal_kind: JournalKindTable
  paper_balance: PaperBalanceTable
}
