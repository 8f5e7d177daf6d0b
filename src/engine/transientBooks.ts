import type { BallastError } from '../core/errors.ts'
import type { World } from './turn.ts'

type Books = World<unknown>['books']

/** Books of a turn that leaves no record: nothing is open, no slot is closed, and a refused order is an error, as is a strategy that fails. */
export const transientBooks = (decided: Books['decided']): Books => ({
  finishOpen: async () => {},
  progress: async () => ({ settled: 0, open: false, planned: 0, tries: 0, answered: 0 }),
  decided,
  broke,
  refused: async (_order, { error }) => {
    throw error
  },
  closeSlot: async () => {},
})

/** Whoever tries a strategy is to see that it fails. */
export async function broke(_loaded: unknown, error: BallastError): Promise<never> {
  throw error
}
