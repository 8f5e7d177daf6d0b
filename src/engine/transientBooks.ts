import type { World } from './turn.ts'

type Books = World<unknown>['books']

/** Books of a turn that leaves no record: nothing is open, no slot is closed, and a refused order is an error. */
export const transientBooks = (decided: Books['decided']): Books => ({
  finishOpen: async () => {},
  progress: async () => ({ settled: 0, open: false, tries: 0 }),
  decided,
  refused: async (_order, { error }) => {
    throw error
  },
  closeSlot: async () => {},
})
