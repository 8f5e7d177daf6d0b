import { expect, test } from 'vitest'
import { refusalOfAnswer } from '../../../src/app/alerts/channel.ts'

const date = 'Fri, 27 Nov 2026 09:00:00 GMT'

test.each<readonly [status: number, retryAfter: string, waitMs: number, isAway: boolean]>([
  [429, '60', 60_000, true],
  [503, 'Fri, 27 Nov 2026 09:01:30 GMT', 90_000, true],
  [503, 'Fri, 27 Nov 2026 08:59:00 GMT', 0, true],
  [503, 'soon', 0, true],
  [408, '', 0, true],
  [500, '', 0, true],
  [404, '60', 60_000, false],
  [301, '', 0, false],
])('%i, Retry-After %j: another try after %i ms, away %s', (status, after, waitMs, isAway) => {
  const headers = { date, 'retry-after': after }
  expect(refusalOfAnswer('Slack', { status, headers, text: '' })).toEqual({
    ...{ reason: `Slack answered with ${status}`, retryAfterMs: waitMs, isAway },
  })
})

test.each([200, 204, 299])('%i is taken', (status) => {
  expect(refusalOfAnswer('Slack', { status, headers: {}, text: '' })).toBeUndefined()
})
