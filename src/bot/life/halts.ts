import { BallastError, ballastError } from '../../core/errors.ts'
import type { Address } from '../../core/token.ts'
import type { Swap } from '../journal/swaps/load.ts'
import type { Drivetrain } from './train.ts'

/** Why a swap ends when its nonce was taken by a transaction that is not ours. */
export const displaced = {
  code: 'NONCE_TAKEN',
  reason: 'Another transaction of this wallet took the nonce; none of ours was mined.',
} as const

/**
 * A stranger signs with this key: nothing more is signed, over restarts too, until a person has looked. `close` books what
 * the stranger displaced. The lock comes first: once that is booked, no later look would open it.
 */
export async function haltDisplaced(
  wallet: Address,
  { journal }: Drivetrain,
  close: () => Promise<void>,
): Promise<never> {
  await journal.locks.open({
    kind: 'halt',
    scope: `wallet ${wallet.toLowerCase()}`,
    ...displaced,
    expiresAt: undefined,
  })
  await close()
  throw ballastError(displaced.code, displaced.reason, {
    wallet,
    next: 'find out who, then: ballast resume --reason …',
  })
}

/**
 * The network holds another transaction under a nonce for which we signed only this one: a stranger signs with this
 * key. Nothing more is signed or sent, over restarts too, until a person has looked. Signed bytes stay undecided.
 */
export async function haltShared(wallet: Address, { journal }: Drivetrain): Promise<never> {
  const reason = 'Another transaction of this wallet waits under the nonce of ours.'
  await journal.locks.open({
    kind: 'halt',
    scope: `wallet ${wallet.toLowerCase()}`,
    code: 'NONCE_SHARED',
    reason,
    expiresAt: undefined,
  })
  throw ballastError('NONCE_SHARED', reason, {
    wallet,
    next: 'find out who, then: ballast resume --reason …',
  })
}

/**
 * Answers about a swap or its approval have differed for too long, or the chain stands still: a node is wrong. Nothing is booked and nothing new begins, until
 * a person has looked. The swap itself is followed on, and ends if the answers come to agree.
 */
export async function lockDisputed(
  { plan: { swapId, wallet } }: Swap,
  answers: string,
  { journal }: Drivetrain,
): Promise<never> {
  const sentence =
    'What was signed is still undecided long after it should be: a node is wrong, or stands still.'
  await journal.locks.open({
    kind: 'breaker',
    scope: `wallet ${wallet.toLowerCase()}`,
    code: 'SWAP_DISPUTED',
    reason: `swap ${swapId}: ${answers}`,
    expiresAt: undefined,
  })
  throw ballastError('SWAP_DISPUTED', sentence, { swapId, answers })
}

/**
 * A mined swap whose amounts cannot be measured stays undecided: the wallet is locked, once, until a person has looked.
 * Every later start tries again, and reports LOCKED if it still cannot.
 */
export async function haltUnmeasured(
  error: unknown,
  { plan: { swapId, wallet } }: Swap,
  { journal }: Drivetrain,
): Promise<never> {
  if (!(error instanceof BallastError) || error.remedy !== 'halt') throw error
  const { fresh } = await journal.locks.open({
    kind: 'halt',
    scope: `wallet ${wallet.toLowerCase()}`,
    code: error.code,
    reason: `swap ${swapId}: ${error.summary}`,
    expiresAt: undefined,
  })
  if (!fresh) await journal.locks.guard('send', { swapId })
  throw error
}
