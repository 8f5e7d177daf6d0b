import { describe, expect, test } from 'vitest'
import { next, type Observation, type Standing } from '../../src/bot/next.ts'
import type { Block } from '../../src/chain/calls/getBlock.ts'
import type { Receipt } from '../../src/chain/calls/getReceipt.ts'

const hash = (digit: string) => `0x${digit.repeat(64)}` as const
const block = (number: number, timestamp = number): Block => ({
  number,
  hash: hash('b'),
  parentHash: hash('a'),
  timestamp,
  baseFeePerGas: 1n,
})
const receipt = (changes: Partial<Receipt> = {}): Receipt => ({
  hash: hash('1'),
  success: true,
  blockNumber: 100,
  blockHash: hash('c'),
  gasUsed: 1n,
  gasPaid: 1n,
  logs: [],
  ...changes,
})
const confirmations = 2
const swap = (changes: Partial<Standing> = {}): Standing => ({
  state: 'SENT',
  nonce: 7,
  deadline: 110,
  authorization: hash('e'),
  included: undefined,
  sentAtBlock: 99,
  ...changes,
})
const seen = (changes: Partial<Observation> = {}): Observation => ({
  head: block(100),
  deep: block(98),
  deepNonce: 7,
  consumed: false,
  unsettled: false,
  receipts: [],
  ...changes,
})
const step = (standing: Standing, observation: Observation) =>
  next(standing, observation, confirmations)
const mined = (changes: Partial<Receipt> = {}, kind: 'SWAP' | 'CANCEL' = 'SWAP') => ({
  receipts: [{ kind, receipt: receipt(changes) }],
})
const included = { hash: hash('1'), blockHash: hash('c') }

describe('next', () => {
  test('unsigned: is prepared', () => {
    expect(step(swap({ state: 'PLANNED' }), seen())).toEqual({ do: 'prepare' })
    expect(step(swap({ state: 'VERIFIED' }), seen())).toEqual({ do: 'prepare' })
  })

  test('signed and never sent: is sent', () => {
    const standing = swap({ state: 'SIGNED', sentAtBlock: undefined })
    expect(step(standing, seen())).toEqual({ do: 'send', kind: 'SWAP' })
  })

  test('sent: waits, and offers the same bytes again after three blocks', () => {
    expect(step(swap(), seen({ head: block(101) }))).toEqual({ do: 'wait', why: 'to be mined' })
    expect(step(swap(), seen({ head: block(102) }))).toEqual({ do: 'send', kind: 'SWAP' })
  })

  test('a receipt is looked for before anything is concluded from a nonce', () => {
    expect(step(swap(), seen({ ...mined(), deepNonce: 8 }))).toMatchObject({ do: 'include' })
  })

  test('deadline: is still good in the block of its second, and cancelled after it', () => {
    expect(step(swap({ sentAtBlock: 110 }), seen({ head: block(110) }))).toMatchObject({
      do: 'wait',
    })
    expect(step(swap({ sentAtBlock: 110 }), seen({ head: block(111) }))).toEqual({ do: 'cancel' })
  })

  test('a missing receipt is never a failure while the nonce is open', () => {
    const late = seen({ head: block(500), deep: block(498) })
    expect(step(swap(), late)).toEqual({ do: 'cancel' })
    expect(step(swap({ state: 'CANCELLING', sentAtBlock: 499 }), late)).toMatchObject({
      do: 'wait',
    })
    expect(step(swap({ state: 'CANCELLING', sentAtBlock: undefined }), late)).toEqual({
      do: 'send',
      kind: 'CANCEL',
    })
  })

  test('displaced: only when the nonce is gone and the deadline past at depth, and the router never consumed our quote', () => {
    const dead = { deepNonce: 8, head: block(113), deep: block(111) }
    expect(step(swap(), seen(dead))).toEqual({ do: 'displace' })
    expect(step(swap({ sentAtBlock: 113 }), seen({ ...dead, deepNonce: 7 }))).toEqual({
      do: 'cancel',
    })
  })

  test('displaced: not while the bytes could still be mined, whatever an endpoint says of their nonce', () => {
    expect(step(swap(), seen({ deepNonce: 8, deep: block(110) }))).toEqual({
      do: 'wait',
      why: 'for the deadline to be deep',
    })
    expect(step(swap(), seen({ deepNonce: undefined }))).toMatchObject({ do: 'wait' })
  })

  test('displaced: not on a missing receipt alone, and not while a reorganisation is under way', () => {
    for (const doubt of [{ consumed: true }, { consumed: undefined }, { unsettled: true }])
      expect(step(swap(), seen({ deepNonce: 8, deep: block(111), ...doubt }))).toMatchObject({
        do: 'wait',
      })
  })

  test('displaced: without an authorisation the router has no word, and the deep deadline is enough', () => {
    const closed = swap({ authorization: undefined })
    const gone = { deepNonce: 8, consumed: undefined, head: block(113) }
    expect(step(closed, seen({ ...gone, deep: block(111) }))).toEqual({ do: 'displace' })
    expect(step(closed, seen({ ...gone, deep: block(110) }))).toEqual({
      do: 'wait',
      why: 'for the deadline to be deep',
    })
    expect(step(closed, seen({ ...gone, deep: block(111), unsettled: true }))).toMatchObject({
      do: 'wait',
    })
    expect(step(closed, seen({ ...gone, ...mined(), deep: block(111) }))).toMatchObject({
      do: 'include',
    })
  })

  test('included: waits for depth, then settles or is reverted', () => {
    const standing = swap({ state: 'INCLUDED', included })
    expect(step(standing, seen({ ...mined(), head: block(101) }))).toEqual({
      do: 'wait',
      why: 'for depth',
    })
    expect(step(standing, seen({ ...mined(), head: block(102), consumed: true }))).toMatchObject({
      do: 'finish',
      as: 'SETTLED',
    })
    expect(step(standing, seen({ ...mined({ success: false }), head: block(102) }))).toMatchObject({
      do: 'finish',
      as: 'REVERTED',
    })
  })

  test('included: ends only as the router itself has it, where that can be known', () => {
    const standing = swap({ state: 'INCLUDED', included })
    const deep = { head: block(114), deep: block(112) }
    const cancelled = mined({ blockNumber: 111 }, 'CANCEL')
    for (const contradiction of [
      { ...mined(), consumed: false },
      { ...mined({ success: false }), consumed: true },
      { ...cancelled, consumed: true },
    ])
      expect(step(standing, seen({ ...deep, ...contradiction }))).toEqual({
        do: 'wait',
        why: 'for the receipt and the router to agree',
      })
    expect(step(standing, seen({ ...deep, ...mined(), consumed: undefined }))).toMatchObject({
      do: 'finish',
      as: 'SETTLED',
    })
  })

  test('included: a reorganisation takes it back, by absence or by another block', () => {
    const standing = swap({ state: 'INCLUDED', included })
    expect(step(standing, seen({ head: block(105) }))).toEqual({ do: 'uninclude' })
    expect(step(standing, seen(mined({ blockHash: hash('d') })))).toEqual({ do: 'uninclude' })
  })

  test('cancelled: is dead only when the deadline is deep as well', () => {
    const standing = swap({ state: 'INCLUDED', included })
    const cancelled = mined({ blockNumber: 112 }, 'CANCEL')
    expect(
      step(standing, seen({ ...cancelled, head: block(114), deep: block(112, 110) })),
    ).toMatchObject({ do: 'wait' })
    expect(
      step(standing, seen({ ...cancelled, head: block(114), deep: block(112) })),
    ).toMatchObject({
      do: 'finish',
      as: 'EXPIRED_DEAD',
    })
  })

  test('final: nothing follows', () => {
    for (const state of [
      'SETTLED',
      'REVERTED',
      'EXPIRED_DEAD',
      'DISPLACED',
      'REJECTED',
      'ABANDONED',
    ] as const)
      expect(step(swap({ state }), seen(mined()))).toEqual({ do: 'nothing' })
  })
})
