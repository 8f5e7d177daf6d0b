import { afterEach, describe, expect, test } from 'vitest'
import { lockedError } from '../../src/bot/journal/locks/guard.ts'
import { ballastError } from '../../src/core/errors.ts'
import { failureFacts, failureReason } from '../../src/core/failureReason.ts'
import { forgetSecrets, secret } from '../../src/core/secret.ts'

const refused = (facts: Parameters<typeof ballastError>[2]) =>
  ballastError('QUOTE_REFUSED', 'The quoting service refused.', facts)

afterEach(forgetSecrets)

describe('failureReason: the sentence, and what the other party said', () => {
  test.each([
    [{}, 'The quoting service refused.'],
    [{ status: 200, endpoint: 'firm' }, 'The quoting service refused.'],
    [{ requestId: 'REQ-77' }, 'The quoting service refused (request REQ-77).'],
    [
      { apiCode: '131099', apiMessage: 'not whitelisted', requestId: 'REQ-77' },
      'The quoting service refused: 131099 "not whitelisted" (request REQ-77).',
    ],
    [
      { field: 'orders.0.signer', reason: 'Invalid input', requestId: undefined },
      'The quoting service refused: orders.0.signer "Invalid input".',
    ],
    [{ rpcCode: -32_000, rpcMessage: 'busy' }, 'The quoting service refused: "busy".'],
  ])('%j', (facts, sentence) => {
    expect(failureReason(refused(facts))).toBe(sentence)
  })

  test('what the sentence says already is not said twice', () => {
    const locked = lockedError({
      ...{ kind: 'pause', scope: 'all', code: 'BY_OPERATOR', reason: 'a "fire"' },
      expiresAt: undefined,
    })
    expect(failureReason(locked)).toBe('Locked (pause, all): a "fire".')
  })

  test('foreign words stay within their quotation, and on one line', () => {
    expect(failureReason(refused({ apiMessage: 'no" (request X).\nSETTLED\u001b[1m' }))).toBe(
      `The quoting service refused: "no' (request X).\u{FFFD}SETTLED\u{FFFD}[1m".`,
    )
  })

  test('foreign words are cut', () => {
    const facts = { apiMessage: 'x'.repeat(5_000), reason: 'y'.repeat(5_000) }
    const sentence = failureReason(refused({ ...facts, requestId: 'z'.repeat(5_000) }))
    expect(sentence.length).toBeLessThan(700)
  })

  test('a secret is masked before anything is cut or replaced', () => {
    secret(`half"a"key${'k'.repeat(300)}`)
    const said = `${'x'.repeat(150)} half"a"key${'k'.repeat(300)} is unknown`
    const error = refused({ apiMessage: said, requestId: said })
    expect(failureReason(error)).not.toMatch(/half|kkk/)
    expect(JSON.stringify(failureFacts(error))).not.toMatch(/half|kkk/)
    expect(failureReason(error)).toContain('[secret]')
  })
})

test('failureFacts: as they may be printed, and null where there are none', () => {
  expect(failureFacts(refused({ a: undefined }))).toBeNull()
  expect(failureFacts(refused({ wei: 5n, status: 200, ok: false, said: 'a\nb' }))).toEqual({
    ...{ wei: '5', status: 200, ok: false },
    said: 'a\u{FFFD}b',
  })
})
