import { Refused } from '../../core/check.ts'
import type { Clock } from '../../core/clock.ts'
import { ballastError } from '../../core/errors.ts'
import type { PaperJournal } from '../journal/openPaperJournal.ts'
import type { Planned, Reading, Simulated } from '../stages.ts'
import { isFinal, type SwapState } from '../state.ts'
import { preview } from '../swap.ts'
import { causeOf, throwIfStopped } from './train.ts'

/** All that a swap on paper needs: what a dry run has, and books of its own kind. No signer, and nowhere to send. */
export type PaperTrain = {
  readonly reading: Reading
  readonly journal: PaperJournal
  readonly clock: Clock
  /** Nothing is booked on a look at the chain that is older than this. */
  readonly simulationAgeMsMax: number
}

/** Takes a planned swap as far as a signature would be, and books it as done there. Its other ends are those of a live swap. */
export async function drivePaper(
  planned: Planned,
  { reading, journal, clock, simulationAgeMsMax }: PaperTrain,
  signal?: AbortSignal,
): Promise<void> {
  const { swapId } = planned
  try {
    const simulated = await preview(planned, reading)
    throwIfStopped(signal)
    assertGood(simulated, { now: clock.now(), simulationAgeMsMax })
    await journal.paper.settle(simulated)
  } catch (error) {
    const { state } = await journal.swaps.load(swapId)
    // The answer to a commit can be lost, and what it stored is stored.
    if (isFinal(state)) return
    await journal.swaps.close({
      swapId,
      as: error instanceof Refused ? 'REJECTED' : 'ABANDONED',
      ...causeOf(error),
    })
    throw error
  }
}

/** Plans that an earlier process left are over: a fill is booked whole or not at all. */
export async function resumePaper(
  swapId: string,
  { journal }: Pick<PaperTrain, 'journal'>,
): Promise<{ readonly state: SwapState }> {
  await journal.swaps.close({
    swapId,
    as: 'ABANDONED',
    code: 'INTERRUPTED',
    reason: 'The process ended before the swap was booked.',
  })
  return journal.swaps.load(swapId)
}

/** A quote past its deadline, or a look at the chain that is too old, would have filled nothing. */
function assertGood(
  { deadline, simulation }: Simulated,
  { now, simulationAgeMsMax }: { now: number; simulationAgeMsMax: number },
): void {
  const ageMs = now - simulation.startedAt
  const late = now > deadline * 1_000
  // By a clock that was set back meanwhile the age is not known.
  if (!late && ageMs >= 0 && ageMs <= simulationAgeMsMax) return
  throw ballastError(
    late ? 'QUOTE_EXPIRED' : 'SIMULATION_STALE',
    late
      ? 'The quote was past its deadline before it could have been signed.'
      : 'So much time passed that the simulation is out of date.',
    { deadline, ageMs, simulationAgeMsMax },
  )
}
