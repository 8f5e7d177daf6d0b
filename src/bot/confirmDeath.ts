import { BallastError } from '../core/errors.ts'
import type { Drivetrain } from './drivetrain.ts'
import type { Swap } from './journal/swaps/load.ts'
import { next, type Observation, type Step } from './next.ts'
import { watchedOf } from './watchedOf.ts'

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
  const watched = watchedOf(swap)
  const assertSame = (seen: Observation, by: string) => {
    const other = next(swap, seen, train.confirmations)
    if (nameOf(other) !== nameOf(step)) throw differs({ step, other, by })
  }
  if (step.do === 'displace') {
    await clock.sleep(pollsBetweenLooks * pollMs)
    assertSame(await observe(watched), 'the same endpoint, asked again')
  }
  if (witness !== undefined) assertSame(await witness(watched), 'the witness')
}

/** An end with the very block it rests on. */
const nameOf = (step: Step) =>
  step.do === 'finish'
    ? `${step.as} by ${step.receipt.hash} in block ${step.receipt.blockHash}`
    : step.do === 'wait'
      ? `wait ${step.why}`
      : step.do

const differs = ({ step, other, by }: { step: Step; other: Step; by: string }) =>
  new BallastError('A swap looks dead from one endpoint, and a second look does not show it.', {
    code: 'DEATH_UNCONFIRMED',
    remedy: 'retry',
    fault: 'upstream',
    facts: { first: nameOf(step), second: nameOf(other), by },
  })
