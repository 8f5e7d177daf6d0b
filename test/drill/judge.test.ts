import { describe, expect, test } from 'vitest'
import type { BotAnswer } from '../../src/drill/drillBot.ts'
import { type Evidence, judgeControl, judgeLie } from '../../src/drill/judge.ts'
import type { Lie } from '../../src/drill/lie.ts'

const wallet = '0x00000000000000000000000000000000000000c1'
const stranger = '0x00000000000000000000000000000000000000c2'
const refused: BotAnswer = {
  state: 'REJECTED',
  code: 'VERIFY_RECIPIENT',
  by: 'verify.recipient',
  sold: undefined,
  received: undefined,
  doubted: false,
  crashed: false,
}
const settled: BotAnswer = {
  ...refused,
  state: 'SETTLED',
  code: undefined,
  by: 'SETTLED',
  sold: 10n,
  received: 300n,
}
const swap = { recipient: wallet, amountIn: 10n, amountOut: 300n } as const
const untouched: Evidence = {
  signatures: 0,
  sent: 0,
  swaps: [],
  trapped: 0,
  told: refused,
  afterwards: refused,
  wanted: { recipient: wallet, amountIn: 10n, floor: 290n },
}
const traded: Evidence = {
  ...untouched,
  signatures: 1,
  sent: 1,
  swaps: [swap],
  told: settled,
  afterwards: settled,
}
const before: Lie = { kind: 'token', name: 'a-lie', what: 'A lie.' }
const after: Lie = { ...before, signs: 'may' }

describe('judge: held', () => {
  const cases: Record<string, [Lie, Partial<Evidence>]> = {
    'nothing was signed, with a reason': [before, {}],
    'a lie after the signature, and everybody agrees': [after, traded],
    'undecided during the lie, settled after it': [
      after,
      { ...traded, told: { ...settled, state: 'SENT' } },
    ],
    'signed, never mined, and said so': [
      after,
      {
        ...traded,
        swaps: [],
        told: { ...refused, state: 'SENT' },
        afterwards: { ...refused, state: 'EXPIRED_DEAD' },
      },
    ],
    'a wrong amount that the bot doubts itself': [
      after,
      {
        ...traded,
        told: { ...settled, received: 600n, doubted: true },
        afterwards: { ...settled, received: 600n, doubted: true },
      },
    ],
  }
  for (const [name, [lie, changes]] of Object.entries(cases))
    test(name, () => expect(judgeLie(lie, { ...untouched, ...changes })).toBeUndefined())
})

describe('judge: a hole', () => {
  const cases: Record<string, [Lie, Partial<Evidence>, RegExp]> = {
    'a signature, although it was never sent': [before, { signatures: 1 }, /1 signed, 0 sent/],
    'a swap at the right price': [before, traded, /although the lie was there before/],
    'no reason': [before, { told: { ...refused, code: undefined } }, /told why/],
    'a crash': [before, { told: { ...refused, crashed: true } }, /failed instead of refusing/],
    'no decision': [before, { told: { ...refused, code: 'INTERRUPTED' } }, /too long/],
    'a redirect that was followed': [before, { trapped: 1 }, /redirect/],
    'two swaps': [after, { ...traded, swaps: [swap, swap] }, /2 swaps/],
    'a swap that is said and is not': [after, { ...traded, swaps: [] }, /knows of no swap/],
    'a swap that is and is not said': [
      after,
      { ...traded, told: { ...settled, state: 'SENT' }, afterwards: { ...settled, state: 'SENT' } },
      /the chain settled it/,
    ],
    'a death that was none': [
      after,
      { ...traded, told: { ...refused, state: 'EXPIRED_DEAD' } },
      /the bot said EXPIRED_DEAD/,
    ],
    'another recipient': [
      after,
      { ...traded, swaps: [{ ...swap, recipient: stranger }] },
      /somebody else/,
    ],
    'more sold than asked': [after, { ...traded, swaps: [{ ...swap, amountIn: 11n }] }, /11/],
    'less than the floor': [after, { ...traded, swaps: [{ ...swap, amountOut: 289n }] }, /floor/],
    'another amount than the chain’s': [
      after,
      { ...traded, told: { ...settled, received: 600n } },
      /it reports 10 for 600/,
    ],
    'undecided for ever': [
      after,
      { ...traded, swaps: [], told: refused, afterwards: { ...refused, state: 'SENT' } },
      /stays SENT/,
    ],
  }
  for (const [name, [lie, changes, says]] of Object.entries(cases))
    test(name, () => expect(judgeLie(lie, { ...untouched, ...changes })).toMatch(says))
})

describe('judge: an honest case', () => {
  test('settles for what the chain says', () => {
    expect(judgeControl(traded)).toBeUndefined()
  })
  test('is rejected when it is refused, unsettled, or settled for something else', () => {
    expect(judgeControl(untouched)).toMatch(/was not settled: REJECTED/)
    expect(judgeControl({ ...traded, swaps: [] })).toMatch(/0 swaps/)
    expect(judgeControl({ ...traded, told: { ...settled, received: 1n } })).toMatch(/reports/)
  })
})
