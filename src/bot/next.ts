import type { Hex } from '../chain/calls/fields.ts'
import type { Block } from '../chain/calls/getBlock.ts'
import type { Receipt } from '../chain/calls/getReceipt.ts'
import type { AttemptKind } from './stages.ts'
import type { SwapState } from './state.ts'

/** What the journal knows of a swap that bears on what to do next. */
export type Standing = {
  readonly state: SwapState
  readonly nonce: number | undefined
  /** Unix seconds; the router refuses the swap in any later block. */
  readonly deadline: number | undefined
  /** What the router consumes with the swap; undefined where nothing is known that it does. */
  readonly authorization: Hex | undefined
  /** The block it was seen in. */
  readonly included: { readonly hash: Hex; readonly blockHash: Hex } | undefined
  /** The height of the head when bytes were last sent; undefined when they never were. */
  readonly sentAtBlock: number | undefined
}

/**
 * What the chain says, read in one go. Absent means unknown, and unknown is never a reason to act.
 * An approval is no attempt at the swap: its receipt says nothing about it.
 */
export type Observation<kind extends AttemptKind = 'SWAP' | 'CANCEL'> = {
  readonly head: Block
  /** The block at the configured depth; undefined on a chain too young to have it. */
  readonly deep: Block | undefined
  /** The wallet's nonce at {@link deep}. */
  readonly deepNonce: number | undefined
  /** Whether the router had consumed the swap's authorisation at {@link deep}: the proof that does not need a receipt. */
  readonly consumed: boolean | undefined
  /** A receipt was answered whose block is not canonical: a reorganisation is under way, and nothing is concluded. */
  readonly unsettled: boolean
  /** Receipts of this swap's attempts whose block is on the canonical chain. */
  readonly receipts: readonly { readonly kind: kind; readonly receipt: Receipt }[]
}

/** The next legal step of a swap. */
export type Step =
  | { readonly do: 'prepare' }
  | { readonly do: 'send'; readonly kind: 'SWAP' | 'CANCEL' }
  | { readonly do: 'cancel' }
  | { readonly do: 'include'; readonly receipt: Receipt }
  | { readonly do: 'uninclude' }
  | {
      readonly do: 'finish'
      readonly as: 'SETTLED' | 'REVERTED' | 'EXPIRED_DEAD'
      readonly receipt: Receipt
    }
  | { readonly do: 'displace' }
  | { readonly do: 'wait'; readonly why: string }
  | { readonly do: 'nothing' }

/** The same bytes are offered again after this many blocks without an answer. */
const resendAfterBlocks = 3

/**
 * The next step of a swap, decided from what is durable and what was observed. Pure; the only place that decides.
 *
 * The deadline is what makes every swap decidable: once a block later than it is deep enough and holds no success,
 * the swap can never happen, and only then may the intent be quoted again.
 */
export function next(swap: Standing, seen: Observation, confirmations: number): Step {
  switch (swap.state) {
    case 'PLANNED':
    case 'VERIFIED':
      return { do: 'prepare' }
    case 'SIGNED':
    case 'SENT':
    case 'CANCELLING':
      return pending(swap, seen)
    case 'INCLUDED':
      return included(swap, seen, confirmations)
    default:
      return { do: 'nothing' }
  }
}

function pending(swap: Standing, seen: Observation): Step {
  const { head, deep, deepNonce, consumed, unsettled, receipts } = seen
  const [mined] = receipts
  if (mined !== undefined) return { do: 'include', receipt: mined.receipt }
  if (unsettled) return { do: 'wait', why: 'for a reorganisation to end' }
  // A missing receipt may be an index that lags, and a nonce that is said to be gone may be a lie: the bytes would still
  // be good. Only the router's own word, at a depth where the deadline has passed, makes a gone nonce a death.
  if (swap.nonce !== undefined && deepNonce !== undefined && deepNonce > swap.nonce) {
    // A router that consumes nothing we know has no word to give: there the deadline alone is asked, and the caller
    // looks a second time.
    if (swap.authorization !== undefined && consumed !== false)
      return { do: 'wait', why: 'for the receipt of a spent nonce' }
    return isPast(swap.deadline, deep)
      ? { do: 'displace' }
      : { do: 'wait', why: 'for the deadline to be deep' }
  }

  const due = swap.sentAtBlock === undefined || head.number >= swap.sentAtBlock + resendAfterBlocks
  if (swap.state === 'CANCELLING')
    return due ? { do: 'send', kind: 'CANCEL' } : { do: 'wait', why: 'for the cancellation' }
  if (swap.deadline !== undefined && head.timestamp > swap.deadline) return { do: 'cancel' }
  return due ? { do: 'send', kind: 'SWAP' } : { do: 'wait', why: 'to be mined' }
}

function included(
  swap: Standing,
  { head, deep, consumed, receipts }: Observation,
  confirmations: number,
): Step {
  const found = receipts.find(({ receipt }) => receipt.hash === swap.included?.hash)
  if (found === undefined || found.receipt.blockHash !== swap.included?.blockHash)
    return { do: 'uninclude' }

  const { kind, receipt } = found
  if (head.number < receipt.blockNumber + confirmations) return { do: 'wait', why: 'for depth' }
  // Two facts of one event: where the router's own word at that depth differs, one of the answers is wrong or late.
  const happened = kind === 'SWAP' && receipt.success
  if (consumed !== undefined && consumed !== happened)
    return { do: 'wait', why: 'for the receipt and the router to agree' }
  if (kind === 'SWAP')
    return { do: 'finish', as: receipt.success ? 'SETTLED' : 'REVERTED', receipt }
  return isPast(swap.deadline, deep)
    ? { do: 'finish', as: 'EXPIRED_DEAD', receipt }
    : { do: 'wait', why: 'for the deadline to be deep' }
}

/** Whether a block that is deep enough is later than the deadline: the router refuses the swap for ever. */
const isPast = (deadline: number | undefined, deep: Block | undefined) =>
  deadline !== undefined && deep !== undefined && deep.timestamp > deadline
