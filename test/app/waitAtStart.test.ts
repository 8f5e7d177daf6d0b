import { expect, test } from 'vitest'
import { waitAtStart } from '../../src/app/waitAtStart.ts'
import { BallastError, ballastError } from '../../src/core/errors.ts'
import type { ErrorCode } from '../../src/core/errorTable.ts'

/** Opens a part that fails with these codes, one at each try, and is there afterwards. */
async function waited(codes: readonly ErrorCode[], signal = new AbortController().signal) {
  const [slept, said]: [number[], string[]] = [[], []]
  let tries = 0
  const end = await waitAtStart(
    async () => {
      const code = codes[tries++]
      if (code !== undefined) throw ballastError(code, 'It is away.')
      return 'open'
    },
    {
      clock: {
        now: () => 0,
        async sleep(ms, until) {
          until?.throwIfAborted()
          slept.push(ms)
        },
      },
      signal,
      say: (line) => said.push(line),
    },
  ).catch((error: unknown) => (error instanceof BallastError ? error.code : (error as Error).name))
  return { end, tries, slept, said }
}

test.each<ErrorCode>([
  'UNREACHABLE',
  'QUOTE_UNAVAILABLE',
  'JOURNAL_UNREACHABLE',
  'JOURNAL_BUSY',
  'JOURNAL_LOCKED',
  'SIGNER_UNAVAILABLE',
])('%s: waited for, with one line', async (code) => {
  expect(await waited([code, code])).toEqual({
    ...{ end: 'open', tries: 3, slept: [1_000, 2_000] },
    said: [`WAITING It is away. (${code})`],
  })
})

test('a redirect that may end, as of a portal, is waited for, and one that stays is not', async () => {
  const ends = async (status: number) => {
    let tries = 0
    const open = async () => {
      tries += 1
      if (tries === 1) throw ballastError('HTTP_REDIRECT', 'It leads away.', { status })
      return tries
    }
    const clock = { now: () => 0, sleep: async () => {} }
    const { signal } = new AbortController()
    return waitAtStart(open, { clock, signal, say: () => {} }).catch(({ code }) => code)
  }
  expect(await Promise.all([302, 303, 307].map(ends))).toEqual([2, 2, 2])
  expect(await Promise.all([301, 308].map(ends))).toEqual(['HTTP_REDIRECT', 'HTTP_REDIRECT'])
})

test('one thing after another: a line for each', async () => {
  const { end, said } = await waited(['UNREACHABLE', 'UNREACHABLE', 'JOURNAL_LOCKED'])
  expect(end).toBe('open')
  expect(said).toEqual([
    'WAITING It is away. (UNREACHABLE)',
    'WAITING It is away. (JOURNAL_LOCKED)',
  ])
})

test('the number of tries has an end, and the pauses outlast a lease of 15 seconds', async () => {
  const { end, tries, slept } = await waited(Array<ErrorCode>(20).fill('JOURNAL_LOCKED'))
  expect({ end, tries }).toEqual({ end: 'JOURNAL_LOCKED', tries: 7 })
  expect(slept).toEqual([1_000, 2_000, 4_000, 8_000, 15_000, 30_000])
})

test.each<ErrorCode>([
  'LOCKED',
  'CONFIG_INVALID',
  'JOURNAL_UNUSABLE',
  'NONCE_FOREIGN',
  'WRONG_CHAIN',
])('%s needs a person: at once', async (code) => {
  expect(await waited([code])).toEqual({ end: code, tries: 1, slept: [], said: [] })
})

test('a stop ends the wait', async () => {
  const { end, tries } = await waited(['UNREACHABLE'], AbortSignal.abort())
  expect({ end, tries }).toEqual({ end: 'AbortError', tries: 1 })
})
