import type { FiguresView } from '../../src/dashboard/queries.ts'

/** The figures of a journal in which nothing ever happened. */
export const noFigures = async (): Promise<FiguresView> => ({
  swapsEnded: [],
  swapsOpen: 0,
  slots: [],
  gasPaidWei: 0n,
  journalBytes: null,
  diskFreeBytes: null,
})
