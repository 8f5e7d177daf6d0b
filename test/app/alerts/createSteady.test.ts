import { expect, test } from 'vitest'
import { createSteady } from '../../../src/app/alerts/createSteady.ts'
import type { AlertItem } from '../../../src/bot/journal/alerts/alerts.ts'

/** What a channel is told of, of what comes and goes; rounds of five seconds. */

const item = (code: string, kind: string, subject = 'x'): AlertItem => ({
  ...{ kind, code, subject, severity: 'warning', since: '', sentence: '', next: '' },
})
const away = item('HEAD_UNKNOWN', 'head')
const still = item('HEAD_STALE', 'head')
const low = item('GAS_LOW', 'gas')
const late = item('LOOK_STALE', 'look')
const lock = { ...item('SHORTFALL', 'lock'), severity: 'critical' } as const
const breaker = item('CLOCK_SKEW', 'lock', 'breaker of all')

function follow(open: readonly AlertItem[] = [], lookEveryMs = 0) {
  let now = 1_000_000
  const steady = createSteady(open, { now: () => now }, () => lookEveryMs)
  /** The codes after so many rounds of these items. */
  return (rounds: number, ...items: readonly AlertItem[]) => {
    let codes: readonly string[] = []
    for (let round = 0; round < rounds; round += 1) {
      codes = steady(items).map(({ code }) => code)
      now += 5_000
    }
    return codes
  }
}

test('a node that is away for a moment now and then is not told of', () => {
  const after = follow()
  for (let minute = 0; minute < 60; minute += 1) {
    expect(after(2, away)).toEqual([])
    expect(after(10)).toEqual([])
  }
})

test('one that is away for a minute is, and is over when it has been back for one', () => {
  const after = follow()
  expect(after(12, away)).toEqual([])
  expect(after(3)).toEqual([])
  expect(after(12, away)).toEqual([])
  expect(after(1, away)).toEqual(['HEAD_UNKNOWN'])
  expect(after(11)).toEqual(['HEAD_UNKNOWN'])
  expect(after(2)).toEqual([])
})

test('a breaker that the next look opens again is not over before that look', () => {
  const minutes = 60_000
  const after = follow([], 5 * minutes)
  expect(after(1, breaker)).toEqual(['CLOCK_SKEW'])
  expect(after(71)).toEqual(['CLOCK_SKEW'])
  expect(after(1)).toEqual([])
  // Nobody waits for a look of a week.
  const weekly = follow([breaker], 7 * 24 * 60 * minutes)
  expect(weekly(720)).toEqual(['CLOCK_SKEW'])
  expect(weekly(1)).toEqual([])
})

test.each([
  ['a bot that an error ended', 'BOT_ENDED', 'end'],
  ['a wallet that no process of a fleet traded', 'WALLET_NOT_TRADED', 'look'],
])('%s has to run for a while before that is over', (_, code, kind) => {
  const ended = item(code, kind)
  expect(follow([ended])(120)).toEqual([code])
  expect(follow([ended])(121)).toEqual([])
})

test('what only the node knows is not over while that is away', () => {
  expect(follow([still])(100, away)).toEqual(['HEAD_UNKNOWN', 'HEAD_STALE'])

  const after = follow()
  expect(after(1, low)).toEqual(['GAS_LOW'])
  expect(after(100, away)).toEqual(['HEAD_UNKNOWN', 'GAS_LOW'])
  expect(after(1, low)).toContain('GAS_LOW')
  expect(after(14)).toEqual([])
})

test.each([
  ['a channel that refuses what quiet hours held back', item('ALERTS_UNDELIVERED', 'alert')],
  ['a file that is being written', item('CONFIG_REFUSED', 'config')],
])('%s has a minute to be right', (_, one) => {
  const after = follow()
  expect(after(12, one)).toEqual([])
  expect(after(1, one)).toEqual([one.code])
  expect(after(1)).toEqual([])
})

test('a late look is not over for a swap of another strategy, nor for a start', () => {
  const after = follow([late])
  expect(after(60)).toEqual(['LOOK_STALE'])
  expect(after(1, late)).toEqual(['LOOK_STALE'])
  expect(after(60)).toEqual(['LOOK_STALE'])
  expect(after(13)).toEqual([])
})

test('a lock, and a chain that stands still, are told at once; a lock is over at once', () => {
  const after = follow()
  expect(after(1, lock, still)).toEqual(['SHORTFALL', 'HEAD_STALE'])
  expect(after(1)).toEqual(['HEAD_STALE'])
})

test('a breaker that ends by itself and is opened again is one item, until it stays away', () => {
  const after = follow()
  for (let time = 0; time < 100; time += 1) {
    expect(after(60, breaker)).toEqual(['CLOCK_SKEW'])
    expect(after(12)).toEqual(['CLOCK_SKEW'])
  }
  expect(after(23)).toEqual(['CLOCK_SKEW'])
  expect(after(1)).toEqual([])
})

test('what a sleep of the machine made late has three minutes to catch up', () => {
  let now = 1_000_000
  const steady = createSteady([], { now: () => now })
  const after = (ms: number, ...items: readonly AlertItem[]) => {
    now += ms
    return steady(items).map(({ code }) => code)
  }
  const stuck = item('SWAP_STUCK', 'swap')
  expect(after(5_000, late)).toEqual(['LOOK_STALE'])
  // What was told before goes on, what is no matter of time is told at once.
  expect(after(3_600_000, late, stuck, still, lock)).toEqual(['LOOK_STALE', 'SHORTFALL'])
  for (let minutes = 1; minutes < 3; minutes += 1)
    expect(after(60_000, stuck, lock)).toEqual(['SHORTFALL', 'LOOK_STALE'])
  expect(after(60_000, stuck)).toEqual(['SWAP_STUCK', 'LOOK_STALE'])
  expect(after(5_000, stuck, still)).toEqual(['SWAP_STUCK', 'HEAD_STALE', 'LOOK_STALE'])
})

test('a reference is silent for more than an hour before a start knows it: that is not over before', () => {
  const silent = item('REFERENCE_SILENT', 'reference')
  const after = follow([silent])
  expect(after(12 * 69)).toEqual(['REFERENCE_SILENT'])
  expect(after(1, silent)).toEqual(['REFERENCE_SILENT'])
  expect(after(12 * 71)).toEqual([])
})

test('a token that tells no balance is known some minutes after a start: that is not over before', () => {
  const after = follow([item('TOKEN_UNREADABLE', 'token')])
  expect(after(12 * 9)).toEqual(['TOKEN_UNREADABLE'])
  expect(after(12 * 2)).toEqual([])
})

test('a clock that was set back keeps nothing for ever, and nothing from being told', () => {
  let now = 10_000_000
  const steady = createSteady([], { now: () => now })
  steady([away, late])
  now = 1_000_000
  expect(steady([away])).toEqual([])
  now += 60_000
  expect(steady([away])).toEqual([away])
})
