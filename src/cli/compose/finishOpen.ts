import type { UnsignedJournal } from '../../bot/journal/createUnsigned.ts'
import type { Planned } from '../../bot/stages.ts'
import { isFinal, type SwapState } from '../../bot/state.ts'

/** Takes swaps to their end: on the chain, or on paper. */
export type Driver = {
  drive(planned: Planned, signal: AbortSignal): Promise<unknown>
  /** Continues what is open. */
  resume(swapId: string, signal: AbortSignal): Promise<{ readonly state: SwapState }>
}

type Open = {
  readonly journal: Pick<UnsignedJournal, 'swaps'>
  readonly driver: Driver
  readonly breakers: { readonly atEnd: (swapId: string) => Promise<void> }
  /** Told that a swap of the strategy has ended: what it keeps for itself may be another amount now. */
  readonly forget: (strategy: string) => void
  readonly signal: AbortSignal
}

/** Signed bytes that an error left behind are followed to their end before anything new is looked at. */
export async function finishOpen({
  journal,
  driver,
  breakers,
  forget,
  signal,
}: Open): Promise<void> {
  for (const swapId of await journal.swaps.open()) {
    const { state } = await driver.resume(swapId, signal)
    const record = await journal.swaps.record(swapId)
    if (record !== undefined) forget(record.strategy)
    if (!isFinal(state)) return
    await breakers.atEnd(swapId)
  }
}
