import { globSync, readFileSync } from 'node:fs'
import { constants } from 'node:os'
import { describe, expect, test } from 'vitest'
import { checkFamilies, recordedCodes } from '../../scripts/errorGuide.ts'
import { errorTable } from '../../src/core/errorTable.ts'
import { serviceRefusals } from '../../src/service/refusal/errors.ts'

type Source = { readonly path: string; readonly text: string }

const known = new Set<string>([
  ...Object.keys(errorTable),
  ...Object.keys(serviceRefusals),
  ...Object.values(recordedCodes).flatMap((group) => Object.keys(group)),
  // Those of the system.
  ...Object.keys(constants.errno),
])

const sources: readonly Source[] = globSync('src/**/*.ts').map((path) => ({
  path,
  text: readFileSync(path, 'utf8'),
}))

/** `code: 'X'`, and both of `code: given ? 'X' : 'Y'`. */
const literalCodes = /\bcode: (?:[^\n,]*\? )?'([A-Z][A-Z0-9_]+)'(?: : '([A-Z][A-Z0-9_]+)')?/g

/** Where a test raises an error and names its code. The test of exit codes lists codes, and raises none. */
const tests: readonly Source[] = globSync('test/**/*.ts')
  .filter((path) => !/(?:errorCodes|exitCodes)\.test\.ts$/.test(path))
  .map((path) => ({ path, text: readFileSync(path, 'utf8') }))

const untested = (codes: readonly string[], given: readonly Source[]) =>
  codes
    .filter((code) => !given.some(({ text }) => new RegExp(`\\b${code}\\b`).test(text)))
    .map((code) => `${code} — write a test that raises it and expects this code`)

const missing = (given: readonly Source[]) =>
  given.flatMap(({ path, text }) =>
    [...text.matchAll(literalCodes)]
      .flatMap(([, first, second]) => [first, second])
      .filter((code) => code !== undefined && !known.has(code))
      .map(
        (code) => `${path}: ${code} — add it to src/core/errorTable.ts and scripts/errorGuide.ts`,
      ),
  )

/** Files that may build an error from a code that they do not state: they pass on the code of another error. */
const passOn = [
  'src/app/dashboard/serveDashboard.ts',
  'src/cli/stopCommand.ts',
  'src/core/check.ts',
  'src/core/errors.ts',
  'src/service/refusal/errors.ts',
]

/** Errors made by hand whose code is not written beside them. A function ends at the first bracket without indent. */
const computed = (given: readonly Source[]) =>
  given
    .filter(({ path }) => !passOn.includes(path))
    .filter(({ text }) =>
      [...text.matchAll(/new BallastError\(|extends BallastError\b/g)].some(
        ({ index }) => !/\bcode: [^\n]*'[A-Z]/.test(text.slice(index).split(/\n\}/, 1)[0] ?? ''),
      ),
    )
    .map(({ path }) => `${path} — call ballastError with a code of src/core/errorTable.ts`)

describe('error codes', () => {
  test('each code in src is in a table', () => {
    expect(missing(sources)).toEqual([])
  })

  test('no code is computed where an error is made', () => {
    expect(computed(sources)).toEqual([])
  })

  test('both notice a planted file', () => {
    const planted = (text: string): readonly Source[] => [{ path: 'src/a.ts', text }]
    expect(missing(planted("f({ code: taken ? 'FILE_EXISTS' : 'NO_SUCH_CODE' })"))).toHaveLength(1)
    expect(missing(planted("f({ code: 'NO_SUCH_CODE', remedy })"))).toHaveLength(1)
    expect(missing(planted("f({ code: 'FILE_EXISTS' })"))).toEqual([])
    expect(computed(planted('throw new BallastError(s, { code, remedy, fault })'))).toHaveLength(1)
    expect(computed(planted("new BallastError(s, { code: 'USAGE', remedy })"))).toEqual([])
  })

  test('each code is expected by a test', () => {
    expect(untested(Object.keys(errorTable), tests)).toEqual([])
    expect(untested(['AN_ERROR'], [{ path: '', text: "code: 'AN_ERROR_OF_OTHERS'" }])).toHaveLength(
      1,
    )
  })

  test('each stage that makes codes of its checks is described', () => {
    const stages = sources.flatMap(({ text }) =>
      [...text.matchAll(/createChecklist\(\s*'(\w+)'/g)].map(([, stage = '']) => stage),
    )
    expect([...new Set(stages)].map((stage) => `${stage.toUpperCase()}_`).sort()).toEqual(
      Object.keys(checkFamilies).sort(),
    )
  })

  test('the table is in order of the alphabet', () => {
    const codes = Object.keys(errorTable)
    expect(codes).toEqual([...codes].sort())
  })
})
