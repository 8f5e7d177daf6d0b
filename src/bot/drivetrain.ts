import type { Hex } from '../chain/calls/fields.ts'
import type { Receipt } from '../chain/calls/getReceipt.ts'
import type { Clock } from '../core/clock.ts'
import type { Address } from '../core/token.ts'
import type { BroadcastAnswer } from './broadcast/broadcast.ts'
import type { Measured } from './confirm/measure.ts'
import type { Journal } from './journal/openJournal.ts'
import type { Swap } from './journal/swaps/load.ts'
import type { Observation } from './next.ts'
import type { Inspect } from './policy/createInspect.ts'
import type { Signer } from './sign/createSigner.ts'
import type { AttemptKind, Fees, Journaled, Reading } from './stages.ts'

/** All that a live swap needs. The journal and the signer make it live: a dry run has neither. */
export type Drivetrain = {
  readonly reading: Reading
  readonly signer: Signer
  /** The policy on the signed bytes. */
  readonly inspect: Inspect
  readonly journal: Journal
  readonly chainId: number
  readonly confirmations: number
  readonly clock: Clock
  /** How often the chain is looked at while something is undecided. */
  readonly pollMs: number
  /** Nothing is signed on a look at the chain that is older than this. */
  readonly simulationAgeMsMax: number
  readonly broadcast: (journaled: Journaled) => Promise<BroadcastAnswer>
  readonly observe: Observe
  /** The same by a second endpoint; undefined where none is configured. Asked before a swap is closed as dead. */
  readonly witness: Observe | undefined
  readonly measure: (swap: Swap, receipt: Receipt) => Promise<Measured>
  /** Fees for a transaction without a quote's hurry: approvals, cancellations, and what outbids earlier bytes. */
  readonly fees: (gas: bigint) => Promise<Fees & { readonly nonce: number }>
  /** Gas for a transfer of nothing to oneself: chains that charge for data by gas want more than the usual 21,000. */
  readonly gasOfCancel: () => Promise<bigint>
  /** The policy's ceiling, wei per gas. */
  readonly gasPriceMax: bigint
  /** Told of trouble that does not end a swap: an endpoint that is away, an answer that is unclear. */
  readonly onTrouble: (swapId: string, error: unknown) => void
}

type Observe = <kind extends AttemptKind>(watched: {
  readonly wallet: Address
  readonly authorization: Hex | undefined
  readonly attempts: readonly { readonly kind: kind; readonly hash: Hex }[]
}) => Promise<Observation<kind>>
