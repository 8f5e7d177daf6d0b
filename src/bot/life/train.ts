import type { Receipt } from '../../chain/calls/getReceipt.ts'
import type { Finality } from '../../chain/finality.ts'
import { type Check, Refused } from '../../core/check.ts'
import type { Clock } from '../../core/clock.ts'
import { display } from '../../core/display.ts'
import { BallastError, ballastError } from '../../core/errors.ts'
import { failureReason } from '../../core/failureReason.ts'
import { withoutSecrets } from '../../core/secret.ts'
import type { Address } from '../../core/token.ts'
import type { BroadcastAnswer } from '../broadcast/broadcast.ts'
import type { Measured } from '../confirm/measure.ts'
import type { Watched } from '../confirm/observe.ts'
import type { Journal } from '../journal/openJournal.ts'
import type { Swap } from '../journal/swaps/load.ts'
import type { Observation } from '../next.ts'
import type { Inspect } from '../policy/createInspect.ts'
import type { Signer } from '../sign/createSigner.ts'
import type { AttemptKind, Call, Fees, Journaled, Reading } from '../stages.ts'

/** All that a live swap needs. The journal and the signer make it live: a dry run has neither. */
export type Drivetrain = {
  readonly reading: Reading
  readonly signer: Signer
  /** The policy on the signed bytes. */
  readonly inspect: Inspect
  readonly journal: Journal
  readonly chainId: number
  readonly confirmations: Finality
  readonly clock: Clock
  /** Time between looks at the chain while something is undecided. */
  readonly pollMs: number
  /** Nothing is signed on a look at the chain that is older than this. */
  readonly simulationAgeMsMax: number
  readonly broadcast: (journaled: Journaled, published?: boolean) => Promise<BroadcastAnswer>
  /** The owner's decision to offer what private relays brought into no block in public as well; undefined is never. */
  readonly publicly?: Publicly | undefined
  readonly observe: Observe
  /** The same by a second endpoint; undefined where none is configured. Queried before a swap is closed as dead. */
  readonly witness: Observe | undefined
  readonly measure: (swap: Swap, receipt: Receipt) => Promise<Measured>
  /** Fees for a transaction without a quote's hurry: approvals, cancellations, and what outbids earlier bytes. */
  readonly fees: (gas: bigint) => Promise<Fees & { readonly nonce: number }>
  /**
   * Gas for a call that no quote hurries, never less than what is usual: tokens use more than plain ones, and chains that
   * charge for data by gas want more for every call.
   */
  readonly gasOf: (call: Call, usual: bigint) => Promise<bigint>
  /** The policy's ceiling, wei per gas. */
  readonly gasPriceMax: bigint
  /** Called with trouble that does not end a swap: an endpoint that is away, an unclear answer. */
  readonly onTrouble: (swapId: string, error: unknown) => void
}

/** When and to whom, by their labels. */
type Publicly = {
  readonly afterMs: number
  readonly to: readonly string[]
  /** A block takes this long: an offer with less time left before the deadline tells everyone and brings nothing. */
  readonly blockTimeMs: number
}

type Observe = <kind extends AttemptKind>(watched: Watched<kind>) => Promise<Observation<kind>>

/**
 * Before a signature: the nonce the chain expects is the one the journal gives next. The journal checks again when it
 * takes the nonce, but bytes for a nonce of a lying endpoint would be signed by then, and stay good for the day it
 * comes.
 */
export async function assertNonce(
  { wallet, nonce }: { wallet: Address; nonce: number },
  { journal, chainId }: Drivetrain,
): Promise<void> {
  const state = await journal.wallet.state({ chainId, wallet })
  if (state?.nextNonce === nonce) return
  // A decided nonce is deep, so a lower one is of a node that lags behind the one that showed it.
  if (state !== undefined && nonce < state.nextNonce)
    throw ballastError(
      'NODE_BEHIND',
      'The RPC endpoint expects a nonce that is already spent: it lags.',
      { wallet, nonceOfChain: nonce, nonceOfJournal: state.nextNonce },
    )
  throw ballastError(
    'NONCE_DIVERGED',
    'The nonce the chain expects is not the one the journal would give next.',
    {
      wallet,
      nonceOfChain: nonce,
      nonceOfJournal: state?.nextNonce,
      next: 'find out who signs with this key; if this journal is an old copy, put the newest back; then: ballast resume --reason "…"',
    },
  )
}

/**
 * An endpoint that is away moves nothing and ends nothing; neither does a signer that refuses a cancellation, nor gas
 * that costs too much for one: signed bytes are followed until the chain has decided them.
 */
export async function retryLater(
  swapId: string,
  train: Drivetrain,
  turn: () => Promise<boolean>,
): Promise<boolean> {
  try {
    return await turn()
  } catch (error) {
    if (!(error instanceof BallastError) || !isTemporary(error)) throw error
    train.onTrouble(swapId, error)
    return false
  }
}

/**
 * Whether what went wrong with signed bytes is over by itself: an endpoint that is away, a signer that refuses a
 * cancellation, gas that costs too much for one, answers that differ. None of it ends anything.
 */
export const isTemporary = ({ fault, remedy, code }: BallastError): boolean =>
  fault === 'upstream' ||
  code === 'SWAP_DISPUTED' ||
  (fault === 'refused' && (remedy === 'retry' || code === 'SIGNER_REFUSED'))

/** Ends a swap about to be signed when a stop was requested. Journaled bytes go on with the next start. */
export function throwIfStopped(signal: AbortSignal | undefined): void {
  if (signal?.aborted === true)
    throw ballastError('INTERRUPTED', 'The process was stopped before the swap was signed.')
}

/** Why a swap ends without a signature: as a code and a sentence, and with every check where one refused it. */
export function causeOf(error: unknown): {
  readonly code: string
  readonly reason: string
  readonly checks?: readonly Check[]
} {
  if (!(error instanceof BallastError))
    return { code: 'UNEXPECTED', reason: display(withoutSecrets(String(error)), 300) }
  const reason = failureReason(error)
  return { code: error.code, reason, ...(error instanceof Refused ? { checks: error.checks } : {}) }
}
