import { Refused } from '../../core/check.ts'
import { BallastError, ballastError } from '../../core/errors.ts'
import { hourMs } from '../../core/spans.ts'
import { openApproval, type Swap } from '../journal/swaps/load.ts'
import type { Planned, Signed, Simulated, Transaction } from '../stages.ts'
import { requote } from '../swap.ts'
import { arrangeAllowance } from './approvals.ts'
import { isOver, send } from './bids.ts'
import { finishApprovals, follow } from './follow.ts'
import { simulateWithPermit } from './simulateWithPermit.ts'
import { assertNonce, causeOf, type Drivetrain, throwIfStopped } from './train.ts'

/**
 * Takes a planned swap to its end: signed and journaled here, then followed by `follow`. A crash between any two lines is
 * continued by {@link resume}, which ends in the same loop.
 */
export async function drive(
  planned: Planned,
  train: Drivetrain,
  signal?: AbortSignal,
): Promise<Swap> {
  try {
    await prepare(planned, preparingRows(train), signal)
  } catch (error) {
    // A busy journal must not hide it: what is not closed here is closed before the next look.
    await closeUnsigned(planned.swapId, error, train).catch(noted(planned.swapId, train))
    throw error
  }
  return follow(planned.swapId, train, signal)
}

async function closeUnsigned(
  swapId: string,
  error: unknown,
  { journal }: Drivetrain,
): Promise<void> {
  const swap = await journal.swaps.load(swapId)
  const unsigned = swap.state === 'PLANNED' || swap.state === 'VERIFIED'
  // An approval that is still open keeps its swap open: the next start finishes it before anything else.
  if (!unsigned || openApproval(swap) !== undefined) return
  await journal.swaps.close({
    swapId,
    as: error instanceof Refused && swap.state === 'PLANNED' ? 'REJECTED' : 'ABANDONED',
    ...causeOf(error),
  })
}

/** What fails beside the error that ends a swap. */
const noted = (swapId: string, train: Drivetrain) => (beside: unknown) => {
  if (!(beside instanceof BallastError)) throw beside
  train.onTrouble(swapId, beside)
}

/**
 * Continues what an earlier process left undecided.
 *
 * A swap without signed bytes is abandoned, never signed late: its trigger is old, and the strategy will be called
 * again. One with signed bytes is followed to its end, whatever that is.
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

/**
 * From the plan to durable signed bytes. The allowance comes first, so that the quote's clock is not spent on it, or within
 * the swap, where the token takes a permit.
 */
async function prepare(planned: Planned, train: Drivetrain, signal?: AbortSignal): Promise<void> {
  const { reading, journal, clock } = train
  const begunAt = clock.now()
  const unfunded = await reading.fund(planned)
  const simulated =
    (await simulateWithPermit({ planned, unfunded }, train, signal)) ??
    (await requote(await arrangeAllowance({ planned, unfunded }, train, signal), reading))
  // What is refused here is evidence as well, although nothing is sent on it.
  const refused = async (error: unknown) => {
    await journal.attempts.commitQuote(simulated).catch(noted(planned.swapId, train))
    throw error
  }
  const signed = await signSimulated({ simulated, begunAt }, train, signal).catch(refused)
  const bytes = await journal.attempts.commitSwap(signed, simulated).catch((error: unknown) => {
    // Any other failure of a commit, as of its disk, may leave open what is stored.
    if (error instanceof BallastError && error.code === 'LOCKED') return refused(error)
    throw error
  })
  // A commit may take as long as a disk stands still: what comes too late is left to `follow`, which closes the nonce.
  if (isOver(simulated, clock)) return
  // Straight on to the network: the simulation is the only read of the chain since the firm quote.
  await send({ bytes }, { train, block: simulated.simulation.block })
}

/** Makes the rows of a quote ready while the node plays its swap: the request has left by then. */
function preparingRows(train: Drivetrain): Drivetrain {
  const { reading, journal, clock } = train
  const simulate: Drivetrain['reading']['simulate'] = async (permitted) => {
    const simulated = reading.simulate(permitted)
    const ready = clock.sleep(0).then(() => journal.attempts.prepareQuote(permitted))
    return (await Promise.all([simulated, ready]))[0]
  }
  return { ...train, reading: { ...reading, simulate } }
}

/** The bytes of a simulated swap, looked at and known to this process alone. */
async function signSimulated(
  { simulated, begunAt }: { readonly simulated: Simulated; readonly begunAt: number },
  train: Drivetrain,
  signal?: AbortSignal,
): Promise<Signed> {
  const { call, fees, nonce, swapId } = simulated
  const { journal, signer, inspect, chainId } = train
  assertTimely(begunAt, train)
  await assertNonce(simulated, train)
  const transaction: Transaction = { ...call, ...fees, nonce, chainId }
  await journal.locks.guard('sign', { swapId })
  const signed = await signer.sign({ swapId, kind: 'SWAP', transaction })
  await inspect.swap(signed, simulated)
  // Stopped before the commit is stopped: nothing was stored, so nothing can be sent.
  throwIfStopped(signal)
  assertFresh(simulated, train)
  return signed
}

/**
 * Its quote is of now, its reason is of when it was planned: approvals may have waited for cheaper gas. Two of them take an
 * hour where a chain calls a block final after half of one.
 */
const planAgeMsMax = 2 * hourMs

function assertTimely(begunAt: number, { clock }: Drivetrain): void {
  const ageMs = clock.now() - begunAt
  if (ageMs <= planAgeMsMax) return
  throw ballastError(
    'DECISION_STALE',
    'The swap was planned so long ago that it has to be decided again.',
    { ageMs, ageMsMax: planAgeMsMax },
  )
}

/** A signer may take its time while the chain moves on. Bytes refused here were never stored, so never sent. */
function assertFresh({ simulation }: Simulated, { clock, simulationAgeMsMax }: Drivetrain): void {
  const ageMs = clock.now() - simulation.startedAt
  // By a clock that was set back meanwhile the age is not known.
  if (ageMs >= 0 && ageMs <= simulationAgeMsMax) return
  throw ballastError(
    'SIMULATION_STALE',
    'The signature took so long that the simulation is out of date.',
    { ageMs, simulationAgeMsMax },
  )
}
