import { expect, test } from 'vitest'
import { exitCodeOfError, exitCodeOfRun } from '../../src/cli/exitCodes.ts'
import { ballastError } from '../../src/core/errors.ts'
import { type ErrorCode, errorTable } from '../../src/core/errorTable.ts'

const codes = Object.keys(errorTable) as ErrorCode[]
const heldByOthers = ['JOURNAL_LOCKED', 'LEASE_LOST', 'WALLET_LOCKED']
const of = (exit: typeof exitCodeOfRun, wanted: number) =>
  codes.filter((code) => exit(ballastError(code, 'So it is.')) === wanted)

test('run: a cause that passes by itself is 75; for other commands the fault decides', () => {
  const again = of(exitCodeOfRun, 75)
  expect(again).toEqual(
    expect.arrayContaining([
      ...['COMMIT_UNKNOWN', 'JOURNAL_BUSY', 'JOURNAL_LOCKED', 'JOURNAL_UNREACHABLE', 'LEASE_LOST'],
      ...['NODE_BEHIND', 'QUOTE_UNAVAILABLE', 'RATE_LIMITED', 'SIGNER_UNAVAILABLE', 'UNREACHABLE'],
      'WALLET_LOCKED',
    ]),
  )
  expect(of(exitCodeOfError, 75)).toEqual([])
  for (const code of again.filter((one) => !heldByOthers.includes(one)))
    expect(errorTable[code]).toEqual({ fault: 'upstream', remedy: 'retry' })
})

test('run: 5 is for a person alone', () => {
  expect(of(exitCodeOfRun, 5)).toEqual(
    of(exitCodeOfError, 5).filter((code) => !heldByOthers.includes(code)),
  )
  expect(of(exitCodeOfRun, 5)).toEqual(
    expect.arrayContaining([
      ...['BOOKS_BEHIND', 'JOURNAL_FULL', 'JOURNAL_MOVED', 'JOURNAL_UNUSABLE', 'LOCKED'],
      ...['NONCE_FOREIGN', 'NONCE_SHARED', 'OTHER_WALLET'],
    ]),
  )
})

test('run: usage, refusals, what is unsettled and a defect end as in every command', () => {
  for (const wanted of [1, 2, 3, 6])
    expect(of(exitCodeOfRun, wanted)).toEqual(of(exitCodeOfError, wanted))
})
