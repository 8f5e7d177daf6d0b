import { afterEach, describe, expect, test, vi } from 'vitest'
import { opaqueQuote } from '../../../src/api/opaqueQuote.ts'
import { pass, type Quoted } from '../../../src/bot/stages.ts'
import { createVerifyOpaque } from '../../../src/bot/verify/createVerifyOpaque.ts'
import type { Refused } from '../../../src/core/check.ts'
import { usdOf } from '../../../src/core/token.ts'
import { blinded } from '../../support/blindChecks.ts'
import { ether, now, parties, quoteOf, router, usdc } from './goodQuote.ts'

vi.mock('../../../src/core/check.ts', async (original) => {
  const { blindChecks } = await import('../../support/blindChecks.ts')
  return blindChecks(await original())
})
afterEach(() => blinded.clear())

const dollars = (wei: bigint) => ({ token: usdOf(31_337), wei })
const selector = '0x1234abcd'
const pins = {
  router,
  selectors: [selector] as const,
  notionalMax: dollars(1_000n),
  timeToDeadlineSecondsMin: 8,
}
const clock = { now: () => now * 1_000, sleep: async () => {} }
const verify = createVerifyOpaque({ pins, clock })
const stranger = parties.stranger.address

type Bend = {
  readonly quote?: Record<string, unknown>
  readonly tx?: Record<string, unknown>
  readonly plan?: Partial<Quoted>
  readonly native?: true
}

/** A quote of the second generation, whose orders nobody here understands. */
async function foreign({ quote = {}, tx = {}, plan = {}, native }: Bend): Promise<Quoted> {
  const base = await quoteOf(native ? { sell: ether } : {})
  const body = {
    success: true,
    router_version: 4,
    orders: [{ pool: stranger, nonce: 1, quoteId: 'q-1', deadlineTimestamp: now + 30 }],
    recipient: parties.taker.address,
    amountIn: (10n ** 18n).toString(),
    amountOut: '3000000000',
    ...quote,
    txRequest: {
      target: router,
      calldata: `${selector}00ff`,
      value: native ? (10n ** 18n).toString() : '0',
      ...tx,
    },
  }
  return pass<Quoted>({
    ...base,
    notional: dollars(1_000n),
    ...plan,
    quote: opaqueQuote.response.parse(body),
  })
}
const deadlines = (...seconds: number[]) => ({
  quote: { orders: seconds.map((second) => ({ deadlineTimestamp: now + second })) },
})

const honest: Record<string, Bend> = {
  'what it cannot read': {},
  'the native coin sold': { native: true },
  'another selector case': { tx: { calldata: '0x1234ABCD' } },
  'no recipient in the JSON': { quote: { recipient: undefined } },
  'two orders, both in time': deadlines(30, 35),
}
const hostile: Record<string, readonly [check: string, Bend]> = {
  'another target': ['verify.router', { tx: { target: stranger } }],
  'a token as target': ['verify.router', { tx: { target: usdc.address } }],
  'another function': ['verify.selector', { tx: { calldata: '0x095ea7b3' } }],
  'more call data than can be looked through': [
    'verify.calldata-size',
    { tx: { calldata: `${selector}${'00'.repeat(16_384)}` } },
  ],
  'no call at all': ['verify.selector', { tx: { calldata: '0x' } }],
  'coins for a token sale': ['verify.value', { tx: { value: '1' } }],
  'more coins than sold': [
    'verify.value',
    { native: true, tx: { value: (10n ** 19n).toString() } },
  ],
  'another input': ['verify.amount-in', { quote: { amountIn: '1' } }],
  'another recipient': ['verify.json-recipient', { quote: { recipient: stranger } }],
  'more at stake than a closed box may have': [
    'verify.opaque-notional',
    { plan: { notional: dollars(1_001n) } },
  ],
  'a stake nobody can value': ['verify.opaque-notional', { plan: { notional: undefined } }],
  'a stake in another unit': [
    'verify.opaque-notional',
    { plan: { notional: { token: usdc, wei: 1n } } },
  ],
  'less than the floor': ['verify.floor', { quote: { amountOut: '2992000000' } }],
  'a deadline too near': ['verify.deadline-far-enough', deadlines(7)],
  'one of two deadlines too near': ['verify.deadline-far-enough', deadlines(7, 30)],
  'a deadline too far': ['verify.deadline-near-enough', deadlines(36)],
  'a deadline in milliseconds': ['verify.deadline-near-enough', deadlines(now * 999)],
}

describe('the opaque profile', () => {
  for (const [name, bend] of Object.entries(honest))
    test(`accepts ${name}`, async () => {
      const verified = await verify(await foreign(bend))
      expect(verified).toMatchObject({
        swap: undefined,
        orders: [],
        authorization: undefined,
        deadline: now + 30,
        minimum: { wei: 2_997_000_000n },
      })
    })

  for (const [name, [check, bend]] of Object.entries(hostile))
    test(`refuses ${name}`, async () => {
      const refused = await verify(await foreign(bend)).then(
        () => undefined,
        (error: unknown) => error as Refused,
      )
      expect(refused?.checks.filter(({ ok }) => !ok).map((one) => one.name)).toEqual([check])
    })

  test('every check carries weight', async () => {
    const { checks } = await verify(await foreign({}))
    const through = new Set<string>()
    for (const [check, bend] of Object.values(hostile)) {
      blinded.add(check)
      const verified = await verify(await foreign(bend)).then(
        () => true,
        () => false,
      )
      if (verified) through.add(check)
      blinded.clear()
    }
    expect([...through].sort()).toEqual(checks.map(({ name }) => name).sort())
  })

  test('a quote is known by its bytes, whichever id its service repeats', async () => {
    const one = await verify(await foreign(deadlines(30)))
    const same = await verify(await foreign({}))
    const other = await verify(await foreign({ tx: { calldata: `${selector}01` } }))
    expect(same.quoteId).toBe(one.quoteId)
    expect(other.quoteId).not.toBe(one.quoteId)
  })

  test('the least to arrive is rounded down, as a router rounds its own, and by what the token rounds', async () => {
    const odd = await foreign({ quote: { amountOut: '3001000001' } })
    expect((await verify(odd)).minimum.wei).toBe(2_997_999_000n)
    const rounds = createVerifyOpaque({
      pins: { ...pins, rounding: [{ token: usdc, wei: 2n }] },
      clock,
    })
    expect((await rounds(odd)).minimum.wei).toBe(2_997_998_998n)
    // Nothing at all is never enough.
    const { intent } = odd
    const plan = { intent: { ...intent, floor: { ...intent.floor, wei: 1n } } }
    const dust = await foreign({ quote: { amountOut: '1' }, plan })
    expect((await rounds(dust)).minimum.wei).toBe(1n)
  })
})
