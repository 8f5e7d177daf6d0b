import { expect, test, vi } from 'vitest'
import { answerOf } from '../../../src/bot/sign/answerOf.ts'
import { ballastError } from '../../../src/core/errors.ts'

const signer = 'signer far away'
const failed = (cause: unknown) => answerOf({ signer }, () => Promise.reject(cause))

test('a refusal passes as it is', async () => {
  const refusal = ballastError('SIGNER_REFUSED', 'No.')
  await expect(failed(refusal)).rejects.toBe(refusal)
})

const long = 'x'.repeat(301)
test.for<readonly [string, unknown, string]>([
  ['one of ours', ballastError('HTTP_TOO_LARGE', 'Too much.', { bytes: 5 }), 'Too much.; bytes: 5'],
  ['no error', 'away', 'unknown'],
  ['an error', new TypeError('bad\nand its request'), 'TypeError: bad'],
  ['one with a code', Object.assign(new Error('x'), { code: 'ECONNRESET' }), 'ECONNRESET: x'],
  ['a long one', new Error(long), `Error: ${long.slice(1)}…`],
])('a fault on the way is unavailable and gives its reason: %s', async ([, cause, reason]) => {
  const fault = { code: 'SIGNER_UNAVAILABLE', summary: `The ${signer} gave no signature.` }
  await expect(failed(cause)).rejects.toMatchObject({
    ...fault,
    facts: { reason },
  })
})

test('an ask that heeds no deadline is given up at it', async () => {
  const silent = answerOf({ signer, timeoutMs: 1 }, () => new Promise(() => {}))
  await expect(silent).rejects.toMatchObject({ code: 'SIGNER_UNAVAILABLE' })
})

test('a signer has ten seconds', async () => {
  const timeout = vi.spyOn(AbortSignal, 'timeout').mockReturnValue(AbortSignal.abort())
  await expect(failed(new Error('aborted'))).rejects.toMatchObject({
    summary: `The ${signer} did not answer within 10000 ms.`,
  })
  expect(timeout).toHaveBeenCalledWith(10_000)
})
