import { expect, test } from 'vitest'
import { endItem } from '../../../src/app/alerts/endItem.ts'
import { ballastError } from '../../../src/core/errors.ts'

const at = Date.UTC(2026, 10, 27)

test('an error that ends a bot is told, by its code', () => {
  const full = ballastError('JOURNAL_FULL', 'The journal cannot grow.')
  expect(endItem(full, at)).toMatchObject({
    ...{ code: 'BOT_ENDED', severity: 'critical', subject: 'JOURNAL_FULL' },
    since: '2026-11-27T00:00:00.000Z',
    sentence: 'The bot ended: The journal cannot grow. (JOURNAL_FULL)',
  })
})

test('of a service that refused, its reason is told', () => {
  const facts = { apiCode: '131004', apiMessage: 'no such recipient', requestId: 'REQ-77' }
  expect(endItem(ballastError('BAD_REQUEST', 'Not accepted.', facts), at)).toMatchObject({
    sentence:
      'The bot ended: Not accepted: 131004 "no such recipient" (request REQ-77). (BAD_REQUEST)',
  })
})

test('what is no error of ours may hold anything: its words stay in the log', () => {
  expect(endItem(new TypeError('key 0xabc'), at)).toMatchObject({
    subject: 'INTERNAL',
    sentence: 'The bot ended: an unexpected failure. (INTERNAL)',
  })
})

test.each([
  ['an orderly end', undefined],
  ['a lock, which is told as one', ballastError('LOCKED', 'Halted.')],
  ['what passes by itself', ballastError('JOURNAL_UNREACHABLE', 'The server is away.')],
  ['a lease that another has', ballastError('LEASE_LOST', 'Not ours.')],
])('%s is not', (_, error) => {
  expect(endItem(error, at)).toBeUndefined()
})
