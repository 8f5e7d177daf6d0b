import { feeWithRoom, gasOfTransfer, outbid } from '../../chain/fees.ts'
import { isRevocation } from '../../chain/settlement/isRevocation.ts'
import { assert } from '../../core/assert.ts'
import type { Clock } from '../../core/clock.ts'
import { BallastError, ballastError } from '../../core/errors.ts'
import { type Attempt, attemptsOf, type Swap } from '../journal/swaps/load.ts'
import { isDue, leftOutMs, type OfferedBytes, type Phase, type Situation } from '../next.ts'
import type { Journaled } from '../stages.ts'
import { isTakenVerdict, type Verdict } from '../verdict.ts'
import { haltShared } from './halts.ts'
import { type Drivetrain, isTemporary } from './train.ts'

/**
 * Signs and stores the same call, under the same nonce, for a higher fee. Sending it is the next step.
 *
 * Returns false where that cannot be had: blocks cost more than policy allows, its replacement would not fit under
 * the ceiling, the signer refuses or is away, or a lock stops signing. The bytes that are out there stay as good as they were.
 */
async function bump(
  old: Journaled,
  {
    train,
    most = train.gasPriceMax,
    baseFee,
  }: { train: Drivetrain; most?: bigint | undefined; baseFee: bigint },
): Promise<boolean> {
  const { swapId, kind, transaction, hash } = old
  try {
    const fresh = await train.fees(transaction.gas)
    const room = feeWithRoom(train.gasPriceMax)
    const fees = outbid(transaction, { fresh, most: most < room ? most : room })
    if (fees === undefined || fees.maxFeePerGas < baseFee) return false
    await train.journal.locks.guard(isRevocation(transaction.data) ? 'revoke' : 'sign', {
      swapId,
    })
    const signed = await train.signer.sign({
      swapId,
      kind,
      transaction: { ...transaction, ...fees },
    })
    train.inspect.bump(signed, old)
    await train.journal.attempts.commitBump(signed, hash)
    return true
  } catch (error) {
    if (!(error instanceof BallastError) || !isRefusal(error)) throw error
    train.onTrouble(swapId, error)
    return false
  }
}

/** A refusal, a lock that lets what is signed go on, or a signer that is away. A halt is more than a no. */
const isRefusal = ({ code, fault, remedy }: BallastError) =>
  code === 'SIGNER_UNAVAILABLE' ||
  ((fault === 'refused' || fault === 'locked') && remedy !== 'halt')

/**
 * Outbids what bytes offer for their block space. Where that may not be, they are offered again after a few blocks;
 * returns whether it did anything.
 */
export async function bumpOrResend(
  newest: Attempt,
  { offer, train, most, block, baseFee }: Bid,
): Promise<boolean> {
  if (await bump(newest.bytes, { train, most, baseFee })) return true
  if (!isDue(offer, block)) return false
  await send(newest, { train, block })
  return true
}

type Bid = {
  readonly offer: OfferedBytes | undefined
  readonly train: Drivetrain
  /** Wei per gas, where less is allowed than policy.maxGasPrice. */
  readonly most: bigint | undefined
  readonly block: number
  /** Of that block: no block takes what offers less. */
  readonly baseFee: bigint
}

/**
 * Closes the nonce of a swap whose deadline has passed: signs and stores a transfer of nothing to oneself that replaces,
 * in any mempool, whatever was offered under that nonce before. Sending it is the next step.
 */
async function signCancellation(
  swap: Swap,
  { train, baseFee }: { train: Drivetrain; baseFee: bigint },
): Promise<void> {
  const { wallet, swapId } = swap.plan
  const old = swap.attempts.filter(({ bytes: { kind } }) => kind !== 'APPROVE').at(-1)?.bytes
  assert(old !== undefined, 'only a signed swap is cancelled')
  const { chainId, nonce } = old.transaction
  const call = { to: wallet, data: '0x', value: 0n } as const
  const gas = await train.gasOf(call, gasOfTransfer)
  const most = train.gasPriceMax
  const fresh = await train.fees(gas).catch((error: unknown) => {
    if (!(error instanceof BallastError) || error.code !== 'GAS_PRICE_ABOVE_POLICY') throw error
    if (baseFee <= feeWithRoom(most)) throw error
    // No room is left for a replacement: this is the one that the room was left for.
    return { maxFeePerGas: most, maxPriorityFeePerGas: 0n }
  })
  const fees = outbid(old.transaction, { fresh, most })
  if (fees === undefined || fees.maxFeePerGas < baseFee)
    throw ballastError(
      'GAS_PRICE_ABOVE_POLICY',
      'A cancellation would cost more than policy.maxGasPrice.',
      { replaces: old.hash, gasPriceMax: most },
    )
  await train.journal.locks.guard('cancel', { swapId })
  const signed = await train.signer.sign({
    swapId,
    kind: 'CANCEL',
    transaction: { ...call, gas, ...fees, chainId, nonce },
  })
  train.inspect.cancellation(signed)
  await train.journal.attempts.commitCancel(signed, old.hash)
}

/**
 * Signs a cancellation, the first or a dearer one, and returns whether it did anything. Where a dearer one may not be,
 * the signed one is offered again after a few blocks: a node that refused it may take it later.
 */
export async function cancelSwap(
  swap: Swap,
  { train, block, baseFee }: { train: Drivetrain; block: number; baseFee: bigint },
): Promise<boolean> {
  try {
    await signCancellation(swap, { train, baseFee })
    return true
  } catch (error) {
    const newest = attemptsOf(swap, 'CANCEL').at(-1)
    if (newest === undefined || !(error instanceof BallastError) || !isTemporary(error)) throw error
    train.onTrouble(swap.plan.swapId, error)
    if (!isDue(swap.offer, block)) return false
    await send(newest, { train, block })
    return true
  }
}

/** Long enough to see it pass or be tried again; short enough not to be forgotten. */
const breakerMs = 10 * 60 * 1_000

/** Bytes to be offered, and whether public endpoints get them beside the private ones. */
type Sendable = Pick<Attempt, 'bytes'> & Partial<Pick<Attempt, 'publishedAt'>>

/** Offers journaled bytes to the network, notes its answer. Throws LOCKED under a halt: signed bytes stay put. */
export async function send(
  { bytes, publishedAt }: Sendable,
  { train, block }: { train: Drivetrain; block: number },
): Promise<void> {
  const { hash, swapId } = bytes
  await train.journal.locks.guard('send', { swapId })
  const offeredAt = train.clock.now()
  const { verdict, words, offered } = await train.broadcast(bytes, publishedAt !== undefined)
  const taken = isTakenVerdict(verdict)
  if (!taken)
    train.onTrouble(
      swapId,
      ballastError('BROADCAST_UNCLEAR', 'The network did not say that it took the transaction.', {
        hash,
        verdict,
        words,
      }),
    )
  await train.journal.attempts.noteSent({
    ...{ hash, swapId, block, verdict, taken, words },
    ...(offered === undefined ? {} : { offered: { ...offered, offeredAt } }),
  })
  await lockOn(verdict, bytes, train)
}

/** Whether a swap comes too late for every block, by this clock. */
export const isOver = (
  { deadline }: { readonly deadline?: number | undefined },
  clock: Pick<Clock, 'now'>,
): boolean => deadline !== undefined && clock.now() >= deadline * 1_000

/** An offer with the owner's decision on when it may be public, judged by the clock of now. */
export function withPublication<situation extends Situation<Phase>>(
  situation: situation,
  { publicly, clock }: Drivetrain,
): situation {
  const { offer, deadline, state } = situation
  if (publicly === undefined || offer === undefined || offer.isPublished) return situation
  const now = clock.now()
  // A cancellation is for the time after it.
  const isPointless =
    deadline !== undefined &&
    state !== 'CANCELLING' &&
    now + publicly.blockTimeMs >= deadline * 1_000
  const isPublicDue = now >= offer.since + publicly.afterMs && !isPointless
  return { ...situation, offer: { ...offer, isPublicDue } }
}

/** An offer with whether blocks have left it out for long, and whether it is over, judged by the clock of now. */
export function withPatience<situation extends Situation<Phase>>(
  situation: situation,
  { clock }: Drivetrain,
): situation {
  const { offer } = situation
  if (offer === undefined) return situation
  const isLeftOut = clock.now() >= offer.storedAt + leftOutMs
  return { ...situation, offer: { ...offer, isLeftOut, isOver: isOver(situation, clock) } }
}

/** Gives the same bytes to public endpoints too. That they are public is on disk before any of those has them. */
export async function publish(
  attempt: Attempt,
  { train, block }: { train: Drivetrain; block: number },
): Promise<void> {
  const { publicly, journal, clock } = train
  assert(publicly !== undefined, 'bytes become public where the owner said so')
  const { hash, swapId } = attempt.bytes
  const { afterMs, to } = publicly
  await journal.locks.guard('send', { swapId })
  await journal.attempts.publish({ hash, swapId, afterMs, to })
  await send({ ...attempt, publishedAt: clock.now() }, { train, block })
}

/** Some refusals concern the wallet, beyond these bytes: nothing new begins on it until that has passed. */
async function lockOn(verdict: Verdict, bytes: Journaled, train: Drivetrain): Promise<void> {
  const { wallet, swapId, transaction } = bytes
  const scope = `wallet ${wallet.toLowerCase()}`
  const passing = (code: string, reason: string) =>
    train.journal.locks.open({
      kind: 'breaker',
      scope,
      code,
      reason: `swap ${swapId}: ${reason}`,
      expiresAt: train.clock.now() + breakerMs,
    })
  switch (verdict) {
    case 'insufficient-funds':
      await passing('GAS_MONEY_SHORT', 'the wallet cannot pay for the gas of what it signed')
      return
    case 'nonce-high':
      await passing(
        'NONCE_GAP',
        `the network knows no transaction before nonce ${transaction.nonce}`,
      )
      return
    case 'replacement-underpriced': {
      // With several bids of our own one of those waits. With one only, the other transaction is foreign.
      const { attempts } = await train.journal.swaps.load(swapId)
      const ours = attempts.filter((one) => one.bytes.transaction.nonce === transaction.nonce)
      if (ours.length === 1) await haltShared(wallet, train)
      return
    }
  }
}
