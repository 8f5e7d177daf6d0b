import { assert } from '../../core/assert.ts'
import { Refused } from '../../core/check.ts'
import { display, foreignMax } from '../../core/display.ts'
import { BallastError } from '../../core/errors.ts'
import { withoutSecrets } from '../../core/secret.ts'
import { attemptsOf, type Swap } from '../journal/swaps/load.ts'
import { next, type Observation, type Step } from '../next.ts'
import type { AttemptKind, Planned, Simulated, Transaction } from '../stages.ts'
import { isFinal } from '../state.ts'
import { requote } from '../swap.ts'
import { arrangeAllowance, finishApprovals } from './approvals.ts'
import { bumpSwap, cancelSwap, send } from './bids.ts'
import { displaced, haltDisplaced, haltUnmeasured } from './halts.ts'
import { assertNonce, type Drivetrain, throwIfStopped, tolerate } from './train.ts'

type Finish = Extract<Step, { do: 'finish' }>

/**
 * Takes a planned swap to its end.
 *
 * Each turn reads what is durable, looks at the chain and does the one step that {@link next} allows. A crash between
 * any two lines is continued by {@link resume}, which is the same loop.
 */
export async function drive(
  planned: Planned,
  train: Drivetrain,
  signal?: AbortSignal,
): Promise<Swap> {
  try {
    await prepare(planned, train, signal)
  } catch (error) {
    const swap = await train.journal.swaps.load(planned.swapId)
    const unsigned = swap.state === 'PLANNED' || swap.state === 'VERIFIED'
    // An approval that is still open keeps its swap open: the next start finishes it before anything else.
    if (!unsigned || attemptsOf(swap, 'APPROVE').some(({ closed }) => !closed)) throw error
    await train.journal.swaps.close({
      swapId: planned.swapId,
      as: error instanceof Refused && swap.state === 'PLANNED' ? 'REJECTED' : 'ABANDONED',
      ...tell(error),
      ...(error instanceof Refused ? { checks: error.checks } : {}),
    })
    throw error
  }
  return follow(planned.swapId, train, signal)
}

/**
 * Continues what an earlier process left undecided.
 *
 * A swap without signed bytes is abandoned, never signed late: its trigger is old, and the strategy will be asked again.
 * One with signed bytes is followed to its end, whatever that is.
 */
export async function resume(
  swapId: string,
  train: Drivetrain,
  signal?: AbortSignal,
): Promise<Swap> {
  await finishApprovals(swapId, train, signal)
  const swap = await train.journal.swaps.load(swapId)
  if (swap.state === 'PLANNED' || swap.state === 'VERIFIED')
    await train.journal.swaps.close({
      swapId,
      as: 'ABANDONED',
      code: 'INTERRUPTED',
      reason: 'The process ended before the swap was signed.',
    })
  return follow(swapId, train, signal)
}

/** From the plan to durable signed bytes. The allowance comes first, so that the quote's clock is not spent on it. */
async function prepare(planned: Planned, train: Drivetrain, signal?: AbortSignal): Promise<void> {
  const { reading, journal, signer, chainId } = train
  const funded = await arrangeAllowance(planned, train, signal)
  const simulated = await requote(funded, reading)
  await journal.attempts.commitQuote(simulated)

  const { call, fees, nonce, deadline, swapId } = simulated
  await assertNonce(simulated, train)
  const transaction: Transaction = { ...call, ...fees, nonce, chainId }
  await journal.locks.guard('sign', { swapId })
  const signed = await signer.sign({ swapId, kind: 'SWAP', transaction })
  await train.inspect.swap(signed, simulated)
  // Stopped before the commit is stopped: nothing was stored, so nothing can be sent.
  throwIfStopped(signal)
  assertFresh(simulated, train)
  const bytes = await journal.attempts.commitSwap(signed, deadline)
  // Straight on to the network: between the firm quote and this call lies one round trip, the simulation's.
  await send(bytes, { train, block: simulated.simulation.block })
}

/** A signer may take its time, and the chain moves on meanwhile. What is refused here was never stored, so never sent. */
function assertFresh({ simulation }: Simulated, { clock, simulationAgeMsMax }: Drivetrain): void {
  const ageMs = clock.now() - simulation.startedAt
  if (ageMs <= simulationAgeMsMax) return
  throw new BallastError('The signature took so long that the simulation is out of date.', {
    code: 'SIMULATION_STALE',
    remedy: 'requote',
    fault: 'refused',
    facts: { ageMs, simulationAgeMsMax },
  })
}

/** Looks, asks {@link next}, does it; until the swap has an end or the process is asked to stop. */
async function follow(swapId: string, train: Drivetrain, signal?: AbortSignal): Promise<Swap> {
  for (;;) {
    const swap = await train.journal.swaps.load(swapId)
    if (isFinal(swap.state)) return swap
    const moved = await tolerate(swapId, train, async () => {
      const seen = await train.observe(watchedAttempts(swap))
      const step = next(swap, seen, train.confirmations)
      return perform(step, { swap, train, block: seen.head.number })
    })
    if (moved) continue
    // A signed swap needs nobody to watch it: the next start continues from the journal.
    if (signal?.aborted === true) return swap
    await train.clock.sleep(train.pollMs)
  }
}

/** Does the step, and says whether anything was done: after what moved nothing comes a pause. */
async function perform(
  step: Step,
  { swap, train, block }: { swap: Swap; train: Drivetrain; block: number },
): Promise<boolean> {
  const { journal } = train
  const { swapId } = swap.plan
  switch (step.do) {
    case 'send': {
      const attempt = attemptsOf(swap, step.kind).at(-1)
      assert(attempt !== undefined, 'what is to be sent was journaled')
      await send(attempt.bytes, { train, block })
      return true
    }
    case 'bump':
      return bumpSwap(swap, { train, block })
    case 'cancel':
      return cancelSwap(swap, { train, block })
    case 'include':
      await journal.attempts.include({ swapId, receipt: step.receipt })
      return true
    case 'uninclude':
      await journal.attempts.uninclude({ swapId })
      return true
    case 'displace':
      await confirmDeath(step, swap, train)
      await journal.attempts.close({ swapId, as: 'DISPLACED', ...displaced })
      return haltDisplaced(swap.plan.wallet, train)
    case 'finish':
      await finish(step, swap, train)
      return true
    case 'wait':
    case 'nothing':
      return false
    case 'prepare':
      throw new Error('a swap without signed bytes is not followed')
  }
}

async function finish(step: Finish, swap: Swap, train: Drivetrain): Promise<void> {
  const { as, receipt } = step
  const { swapId } = swap.plan
  if (as === 'SETTLED') {
    const measured = await train
      .measure(swap, receipt)
      .catch((error: unknown) => haltUnmeasured(error, swap, train))
    return train.journal.attempts.settle({ swapId, measured })
  }
  await confirmDeath(step, swap, train)
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

function tell(error: unknown): { code: string; reason: string } {
  if (error instanceof BallastError)
    return { code: error.code, reason: display(withoutSecrets(error.summary), foreignMax) }
  return { code: 'UNEXPECTED', reason: display(withoutSecrets(String(error)), 300) }
}

/** Long enough for an index that lags to have caught up with its own head. */
const pollsBetweenLooks = 10

/**
 * Asks again before a swap is closed as one that did not happen: its budget is free from then on, so one endpoint's word
 * must not be enough where a second can be had.
 *
 * The witness must come to the very same end from its own reading. A gone nonce without a receipt is also what an index
 * that lags behind its own head shows of our own revert or cancellation: there the endpoint itself is asked twice, a
 * while apart.
 *
 * @throws BallastError of an upstream fault where the looks differ or the witness is away: nothing is concluded.
 */
export async function confirmDeath(step: Step, swap: Swap, train: Drivetrain): Promise<void> {
  const { clock, pollMs, observe, witness } = train
  const watched = watchedAttempts(swap)
  const assertSame = (seen: Observation, by: string) => {
    const other = next(swap, seen, train.confirmations)
    if (nameOfStep(other) !== nameOfStep(step)) throw looksDiffer({ step, other, by })
  }
  if (step.do === 'displace') {
    await clock.sleep(pollsBetweenLooks * pollMs)
    assertSame(await observe(watched), 'the same endpoint, asked again')
  }
  if (witness !== undefined) assertSame(await witness(watched), 'the witness')
}

/** An end with the very block it rests on. */
const nameOfStep = (step: Step) =>
  step.do === 'finish'
    ? `${step.as} by ${step.receipt.hash} in block ${step.receipt.blockHash}`
    : step.do === 'wait'
      ? `wait ${step.why}`
      : step.do

const looksDiffer = ({ step, other, by }: { step: Step; other: Step; by: string }) =>
  new BallastError('A swap looks dead from one endpoint, and a second look does not show it.', {
    code: 'DEATH_UNCONFIRMED',
    remedy: 'retry',
    fault: 'upstream',
    facts: { first: nameOfStep(step), second: nameOfStep(other), by },
  })

/** What is looked for on the chain to see how a swap stands: its own bytes and those that cancel it. */
export function watchedAttempts(swap: Swap) {
  const { plan, authorization } = swap
  const attempts = [...hashesOf(swap, 'SWAP'), ...hashesOf(swap, 'CANCEL')]
  return { wallet: plan.wallet, authorization, attempts }
}

const hashesOf = <kind extends AttemptKind>(swap: Swap, kind: kind) =>
  attemptsOf(swap, kind).map(({ bytes: { hash } }) => ({ kind, hash }))
