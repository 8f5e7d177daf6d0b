import type { FaultId } from './matrix.ts'

type Place = { readonly row: FaultId; readonly chance: number }

const rows: Readonly<Record<string, Place>> = {
  'before reserve': { row: 'LOCAL-01', chance: 0.2 },
  'after reserve': { row: 'LOCAL-02', chance: 0.2 },
  'after quote': { row: 'LOCAL-03', chance: 0.2 },
  'before sign SWAP': { row: 'LOCAL-04', chance: 0.2 },
  'after sign SWAP': { row: 'LOCAL-05', chance: 0.2 },
  'before commitSwap': { row: 'LOCAL-05', chance: 0.2 },
  'after commitSwap': { row: 'LOCAL-06', chance: 0.2 },
  'before broadcast': { row: 'LOCAL-06', chance: 0.2 },
  'after broadcast': { row: 'LOCAL-07', chance: 0.2 },
  'before noteSent': { row: 'LOCAL-08', chance: 0.5 },
  'before include': { row: 'LOCAL-09', chance: 0.5 },
  'after commitBump': { row: 'LOCAL-10', chance: 0.9 },
  'after sign CANCEL': { row: 'LOCAL-11', chance: 0.9 },
  'before commitCancel': { row: 'LOCAL-11', chance: 0.9 },
  'after commitCancel': { row: 'LOCAL-11', chance: 0.9 },
  'after settle': { row: 'LOCAL-12', chance: 0.5 },
}

/**
 * The row of the matrix that a kill at this place is, and how likely a process dies there in a seed that has the row:
 * few swaps come as far as a cancellation. Undefined for a place without a row.
 */
export const killedAt = (moment: 'before' | 'after', what: string): Place | undefined =>
  rows[`${moment} ${what}`]
