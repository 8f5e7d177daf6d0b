import type { FaultId } from './matrix.ts'

const rows: Readonly<Record<string, FaultId>> = {
  'before reserve': 'LOCAL-01',
  'after reserve': 'LOCAL-02',
  'after quote': 'LOCAL-03',
  'before commitQuote': 'LOCAL-03',
  'after commitQuote': 'LOCAL-04',
  'after sign SWAP': 'LOCAL-05',
  'before commitSwap': 'LOCAL-05',
  'after commitSwap': 'LOCAL-06',
  'before broadcast': 'LOCAL-06',
  'after broadcast': 'LOCAL-07',
  'before noteSent': 'LOCAL-08',
  'before include': 'LOCAL-09',
  'after commitBump': 'LOCAL-10',
  'after sign CANCEL': 'LOCAL-11',
  'before commitCancel': 'LOCAL-11',
  'after commitCancel': 'LOCAL-11',
  'after settle': 'LOCAL-12',
}

/** The row of the matrix that a kill at this place is; undefined for a place without one. */
export const killedAt = (moment: 'before' | 'after', what: string): FaultId | undefined =>
  rows[`${moment} ${what}`]
