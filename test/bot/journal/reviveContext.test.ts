import fc from 'fast-check'
import { expect, test } from 'vitest'
import { reviveContext, reviveDecision } from '../../../src/bot/journal/decisions/revive.ts'
import { masked } from '../../../src/bot/journal/store/text.ts'
import type { Context, Decision } from '../../../src/bot/stages.ts'
import { canonicalJson } from '../../../src/core/json.ts'
import type { Address, Token } from '../../../src/core/token.ts'

const hex = (length: number) =>
  fc
    .array(fc.constantFrom(...'0123456789abcdefABCDEF'), { minLength: length, maxLength: length })
    .map((digits) => `0x${digits.join('')}`)

const address = hex(40).map((text) => text as Address)
const token: fc.Arbitrary<Token> = fc.record({
  chainId: fc.nat(),
  address,
  symbol: fc.string({ maxLength: 8 }),
  decimals: fc.nat({ max: 36 }),
})
const amount = fc.record({ token, wei: fc.bigInt({ min: 0n, max: 2n ** 256n - 1n }) })
const price = fc.record({ sold: amount, bought: amount })
const maybe = <value>(arbitrary: fc.Arbitrary<value>) => fc.option(arbitrary, { nil: undefined })
const instant = fc.nat({ max: 4_102_444_800_000 })
const fill = fc.record({ at: instant, price })
const memory = fc.dictionary(
  fc.string({ maxLength: 8 }).filter((key) => key !== '__proto__'),
  // Decimal text of a smallest unit stays text: only the strategy knows what it is.
  fc.oneof(
    fc.string(),
    fc.bigInt({ min: 0n }).map(String),
    fc.integer(),
    fc.boolean(),
    fc.constant(null),
  ),
)
const param = fc.letrec((tie) => ({
  any: fc.oneof(
    { depthSize: 'small' },
    amount,
    token,
    price,
    fc.integer(),
    fc.boolean(),
    fc.string(),
    fc.array(tie('any'), { maxLength: 3 }),
    fc.dictionary(
      fc.stringMatching(/^[a-z]{1,8}$/).filter((key) => key !== 'wei'),
      tie('any'),
      { maxKeys: 4 },
    ),
  ),
})).any

const context: fc.Arbitrary<Context<unknown>> = fc.record({
  now: instant,
  slot: instant,
  params: param,
  indications: fc.array(
    maybe(
      fc.record({ sold: amount, bought: amount, route: fc.array(fc.string(), { maxLength: 3 }) }),
    ),
    { maxLength: 3 },
  ),
  depths: fc.array(fc.array(price, { maxLength: 3 }), { maxLength: 3 }),
  references: fc.array(maybe(price), { maxLength: 3 }),
  balances: fc.array(amount, { maxLength: 4 }),
  accounts: maybe(fc.array(fc.record({ account: address, held: amount }), { maxLength: 3 })),
  swapCost: maybe(amount),
  swapLimits: maybe(fc.array(amount, { maxLength: 3 })),
  swapWorth: maybe(amount),
  inflight: fc.array(fc.record({ swapId: fc.string(), sell: amount, buy: token, since: instant }), {
    maxLength: 2,
  }),
  lastFill: maybe(fill),
  fills: fc.array(fill, { maxLength: 3 }),
  totals: fc.array(fc.record({ sold: amount, bought: amount, swaps: fc.nat() }), { maxLength: 2 }),
  memory: maybe(memory),
})

test('a context is revived as the strategy was given it, whatever is in it', () => {
  fc.assert(
    fc.property(context, (given) => {
      const text = canonicalJson(given, masked)
      const revived = reviveContext(text)
      expect(revived).toEqual(given)
      expect(canonicalJson(revived, masked)).toBe(text)
    }),
    { numRuns: 300 },
  )
})

test('a decision is revived as the strategy made it', () => {
  const decision: fc.Arbitrary<Decision> = fc.oneof(
    fc.record({
      kind: fc.constant('swap' as const),
      intents: fc.array(
        fc.record({
          ...{ sell: amount, buy: token, floor: amount, reason: fc.string() },
          recipient: maybe(address),
        }),
        {
          maxLength: 3,
        },
      ),
      memory: maybe(memory),
    }),
    fc.record({
      kind: fc.constantFrom('wait' as const, 'postpone' as const),
      reason: fc.string(),
      memory: maybe(memory),
    }),
  )
  fc.assert(
    fc.property(decision, (made) => {
      expect(reviveDecision(canonicalJson(made, masked))).toEqual(made)
    }),
  )
})

test('a context of an older version has none of what was not there yet', () => {
  const old = { balances: [], indications: [null], inflight: [], now: 2, params: {}, slot: 1 }
  expect(reviveContext(JSON.stringify(old))).toEqual({
    ...old,
    indications: [undefined],
    depths: [],
    references: [],
    fills: [],
    totals: [],
    swapCost: undefined,
    swapLimits: undefined,
    swapWorth: undefined,
    lastFill: undefined,
    memory: undefined,
  })
  expect(() => reviveContext('{}')).toThrow('now')
})
