import { describe, expect, test } from 'vitest'
import { type NextStep, next } from '../../src/bot/next.ts'
import { type Bot, explore, real } from './explore.ts'
import { textOf } from './world.ts'

// All that the decision table can meet in a small world, gone through to its end.

const reorganisations = Number(process.env.MODEL_REORGANISATIONS ?? 2)
const witnessed: Bot = { ...real, isDenied: true, hasWitness: true }

describe('every world is explained by its end, and comes to one', () => {
  test.each([
    ['an honest endpoint', real],
    ['an endpoint that denies, and a witness', witnessed],
  ])('a swap, before %s', (_, bot) => {
    const { worlds, ends, broken } = explore(bot, { first: 'SIGNED', reorganisations })
    expect(broken).toBeUndefined()
    expect(Object.keys(ends).sort()).toEqual(['DISPLACED', 'EXPIRED_DEAD', 'REVERTED', 'SETTLED'])
    expect(worlds).toBeGreaterThan(500_000)
  })

  test.each([
    ['an honest endpoint', real],
    ['an endpoint that denies, and a witness', witnessed],
  ])('an approval, before %s', (_, bot) => {
    const { worlds, ends, broken } = explore(bot, { first: 'APPROVING', reorganisations })
    expect(broken).toBeUndefined()
    expect(Object.keys(ends).sort()).toEqual(['APPROVED', 'GIVEN_UP'])
    expect(worlds).toBeGreaterThan(100_000)
  })
})

test('a world has the number of no other', () => {
  const scope = { first: 'SIGNED', reorganisations: 1 } as const
  expect(explore(real, scope)).toEqual(explore(real, { ...scope, identify: textOf }))
})

/** The table with one kind of step replaced. */
const instead =
  (kind: NextStep['do'], other: (...decided: Parameters<typeof next>) => NextStep): typeof next =>
  (situation, seen) => {
    const step = next(situation, seen)
    return step.do === kind ? other(situation, seen) : step
  }
const wait: NextStep = { do: 'wait', why: 'for ever' }

/** A fault, and the end it leads to. Those that only ever happen to one of the two are gone through there. */
const faults: readonly (readonly [string, Bot, 'SIGNED' | 'APPROVING', RegExp])[] = [
  ['a block too few is believed', { ...real, believes: 1 }, 'SIGNED', /is not so/],
  ['the head is believed', { ...real, believes: 0 }, 'SIGNED', /is not so/],
  ['the head is believed of an approval', { ...real, believes: 0 }, 'APPROVING', /is not so/],
  ['one endpoint is believed', { ...real, isDenied: true }, 'SIGNED', /DISPLACED is not so/],
  [
    'one endpoint is believed of an approval',
    { ...real, isDenied: true },
    'APPROVING',
    /GIVEN_UP is not so/,
  ],
  [
    'a death is not looked at again',
    { ...witnessed, confirms: false },
    'SIGNED',
    /DISPLACED is not so/,
  ],
  [
    'a missing receipt is a death once the deadline has passed',
    {
      ...real,
      confirms: false,
      decide: (situation, seen) =>
        next({ ...situation, authorization: undefined }, { ...seen, consumed: undefined }),
    },
    'SIGNED',
    /DISPLACED is not so/,
  ],
  [
    'a receipt that is gone stays in the books',
    { decide: instead('uninclude', () => wait) },
    'SIGNED',
    /INCLUDED has no end/,
  ],
  [
    'bytes are offered once',
    {
      decide: instead('send', ({ offer }) =>
        offer?.sentAtBlock === undefined ? { do: 'send', kind: 'SWAP' } : wait,
      ),
    },
    'APPROVING',
    /has no end/,
  ],
  ['nothing is outbid', { decide: instead('bump', () => wait) }, 'APPROVING', /has no end/],
  ['nothing is cancelled', { decide: instead('cancel', () => wait) }, 'SIGNED', /has no end/],
]

test.each(faults)('%s: that is found', (_, bot, first, complaint) => {
  expect(explore(bot, { first, reorganisations: 1 }).broken).toMatch(complaint)
})
