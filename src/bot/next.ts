import type { Hex } from '../chain/calls/fields.ts'
import type { Receipt } from '../chain/calls/getReceipt.ts'
import type { Block } from '../chain/calls/node.ts'
import { minuteMs } from '../core/spans.ts'
import type { AttemptKind } from './stages.ts'
import { finalStates, type SwapState } from './state.ts'
import { isTakenVerdict, type Verdict } from './verdict.ts'

/**
 * Where something stands that has signed bytes or may get some: a swap by its state; and beside it, whatever that is, an
 * approval in its name whose bytes are not decided.
 */
export type Phase = SwapState | 'APPROVING'

/** The journal's facts on a swap, or on an approval, that bear on what to do next. */
export type Situation<phase extends Phase = Phase> = {
  readonly state: phase
  readonly nonce: number | undefined
  /** Unix seconds; the router refuses the swap in any later block. */
  readonly deadline: number | undefined
  /** The authorisation the router consumes with the swap; undefined where none is known. */
  readonly authorization: Hex | undefined
  /** The block it was seen in. */
  readonly included: { readonly hash: Hex; readonly blockHash: Hex } | undefined
  /** The bytes that are offered now: the newest of the swap, or of its cancellation. Undefined before a signature. */
  readonly offer: OfferedBytes | undefined
}

/** Signed bytes and how they fared. */
export type OfferedBytes = {
  /** Wei per gas. */
  readonly maxFeePerGas: bigint
  /** Number of bytes of their kind, these among them; each outbids the one before. */
  readonly bids: number
  /** The height of the head when they were last sent; undefined when they never were. */
  readonly sentAtBlock: number | undefined
  /** The network's last answer to them. */
  readonly verdict: Verdict | undefined
  /** When the first bytes of their kind were stored for this nonce, and when these were. */
  readonly since: number
  readonly storedAt: number
  /** Whether they were given to public endpoints as well, after `chain.publicAfter`. */
  readonly isPublished: boolean
  /** Whether that is due: decided by the caller, who has a clock. */
  readonly isPublicDue?: boolean
  /** Whether blocks have left them out for {@link leftOutMs}: decided by the caller likewise. */
  readonly isLeftOut?: boolean
  /** Whether the deadline has passed by the clock of the caller: what is sent or bid from now on comes too late. */
  readonly isOver?: boolean
}

/**
 * State of the chain, read in one go. Absent means unknown, and unknown is never a reason to act. An approval is no
 * attempt at the swap: its receipt shows nothing about it.
 */
export type Observation<kind extends AttemptKind = 'SWAP' | 'CANCEL'> = {
  readonly head: Block
  /** The block at the configured depth; undefined on a chain too young to have it. */
  readonly deep: Block | undefined
  /** The wallet's nonce at {@link deep}. */
  readonly deepNonce: number | undefined
  /** Whether the router had consumed the swap's authorisation at {@link deep}: the proof that does not need a receipt. */
  readonly consumed: boolean | undefined
  /**
   * A receipt was answered whose block is not canonical, as in a reorganisation; or none was, for bytes that a block
   * holds. Nothing is concluded.
   */
  readonly unsettled: boolean
  /** Receipts of this swap's attempts whose block is on the canonical chain. */
  readonly receipts: readonly { readonly kind: kind; readonly receipt: Receipt }[]
}

/** The next legal step of a swap. */
export type NextStep =
  | { readonly do: 'prepare' }
  | { readonly do: 'send'; readonly kind: AttemptKind }
  /** The same bytes are given to public endpoints as well: from here on they are in the open. */
  | { readonly do: 'publish'; readonly kind: AttemptKind }
  | { readonly do: 'bump' }
  | { readonly do: 'cancel' }
  | { readonly do: 'include'; readonly receipt: Receipt }
  | { readonly do: 'uninclude' }
  | {
      readonly do: 'finish'
      readonly as: 'SETTLED' | 'REVERTED' | 'EXPIRED_DEAD'
      readonly receipt: Receipt
    }
  | { readonly do: 'approved'; readonly receipt: Receipt }
  | { readonly do: 'displace' }
  | { readonly do: 'wait'; readonly why: string }
  /** Still wait; a person must know where looks keep showing it: answers differ although the deadline is long past. */
  | { readonly do: 'dispute'; readonly why: string }
  | { readonly do: 'nothing' }

/** The same bytes are offered again after this many blocks without an answer. */
const resendAfterBlocks = 3

/** A swap is signed with a fee that should last to its deadline; what outgrows it three times is left to expire. */
export const bumpsMax = 3

/** A cancellation has no deadline, nor has an approval, but a ceiling: each is an eighth dearer than the one before. */
const bidsMax = 10

/**
 * What has no deadline is outbid when blocks leave it out for so long. A node shows no other sign of a tip that is too low:
 * it keeps the bytes and says that it knows them.
 */
export const leftOutMs = 3 * minuteMs

type Seen = Observation<AttemptKind>

/**
 * Seconds that answers may differ. An index lags by seconds and a reorganisation is over by then: later than this one of
 * the answers is wrong, and waiting alone ends nothing.
 */
export const disputeSecondsMax = 120

/**
 * Whether the deadline is so long past, at depth, that answers about the swap should agree. One look shows nothing more:
 * of a swap or cancellation that was mined late, honest answers differ for a moment as well. How long they have differed
 * is for the caller to say, who has a clock.
 */
export const isDisputed = ({ deadline }: Pick<Situation, 'deadline'>, { deep }: Seen): boolean =>
  deadline !== undefined && isPast(deadline + disputeSecondsMax, deep)

/** One line of the table: what is done in these states when it holds, unless a line above it did. */
type Rule = {
  readonly in: readonly Phase[]
  /** As the documentation prints it. */
  readonly when: string
  readonly does: string
  /** The step, or undefined where the line does not hold. */
  readonly step: (swap: Situation, seen: Seen) => NextStep | undefined
}

/**
 * The next step of a swap or of an approval, decided from what is durable and what was observed. Pure; the only place that decides.
 *
 * The deadline is what makes every swap decidable: once a block later than it is deep enough and holds no success,
 * the swap can never happen, and only then may the intent be quoted again.
 */
export function next(swap: Situation, seen: Seen): NextStep {
  for (const rule of rules) {
    if (!rule.in.includes(swap.state)) continue
    const step = rule.step(swap, seen)
    if (step !== undefined) return step
  }
  throw new Error(`no rule for the state ${swap.state}`)
}

const unmined = ['SIGNED', 'SENT', 'CANCELLING'] as const
const isDeep = ({ blockNumber }: Receipt, deep: Block | undefined): boolean =>
  deep !== undefined && blockNumber <= deep.number
const wait = (why: string): NextStep => ({ do: 'wait', why })
/** Waits for answers to agree, with an end. */
const waitOrDispute = (swap: Situation, seen: Seen, why: string): NextStep =>
  isDisputed(swap, seen) ? { do: 'dispute', why: `${why}: ${answersOf(seen)}` } : wait(why)

/** The contradicting answers, for a person. */
function answersOf({ receipts: [mined], consumed, unsettled, deepNonce }: Seen): string {
  const receipt = mined?.receipt.success ? 'says success' : mined ? 'says failure' : 'is missing'
  const router = consumed === undefined ? 'does not say' : consumed ? 'says done' : 'says not done'
  const block = unsettled
    ? ', a receipt names a block that is not on the chain, or is missing for bytes in a block'
    : ''
  return `the receipt ${receipt}, the router ${router}, the nonce at depth is ${deepNonce}${block}`
}

const orDispute = `; ${disputeSecondsMax} s after the deadline, at depth, and ${disputeSecondsMax} s of such looks, lock the wallet as well`

/** The table, read from the top. `docs/STATES.md` is printed from it. */
export const rules: readonly Rule[] = [
  {
    in: ['PLANNED', 'VERIFIED'],
    when: 'nothing is signed',
    does: 'set what allowance is missing (APPROVING), quote, verify, store the permit where that does instead, simulate and sign; after a restart: ABANDONED',
    step: () => ({ do: 'prepare' }),
  },
  {
    in: ['APPROVING'],
    when: 'a receipt of any of its bytes is in a canonical block, and that is deep',
    does: 'close the approval, with what the router may take now',
    step: (_, { deep, receipts: [mined] }) =>
      mined !== undefined && isDeep(mined.receipt, deep)
        ? { do: 'approved', receipt: mined.receipt }
        : undefined,
  },
  {
    in: ['APPROVING'],
    when: 'a receipt is in a canonical block',
    does: 'wait',
    step: (_, { receipts: [mined] }) => mined && wait('for depth'),
  },
  {
    // An approval has no deadline and no authorisation to query the router for: its nonce is all there is to see.
    in: ['APPROVING'],
    when: 'the nonce is spent at depth, and no block is in doubt',
    does: 'give it up, once more looks agree; the wallet is halted',
    step: (approval, seen) =>
      !seen.unsettled && isSpent(approval, seen) ? { do: 'displace' } : undefined,
  },
  {
    in: ['APPROVING'],
    when: 'they are for chain.sendTo alone, chain.publicAfter has passed since the first of them was signed',
    does: 'write down that they become public, then send exactly those bytes to the public endpoints as well',
    step: ({ offer }) =>
      offer?.isPublicDue === true ? { do: 'publish', kind: 'APPROVE' } : undefined,
  },
  {
    in: ['APPROVING'],
    when: `blocks cost more than its fee allows, leave it out for ${leftOutMs / minuteMs} minutes, or it was refused as underpriced; ${bidsMax} bids at most`,
    does: 'store the same approval with a higher fee, under the same nonce',
    step: ({ offer }, { head }) =>
      offer !== undefined &&
      offer.bids < bidsMax &&
      (isOutbid(offer, head) || isLeftOut(offer, head))
        ? { do: 'bump' }
        : undefined,
  },
  {
    in: ['APPROVING'],
    when: `its newest bytes were never sent, or not for ${resendAfterBlocks} blocks`,
    does: 'send exactly those bytes, to every endpoint',
    step: ({ offer }, { head }) =>
      isDue(offer, head.number) ? { do: 'send', kind: 'APPROVE' } : undefined,
  },
  {
    in: ['APPROVING'],
    when: 'they were sent',
    does: 'wait',
    step: () => wait('for the approval to be mined'),
  },
  {
    in: unmined,
    when: 'a receipt of any of its bytes is in a canonical block',
    does: 'INCLUDED',
    step: (_, { receipts: [mined] }) => mined && { do: 'include', receipt: mined.receipt },
  },
  {
    in: unmined,
    when: 'a receipt is in a block that is not canonical, or missing for bytes that a block holds',
    does: `wait until receipts and blocks agree${orDispute}`,
    step: (swap, seen) =>
      seen.unsettled ? waitOrDispute(swap, seen, 'until receipts and blocks agree') : undefined,
  },
  {
    // A missing receipt may be an index that lags, and a nonce that is said to be gone may be a lie: the bytes would
    // still be good. Only the router's own word, at a depth where the deadline has passed, makes a gone nonce a death.
    // A router that consumes nothing we know has no word to give: there the deadline alone decides, and the caller
    // looks a second time.
    in: unmined,
    when: 'the nonce is spent at depth, and the router consumed the swap or does not say',
    does: `wait for the receipt${orDispute}`,
    step: (swap, seen) =>
      isSpent(swap, seen) && swap.authorization !== undefined && seen.consumed !== false
        ? waitOrDispute(swap, seen, 'for the receipt of a spent nonce')
        : undefined,
  },
  {
    in: unmined,
    when: 'the nonce is spent at depth, and the deadline has passed at depth',
    does: 'DISPLACED, once a second look agrees; the wallet is halted',
    step: (swap, seen) =>
      isSpent(swap, seen) && isPast(swap.deadline, seen.deep) ? { do: 'displace' } : undefined,
  },
  {
    in: unmined,
    when: 'the nonce is spent at depth',
    does: 'wait until the deadline is deep',
    step: (swap, seen) => (isSpent(swap, seen) ? wait('for the deadline to be deep') : undefined),
  },
  {
    in: ['SIGNED', 'SENT'],
    when: 'the head is later than the deadline',
    does: 'sign and store a cancellation of the nonce: CANCELLING',
    step: ({ deadline }, { head }) => (isPast(deadline, head) ? { do: 'cancel' } : undefined),
  },
  {
    in: ['SIGNED', 'SENT'],
    when: "the deadline has passed by the bot's clock",
    does: 'wait until the head is later',
    step: ({ offer }) =>
      offer?.isOver === true ? wait('for a head later than the deadline') : undefined,
  },
  {
    in: unmined,
    when: 'they are for chain.sendTo alone, chain.publicAfter has passed since the first of them was signed, and a block can still come before the deadline',
    does: 'write down that they become public, then send exactly those bytes to the public endpoints as well',
    step: ({ state, offer }) =>
      offer?.isPublicDue === true
        ? { do: 'publish', kind: state === 'CANCELLING' ? 'CANCEL' : 'SWAP' }
        : undefined,
  },
  {
    in: ['SIGNED', 'SENT'],
    when: `blocks cost more than its fee allows, or it was refused as underpriced; at most ${bumpsMax} times`,
    does: 'store the same call with a higher fee, under the same nonce: SIGNED',
    step: ({ offer }, { head }) =>
      offer !== undefined && offer.bids <= bumpsMax && isOutbid(offer, head)
        ? { do: 'bump' }
        : undefined,
  },
  {
    in: ['CANCELLING'],
    when: `the same holds of its cancellation, blocks leave that out for ${leftOutMs / minuteMs} minutes, or it is invalid; at most ${bidsMax} of them`,
    does: 'store a dearer cancellation',
    step: ({ offer }, { head }) =>
      offer !== undefined &&
      offer.bids < bidsMax &&
      (isOutbid(offer, head) ||
        isLeftOut(offer, head) ||
        (isBlockLater(offer, head) &&
          (offer.verdict === 'invalid' || offer.verdict === 'replacement-underpriced')))
        ? { do: 'cancel' }
        : undefined,
  },
  {
    in: unmined,
    when: `its newest bytes were never sent, or not for ${resendAfterBlocks} blocks`,
    does: 'send exactly those bytes, to every endpoint',
    step: ({ state, offer }, { head }) =>
      isDue(offer, head.number)
        ? { do: 'send', kind: state === 'CANCELLING' ? 'CANCEL' : 'SWAP' }
        : undefined,
  },
  {
    in: unmined,
    when: 'they were sent',
    does: 'wait',
    step: ({ state }) => wait(state === 'CANCELLING' ? 'for the cancellation' : 'to be mined'),
  },
  {
    in: ['INCLUDED'],
    when: 'its receipt is gone, or in another block',
    does: 'SENT, or CANCELLING where it was cancelled',
    step: (swap, seen) => (minedOf(swap, seen) === undefined ? { do: 'uninclude' } : undefined),
  },
  {
    in: ['INCLUDED'],
    when: 'its block is not deep yet',
    does: 'wait',
    step: (swap, seen) => {
      const mined = minedOf(swap, seen)
      return mined !== undefined && !isDeep(mined.receipt, seen.deep)
        ? wait('for depth')
        : undefined
    },
  },
  {
    // Two facts of one event: where the router's own word at that depth differs, one of the answers is wrong or late.
    in: ['INCLUDED'],
    when: 'the router says otherwise than the receipt',
    does: `wait until they agree${orDispute}`,
    step(swap, seen) {
      const mined = minedOf(swap, seen)
      const happened = mined?.kind === 'SWAP' && mined.receipt.success
      return seen.consumed !== undefined && seen.consumed !== happened
        ? waitOrDispute(swap, seen, 'for the receipt and the router to agree')
        : undefined
    },
  },
  {
    in: ['INCLUDED'],
    when: 'the swap itself was mined',
    does: 'SETTLED with what really moved; REVERTED where it failed, once a second look agrees',
    step(swap, seen) {
      const mined = minedOf(swap, seen)
      if (mined?.kind !== 'SWAP') return undefined
      const { receipt } = mined
      return { do: 'finish', as: receipt.success ? 'SETTLED' : 'REVERTED', receipt }
    },
  },
  {
    in: ['INCLUDED'],
    when: 'its cancellation was mined, and the deadline has passed at depth',
    does: 'EXPIRED_DEAD, once a second look agrees',
    step(swap, seen) {
      const mined = minedOf(swap, seen)
      return mined !== undefined && isPast(swap.deadline, seen.deep)
        ? { do: 'finish', as: 'EXPIRED_DEAD', receipt: mined.receipt }
        : undefined
    },
  },
  {
    in: ['INCLUDED'],
    when: 'its cancellation was mined',
    does: 'wait until the deadline is deep',
    step: () => wait('for the deadline to be deep'),
  },
  {
    in: finalStates,
    when: 'it has an end',
    does: 'nothing, ever',
    step: () => ({ do: 'nothing' }),
  },
]

/** Whether bytes are to be offered, for the first time or again. */
export const isDue = (offer: OfferedBytes | undefined, head: number): boolean =>
  offer?.sentAtBlock === undefined || head >= offer.sentAtBlock + resendAfterBlocks

/** Whether blocks or pools want more than these bytes offer. A base fee above the cap bars them from all blocks. */
function isOutbid(offer: OfferedBytes, head: Block): boolean {
  const { maxFeePerGas, verdict, bids } = offer
  if (head.baseFeePerGas > maxFeePerGas) return true
  if (!isBlockLater(offer, head)) return false
  // Our own earlier bid waits under this nonce; a stranger's is no matter of price.
  return verdict === 'underpriced' || (verdict === 'replacement-underpriced' && bids > 1)
}

/** A pool's answer to one bid is acted on a block later: otherwise all possible bids are spent within seconds. */
const isBlockLater = ({ sentAtBlock }: OfferedBytes, head: Block): boolean =>
  sentAtBlock !== undefined && head.number > sentAtBlock

/** Whether a pool has them, a block came since they were last sent, and none has taken them for long. */
const isLeftOut = (offer: OfferedBytes, head: Block): boolean =>
  offer.isLeftOut === true &&
  offer.verdict !== undefined &&
  isTakenVerdict(offer.verdict) &&
  isBlockLater(offer, head)

/** Whether the chain, deep down, has given the swap's nonce to some transaction. */
const isSpent = ({ nonce }: Situation, { deepNonce }: Seen): boolean =>
  nonce !== undefined && deepNonce !== undefined && deepNonce > nonce

/** Whether the block is later than the deadline: from it on the router refuses the swap for ever. */
const isPast = (deadline: number | undefined, block: Block | undefined): boolean =>
  deadline !== undefined && block !== undefined && block.timestamp > deadline

/** The receipt that the swap is included by, where it still stands in the same block. */
const minedOf = ({ included }: Situation, { receipts }: Seen) =>
  receipts.find(
    ({ receipt }) => receipt.hash === included?.hash && receipt.blockHash === included?.blockHash,
  )
