import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { statesTable } from '../../scripts/statesTable.ts'
import {
  next,
  type Observation,
  type OfferedBytes,
  rules,
  type Situation,
} from '../../src/bot/next.ts'
import type { AttemptKind } from '../../src/bot/stages.ts'
import { finalStates, openStates } from '../../src/bot/state.ts'
import type { Verdict } from '../../src/bot/verdict.ts'
import type { Receipt } from '../../src/chain/calls/getReceipt.ts'
import type { Block } from '../../src/chain/calls/node.ts'

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
const offer = (changes: Partial<OfferedBytes> = {}): OfferedBytes => ({
  maxFeePerGas: 10n,
  bids: 1,
  sentAtBlock: 99,
  verdict: undefined,
  since: 0,
  storedAt: 0,
  isPublished: false,
  ...changes,
})
const swap = (changes: Partial<Situation> = {}): Situation => ({
  state: 'SENT',
  nonce: 7,
  deadline: 110,
  authorization: hash('e'),
  included: undefined,
  offer: offer(),
  ...changes,
})
const seen = (changes: Partial<Observation> = {}): Observation => ({
  head: block(100),
  deep: block((changes.head?.number ?? 100) - 2),
  deepNonce: 7,
  consumed: false,
  unsettled: false,
  receipts: [],
  ...changes,
})
const step = (standing: Situation, observation: Observation<AttemptKind>) =>
  next(standing, observation)
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
    const standing = swap({ state: 'SIGNED', offer: offer({ sentAtBlock: undefined }) })
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
    expect(
      step(swap({ offer: offer({ sentAtBlock: 110 }) }), seen({ head: block(110) })),
    ).toMatchObject({
      do: 'wait',
    })
    expect(step(swap({ offer: offer({ sentAtBlock: 110 }) }), seen({ head: block(111) }))).toEqual({
      do: 'cancel',
    })
  })

  test('a missing receipt is never a failure while the nonce is open', () => {
    const late = seen({ head: block(500), deep: block(498) })
    expect(step(swap(), late)).toEqual({ do: 'cancel' })
    expect(
      step(swap({ state: 'CANCELLING', offer: offer({ sentAtBlock: 499 }) }), late),
    ).toMatchObject({
      do: 'wait',
    })
    expect(
      step(swap({ state: 'CANCELLING', offer: offer({ sentAtBlock: undefined }) }), late),
    ).toEqual({
      do: 'send',
      kind: 'CANCEL',
    })
  })

  test('displaced: only when the nonce is gone and the deadline past at depth, and the router never consumed our quote', () => {
    const dead = { deepNonce: 8, head: block(113), deep: block(111) }
    expect(step(swap(), seen(dead))).toEqual({ do: 'displace' })
    expect(
      step(swap({ offer: offer({ sentAtBlock: 113 }) }), seen({ ...dead, deepNonce: 7 })),
    ).toEqual({
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

describe('approval', () => {
  const approval = (changes: Partial<OfferedBytes> = {}) =>
    swap({
      state: 'APPROVING',
      deadline: undefined,
      authorization: undefined,
      offer: offer(changes),
    })
  const look = (changes: Partial<Observation<'APPROVE'>> = {}): Observation<'APPROVE'> => ({
    ...seen({ consumed: undefined }),
    receipts: [],
    ...changes,
  })
  const minedAt = (blockNumber: number, success = true) => ({
    receipts: [{ kind: 'APPROVE', receipt: receipt({ blockNumber, success }) }] as const,
  })

  test('never sent, or not for three blocks: exactly those bytes are sent; otherwise it waits', () => {
    const send = { do: 'send', kind: 'APPROVE' }
    expect(step(approval({ sentAtBlock: undefined }), look())).toEqual(send)
    expect(step(approval(), look({ head: block(102) }))).toEqual(send)
    expect(step(approval(), look())).toEqual({ do: 'wait', why: 'for the approval to be mined' })
  })

  test('mined: closed at depth and not before, whether it succeeded or not', () => {
    expect(step(approval(), look(minedAt(99)))).toEqual({ do: 'wait', why: 'for depth' })
    expect(step(approval(), look(minedAt(98)))).toMatchObject({ do: 'approved' })
    expect(step(approval(), look(minedAt(98, false)))).toMatchObject({ do: 'approved' })
  })

  test('its nonce is gone: given up; not where a receipt is there, a block is in doubt or nothing was seen', () => {
    expect(step(approval(), look({ deepNonce: 8 }))).toEqual({ do: 'displace' })
    expect(step(approval(), look({ deepNonce: 8, ...minedAt(99) }))).toMatchObject({ do: 'wait' })
    expect(step(approval(), look({ deepNonce: 8, unsettled: true }))).toMatchObject({ do: 'wait' })
    expect(step(approval(), look({ deepNonce: undefined }))).toMatchObject({ do: 'wait' })
  })

  test('left out by blocks for long: outbid, once a block came behind the last offer; a swap is not', () => {
    const left = { isLeftOut: true, verdict: 'already-known' } as const
    expect(step(approval(left), look())).toEqual({ do: 'bump' })
    expect(step(approval({ isLeftOut: false }), look())).toMatchObject({ do: 'wait' })
    const untaken = { ...left, verdict: 'insufficient-funds' } as const
    expect(step(approval(untaken), look())).toMatchObject({ do: 'wait' })
    expect(step(approval({ ...left, sentAtBlock: 100 }), look())).toMatchObject({ do: 'wait' })
    expect(step(approval({ ...left, sentAtBlock: undefined }), look())).toMatchObject({
      do: 'send',
    })
    expect(step(approval({ ...left, bids: 10 }), look())).toMatchObject({ do: 'wait' })
    expect(step(swap({ state: 'CANCELLING', offer: offer(left) }), seen())).toEqual({
      do: 'cancel',
    })
    // Its deadline ends it.
    expect(step(swap({ offer: offer(left) }), seen())).toMatchObject({ do: 'wait' })
  })

  test('outgrown by blocks or refused as underpriced: outbid, ten bids at most, then offered again', () => {
    const dear = { head: { ...block(102), baseFeePerGas: 11n } }
    expect(step(approval(), look(dear))).toEqual({ do: 'bump' })
    expect(step(approval({ bids: 9 }), look(dear))).toEqual({ do: 'bump' })
    expect(step(approval({ bids: 10 }), look(dear))).toEqual({ do: 'send', kind: 'APPROVE' })
    expect(step(approval({ verdict: 'underpriced' }), look())).toEqual({ do: 'bump' })
  })
})

describe('table', () => {
  test('answers that differ: waited for until two minutes after the deadline at depth, then a dispute', () => {
    const at = (seconds: number) => ({ head: block(900, seconds + 2), deep: block(898, seconds) })
    const { receipts } = mined()
    const apart: readonly [Situation, Partial<Observation>, string][] = [
      [
        swap({ state: 'INCLUDED', included }),
        { receipts, consumed: false },
        'the router says not done',
      ],
      [swap(), { unsettled: true }, 'not on the chain'],
      [swap(), { deepNonce: 8, consumed: true }, 'the receipt is missing, the router says done'],
    ]
    for (const [standing, answers, words] of apart) {
      expect(step(standing, seen({ ...answers, ...at(110 + 120) }))).toMatchObject({ do: 'wait' })
      expect(step(standing, seen({ ...answers, ...at(110 + 121) }))).toEqual({
        do: 'dispute',
        why: expect.stringContaining(words),
      })
    }
  })

  test('docs/STATES.md prints the very rules that decide', () => {
    expect(readFileSync('docs/STATES.md', 'utf8')).toContain(`\n\n${statesTable()}\n\n`)
  })

  test('every state has a rule, and every rule is reached', () => {
    const states = [...new Set(rules.flatMap((rule) => rule.in))]
    expect(states.sort()).toEqual([...openStates, ...finalStates, 'APPROVING'].sort())
    const reached = new Set<number>()
    const heads = [block(100), block(113), { ...block(113), baseFeePerGas: 11n }]
    const receipts = [[], mined().receipts, mined({}, 'CANCEL').receipts]
    for (const state of states)
      for (const head of heads)
        for (const deep of [block(98), block(111)])
          for (const deepNonce of [7, 8])
            for (const consumed of [false, true])
              for (const unsettled of [false, true])
                for (const found of receipts)
                  for (const deadline of [110, 500])
                    for (const sentAtBlock of [undefined, 113, 'public', 'over'] as const) {
                      const sent = typeof sentAtBlock === 'string' ? 113 : sentAtBlock
                      const isPublicDue = sentAtBlock === 'public'
                      const isOver = sentAtBlock === 'over'
                      const standing = swap({
                        state,
                        deadline,
                        included: state === 'INCLUDED' ? included : undefined,
                        offer: offer({ sentAtBlock: sent, isPublicDue, isOver }),
                      })
                      const observation = seen({
                        head,
                        deep,
                        deepNonce,
                        consumed,
                        unsettled,
                        receipts: found,
                      })
                      const index = rules.findIndex(
                        (rule) =>
                          rule.in.includes(state) && rule.step(standing, observation) !== undefined,
                      )
                      expect(index).toBeGreaterThanOrEqual(0)
                      reached.add(index)
                    }
    expect(reached.size).toBe(rules.length)
  })
})

describe('outbid', () => {
  const dear = { ...block(100), baseFeePerGas: 11n }
  const cancelling = (changes: Partial<OfferedBytes> = {}) =>
    swap({ state: 'CANCELLING', offer: offer({ sentAtBlock: 112, ...changes }) })
  const late = { head: block(113), deep: block(111) }

  test('blocks that cost more than the bytes allow: the same call for more, three times at most', () => {
    expect(step(swap(), seen({ head: dear }))).toEqual({ do: 'bump' })
    expect(step(swap({ offer: offer({ bids: 3 }) }), seen({ head: dear }))).toEqual({ do: 'bump' })
    expect(step(swap({ offer: offer({ bids: 4 }) }), seen({ head: dear }))).toMatchObject({
      do: 'wait',
    })
    expect(step(swap(), seen({ head: { ...dear, baseFeePerGas: 10n } }))).toMatchObject({
      do: 'wait',
    })
  })

  test("over by the bot's clock: neither sent, outbid nor published, until the head lets it be cancelled", () => {
    const waits = { do: 'wait', why: 'for a head later than the deadline' }
    for (const state of ['SIGNED', 'SENT'] as const)
      for (const sentAtBlock of [undefined, 90]) {
        const over = offer({ sentAtBlock, isOver: true, isPublicDue: true })
        const standing = swap({ state, deadline: 500, offer: over })
        expect(step(standing, seen({ head: dear }))).toEqual(waits)
        const later = { ...dear, timestamp: 501 }
        expect(step(standing, seen({ head: later }))).toEqual({ do: 'cancel' })
      }
    const cancelled = swap({ state: 'CANCELLING', offer: offer({ isOver: true }) })
    expect(step(cancelled, seen({ head: dear }))).not.toEqual(waits)
  })

  test('a pool that says underpriced is believed; one that has a stranger under the nonce is no matter of price', () => {
    const saying = (verdict: Verdict, bids = 1) => swap({ offer: offer({ verdict, bids }) })
    expect(step(saying('underpriced'), seen())).toEqual({ do: 'bump' })
    expect(step(saying('replacement-underpriced'), seen())).toMatchObject({ do: 'wait' })
    expect(step(saying('replacement-underpriced', 2), seen())).toEqual({ do: 'bump' })
    for (const verdict of ['nonce-low', 'nonce-high', 'invalid', 'ambiguous'] as const)
      expect(step(saying(verdict), seen())).toMatchObject({ do: 'wait' })
  })

  test('what a pool said of a bid is acted on a block later, not at once with every bid there may be', () => {
    const said = (verdict: Verdict) => offer({ verdict, bids: 2, sentAtBlock: 100 })
    expect(step(swap({ offer: said('underpriced') }), seen())).toMatchObject({ do: 'wait' })
    expect(step(swap({ offer: said('replacement-underpriced') }), seen())).toMatchObject({
      do: 'wait',
    })
    expect(step(swap({ offer: said('underpriced') }), seen({ head: block(101) }))).toEqual({
      do: 'bump',
    })
    const now = { ...late, head: block(112) }
    for (const verdict of ['invalid', 'replacement-underpriced', 'underpriced'] as const)
      expect(step(cancelling({ verdict }), seen(now))).toMatchObject({ do: 'wait' })
  })

  test('never after the deadline: then it is cancelled', () => {
    expect(step(swap(), seen({ head: { ...block(111), baseFeePerGas: 11n } }))).toEqual({
      do: 'cancel',
    })
  })

  test('a cancellation is outbid as well, and again when its bytes are no good, ten in all', () => {
    const outbid = { ...late, head: { ...block(113), baseFeePerGas: 11n } }
    expect(step(cancelling(), seen(late))).toMatchObject({ do: 'wait' })
    expect(step(cancelling(), seen(outbid))).toEqual({ do: 'cancel' })
    expect(step(cancelling({ verdict: 'invalid' }), seen(late))).toEqual({ do: 'cancel' })
    expect(step(cancelling({ verdict: 'replacement-underpriced' }), seen(late))).toEqual({
      do: 'cancel',
    })
    expect(step(cancelling({ bids: 10 }), seen(outbid))).toMatchObject({ do: 'wait' })
  })
})
