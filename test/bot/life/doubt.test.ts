import { describe, expect, test } from 'vitest'
import { approvalDoubt, createDoubt, standstill } from '../../../src/bot/life/doubt.ts'
import type { Observation } from '../../../src/bot/next.ts'
import type { AttemptKind } from '../../../src/bot/stages.ts'
import type { Block } from '../../../src/chain/calls/node.ts'

const second = 1_000
const head: Block = {
  ...{ number: 7, timestamp: 1_000, baseFeePerGas: 1n },
  hash: `0x${'b'.repeat(64)}`,
  parentHash: `0x${'a'.repeat(64)}`,
}
const seen: Observation<AttemptKind> = {
  ...{ head, deep: head, deepNonce: 7, consumed: undefined, unsettled: false, receipts: [] },
}

describe('a doubt that stays', () => {
  test('for 120 s is waited for, longer is too long; a look without one begins anew', () => {
    let now = 0
    const isTooLong = createDoubt({ now: () => now })
    const at = (seconds: number, doubt: string | undefined) => {
      now = seconds * second
      return isTooLong(doubt)
    }
    expect([at(5, 'a'), at(65, 'a'), at(125, 'b'), at(125.001, 'a')]).toEqual([
      ...[false, false, false, true],
    ])
    expect([at(126, undefined), at(127, 'a'), at(187, 'a'), at(247, 'a'), at(248, 'a')]).toEqual([
      ...[false, false, false, false, true],
    ])
  })

  test('two looks on both sides of a sleep of the machine are not every look between them', () => {
    let now = 0
    const isTooLong = createDoubt({ now: () => now })
    const later = (seconds: number) => {
      now += seconds * second
      return isTooLong('a')
    }
    expect([later(0), later(90), later(31)]).toEqual([false, false, true])
    expect([later(3_600), later(90), later(30), later(1)]).toEqual([false, false, false, true])
  })
})

describe('a chain that stands still', () => {
  const still = (nowSeconds: number, deadline: number | undefined) =>
    standstill(head, { now: nowSeconds * second, deadline })
  test('a head of more than 120 s is in doubt once our clock is past the deadline', () => {
    expect(still(1_121, 1_110)).toBe('the newest block, 7, is of 1970-01-01T00:16:40.000Z')
    expect(still(1_120, 1_110)).toBeUndefined()
    expect(still(1_121, 1_121)).toBeUndefined()
    expect(still(1_122, 1_121)).toBeDefined()
  })
  test('an approval has no deadline: the age of the head decides', () => {
    expect([still(1_120, undefined), still(1_121, undefined)]).toEqual([
      ...[undefined, expect.any(String)],
    ])
  })
})

test('answers about an approval that contradict each other are a doubt, whatever the age of the head', () => {
  const doubt = (changes: Partial<typeof seen>, isGoneAtOneLook = false) =>
    approvalDoubt({ ...seen, ...changes }, { isGoneAtOneLook, now: 1_000 * second })
  expect(doubt({})).toBeUndefined()
  expect(doubt({ unsettled: true })).toBe('receipts and blocks do not agree')
  expect(doubt({}, true)).toBe('the nonce is spent at depth, but not at every look')
})
