import { expect, test } from 'vitest'
import { alertText } from '../../../src/app/alerts/channel.ts'

const told = (event: 'begun' | 'ended') =>
  alertText({
    ...{ id: 'x', tries: 0 },
    body: JSON.stringify({
      ...{ id: '7', event, kind: 'gas', severity: 'warning', code: 'GAS_LOW', subject: 'ETH' },
      ...{ since: '2026-11-22T22:10:00.000Z', at: '2026-11-22T22:40:00.000Z' },
      ...{ sentence: 'The wallet holds 0.001 ETH.', next: 'Send ETH.' },
      ...{ chainId: 1, wallet: '0xaa', mode: 'live' },
    }),
  })

test('an event that begins says what is and what is next', () => {
  expect(told('begun')).toEqual({
    title: 'WARNING GAS_LOW: ETH',
    lines: [
      'The wallet holds 0.001 ETH.',
      'Next: Send ETH.',
      'Since 2026-11-22T22:10:00.000Z · live, chain 1, wallet 0xaa · event 7',
    ],
  })
})

test('one that is over says what was, and since when it is not', () => {
  expect(told('ended')).toEqual({
    title: 'OVER GAS_LOW: ETH',
    lines: [
      'It was: The wallet holds 0.001 ETH.',
      'Since 2026-11-22T22:10:00.000Z, over at 2026-11-22T22:40:00.000Z · live, chain 1, wallet 0xaa · event 7',
    ],
  })
})
