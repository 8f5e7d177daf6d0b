import { assert } from '../../core/assert.ts'
import { ballastError } from '../../core/errors.ts'
import { attemptsOf, openApproval, type Swap } from '../journal/swaps/load.ts'
import { isDisputed, type NextStep, next, type Observation } from '../next.ts'
import type { AttemptKind } from '../stages.ts'
import { isFinal } from '../state.ts'
import { bumpOrResend, cancelSwap, publish, send, withPatience, withPublication } from './bids.ts'
import { approvalDoubt, createDoubt, standstill } from './doubt.ts'
import { displaced, haltDisplaced, haltUnmeasured, lockDisputed } from './halts.ts'
import { type Drivetrain, retryLater, throwIfStopped } from './train.ts'

type Finish = Extract<NextStep, { do: 'finish' }>

/** The context of a step: the swap as it was read, and the height and base fee it was looked at. */
type Turn = {
  readonly swap: Swap
  readonly train: Drivetrain
  readonly block: number
  readonly baseFee: bigint
}

/** The context of a step of the swap itself, with the doubt of its loop about answers that differ. */
type SwapTurn = Turn & { readonly areApartTooLong: ReturnType<typeof createDoubt> }

/** Looks, calls {@link next}, does it; until the swap has an end or the process must stop. */
export async function follow(
  swapId: string,
  train: Drivetrain,
  signal?: AbortSignal,
): Promise<Swap> {
  const isTooLong = createDoubt(train.clock)
  const areApartTooLong = createDoubt(train.clock)
  for (;;) {
    const swap = await readAgain(swapId, train, signal)
    if (isFinal(swap.state)) return swap
    const moved = await retryLater(swapId, train, async () => {
      const seen = await train.observe(watchedAttempts(swap))
      const step = next(withPatience(withPublication(swap, train), train), seen)
      const { deadline } = swap
      const doubt = standstill(seen.head, { now: train.clock.now(), deadline })
      const isStuck = isTooLong(doubt)
      const hasMoved = await perform(step, { swap, train, areApartTooLong, ...heightOf(seen) })
      if (hasMoved || !isStuck) return hasMoved
      const isWait = step.do === 'wait' || step.do === 'dispute'
      const stands = isWait ? `waits ${step.why}` : `has no dearer bid to ${step.do} with`
      return lockDisputed(swap, `${stands}: ${doubt}`, train)
    })
    if (moved) continue
    // A signed swap need not be watched: the next start continues from the journal.
    if (signal?.aborted === true) return swap
    await train.clock.sleep(train.pollMs)
  }
}

/**
 * The same for the approvals in the name of a swap: until all of them are decided. An approval has no deadline: it is
 * offered until it is taken, and a doubt about it that stays locks the wallet.
 */
export async function finishApprovals(
  swapId: string,
  train: Drivetrain,
  signal?: AbortSignal,
): Promise<void> {
  const isTooLong = createDoubt(train.clock)
  for (;;) {
    const swap = await readAgain(swapId, train, signal)
    const approval = openApproval(swap)
    if (approval === undefined) return
    const moved = await retryLater(swapId, train, async () => {
      const seen = await train.observe(watchedApproval(approval, train))
      const turn = { swap, train, ...heightOf(seen) }
      const offered = withPatience(withPublication(approval, train), train)
      let step = next(offered, seen)
      const isGoneAtOneLook = step.do === 'displace'
      if (isGoneAtOneLook) {
        if (await isGone(approval, train)) return giveUp(approval, train)
        // A spent nonce that no other look shows counts as unknown: the rest of this look decides.
        step = next(offered, { ...seen, deepNonce: undefined })
      }
      const hasMoved = await performApproval(step, { approval, ...turn })
      const doubt = approvalDoubt(seen, { isGoneAtOneLook, now: train.clock.now() })
      if (step.do !== 'approved' && isTooLong(doubt))
        return lockDisputed(swap, `its approval is not decided: ${doubt}`, train)
      return hasMoved
    })
    if (moved) continue
    // Offered or not, it is in the journal: the next start finishes it.
    throwIfStopped(signal)
    await train.clock.sleep(train.pollMs)
  }
}

/** A journal that is away for a moment ends nothing: without its swap nobody would follow the signed bytes. */
async function readAgain(swapId: string, train: Drivetrain, signal?: AbortSignal): Promise<Swap> {
  for (;;) {
    const read: Swap[] = []
    await retryLater(swapId, train, async () => {
      read.push(await train.journal.swaps.load(swapId))
      return true
    })
    const [swap] = read
    if (swap !== undefined) return swap
    throwIfStopped(signal)
    await train.clock.sleep(train.pollMs)
  }
}

const heightOf = ({ head }: Observation<AttemptKind>) => ({
  block: head.number,
  baseFee: head.baseFeePerGas,
})

/** Does the step, and returns whether it did anything: after a step that moved nothing comes a pause. */
async function perform(step: NextStep, turn: SwapTurn): Promise<boolean> {
  const { swap, train, block, baseFee } = turn
  const { journal } = train
  const { swapId } = swap.plan
  if (!mayDiffer(step)) turn.areApartTooLong(undefined)
  switch (step.do) {
    case 'send':
      await send(newestOf(swap, step.kind), { train, block })
      return true
    case 'publish':
      await publish(newestOf(swap, step.kind), { train, block })
      return true
    case 'bump': {
      const { offer, feeMost: most } = swap
      return bumpOrResend(newestOf(swap, 'SWAP'), { offer, train, most, block, baseFee })
    }
    case 'cancel':
      return cancelSwap(swap, { train, block, baseFee })
    case 'include':
      await journal.attempts.include({ swapId, receipt: step.receipt })
      return true
    case 'uninclude':
      await journal.attempts.uninclude({ swapId })
      return true
    case 'displace':
      await confirmDeath(step, turn)
      return haltDisplaced(swap.plan.wallet, train, () =>
        journal.attempts.close({ swapId, as: 'DISPLACED', ...displaced }),
      )
    case 'finish':
      await finish(step, turn)
      return true
    case 'dispute':
      await lockIfTooLong(`waits ${step.why}`, turn)
      // A caller of one look hears why it has no end.
      train.onTrouble(swapId, answersDiffer(step.why))
      return false
    case 'wait':
    case 'nothing':
      return false
    case 'prepare':
    case 'approved':
      throw new Error(`${step.do} is no step of a swap that is followed`)
  }
}

/** Whether the step rests on answers that differ, or on further looks, as a death does: its branch settles the doubt. */
const mayDiffer = (step: NextStep): boolean =>
  // A receipt that comes and goes is a change, and no agreement.
  ['dispute', 'displace', 'include', 'uninclude'].includes(step.do) ||
  (step.do === 'finish' && step.as !== 'SETTLED')

/** Answers that differ at one look are most often a node a block behind: only those that keep differing lock the wallet. */
async function lockIfTooLong(
  answers: string | undefined,
  { swap, train, areApartTooLong }: SwapTurn,
): Promise<void> {
  if (areApartTooLong(answers) && answers !== undefined) await lockDisputed(swap, answers, train)
}

function newestOf(swap: Swap, kind: AttemptKind) {
  const newest = attemptsOf(swap, kind).at(-1)
  assert(newest !== undefined, 'what is offered was journaled')
  return newest
}

async function finish(step: Finish, turn: SwapTurn): Promise<void> {
  const { as, receipt } = step
  const { swap, train } = turn
  const { swapId } = swap.plan
  if (as === 'SETTLED') {
    const measured = await train
      .measure(swap, receipt)
      .catch((error: unknown) => haltUnmeasured(error, swap, train))
    return train.journal.attempts.settle({ swapId, measured })
  }
  await confirmDeath(step, turn)
  const ends = {
    REVERTED: {
      code: 'REVERTED',
      reason: 'The transaction was mined and reverted; only gas was spent.',
    },
    EXPIRED_DEAD: {
      code: 'EXPIRED',
      reason: 'The deadline passed before the transaction was mined; its nonce was closed.',
    },
  }
  return train.journal.attempts.close({ swapId, as, ...ends[as], receipt })
}

type Approval = NonNullable<ReturnType<typeof openApproval>>

/** {@link perform} for an approval. */
async function performApproval(
  step: NextStep,
  { approval, swap, train, block, baseFee }: Turn & { readonly approval: Approval },
): Promise<boolean> {
  switch (step.do) {
    case 'approved': {
      const { receipt } = step
      await train.journal.attempts.closeApproval({ hash: receipt.hash, receipt })
      return true
    }
    case 'publish':
      await publish(newestOf(swap, 'APPROVE'), { train, block })
      return true
    case 'bump': {
      const { offer } = approval
      const most = undefined
      return bumpOrResend(newestOf(swap, 'APPROVE'), { offer, train, most, block, baseFee })
    }
    case 'send':
      await send(newestOf(swap, 'APPROVE'), { train, block })
      return true
    case 'wait':
      return false
    default:
      throw new Error(`${step.do} is no step of an approval`)
  }
}

/**
 * Whether the nonce of an approval is gone at every look. It has no authorisation to query the router for, so its
 * absence is looked at twice more, a while apart: by the same endpoint, and by the witness where there is one.
 */
async function isGone(approval: Approval, train: Drivetrain): Promise<boolean> {
  const { clock, pollMs, witness } = train
  await clock.sleep(pollsBetweenLooks * pollMs)
  const watched = watchedApproval(approval, train)
  const looks = [await train.observe(watched)]
  if (witness !== undefined) looks.push(await witness(watched))
  return looks.every((seen) => next(approval, seen).do === 'displace')
}

/** It can never be mined, at no fee that was offered. */
async function giveUp({ bids }: Approval, train: Drivetrain): Promise<never> {
  const newest = bids.at(-1)
  assert(newest !== undefined, 'an open approval has bytes')
  const { hash, wallet } = newest.bytes
  return haltDisplaced(wallet, train, () => train.journal.attempts.abandonApproval({ hash }))
}

const watchedApproval = ({ bids }: Approval, { signer }: Drivetrain) => ({
  wallet: signer.address,
  consumes: undefined,
  nonce: bids[0]?.bytes.transaction.nonce,
  attempts: bids.map(({ bytes: { hash } }) => ({ kind: 'APPROVE' as const, hash })),
})

/** Long enough for an index that lags to have caught up with its own head. */
const pollsBetweenLooks = 10

/**
 * Looks again before a swap is closed as one that did not happen: its budget is free from then on, so one endpoint's
 * word must not be enough where a second can be had.
 *
 * The witness must come to the same end from its own reading. A gone nonce without a receipt is also what an index that
 * lags behind its own head shows of our own revert or cancellation: there the endpoint itself is queried twice, a while
 * apart. Looks that contradict each other for too long lock the wallet; one that is behind the receipt's block contradicts
 * nothing.
 *
 * @throws BallastError of an upstream fault where the looks differ or the witness is away: nothing is concluded.
 */
async function confirmDeath(step: NextStep, turn: SwapTurn): Promise<void> {
  const { swap, train } = turn
  const { clock, pollMs, observe, witness } = train
  const watched = watchedAttempts(swap)
  const assertSame = async (seen: Observation, by: string) => {
    const other = next(swap, seen)
    const [first, second] = [nameOfStep(step), nameOfStep(other)]
    if (first === second) return
    const isContradiction = isDisputed(swap, seen) && !isBehind(seen, step)
    await lockIfTooLong(isContradiction ? `${first}, but ${by}: ${second}` : undefined, turn)
    throw looksDiffer({ first, second, by })
  }
  if (step.do === 'displace') {
    await clock.sleep(pollsBetweenLooks * pollMs)
    await assertSame(await observe(watched), 'the same endpoint, read again')
  }
  if (witness !== undefined) await assertSame(await witness(watched), 'the witness')
  // The journal may be away for the close: the next look must not begin in the doubt of an earlier one.
  await lockIfTooLong(undefined, turn)
}

/** Whether the look is not deep enough yet to judge the receipt that an end rests on. */
const isBehind = ({ deep }: Observation, step: NextStep): boolean =>
  step.do === 'finish' && (deep === undefined || deep.number < step.receipt.blockNumber)

/** An end with the block it rests on. */
const nameOfStep = (step: NextStep) =>
  step.do === 'finish'
    ? `${step.as} by ${step.receipt.hash} in block ${step.receipt.blockHash}`
    : step.do === 'wait' || step.do === 'dispute'
      ? `wait ${step.why}`
      : step.do

const answersDiffer = (answers: string) =>
  ballastError('DEATH_UNCONFIRMED', 'Answers about a swap contradict each other.', { answers })

const looksDiffer = (looks: { first: string; second: string; by: string }) =>
  ballastError(
    'DEATH_UNCONFIRMED',
    'A swap looks dead from one endpoint, and a second look does not show it.',
    looks,
  )

/** The bytes looked for on the chain to see how a swap stands: its own and those that cancel it. */
export function watchedAttempts(swap: Swap) {
  const { plan, router, authorization, nonce } = swap
  const consumes =
    router === undefined || authorization === undefined ? undefined : { router, authorization }
  const attempts = [...hashesOf(swap, 'SWAP'), ...hashesOf(swap, 'CANCEL')]
  return { wallet: plan.wallet, consumes, attempts, nonce }
}

const hashesOf = <kind extends AttemptKind>(swap: Swap, kind: kind) =>
  attemptsOf(swap, kind).map(({ bytes: { hash } }) => ({ kind, hash }))
