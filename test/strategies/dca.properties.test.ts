import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Amount, Context, Memory, Price } from '#strategy'
import { contextWith } from '#strategy/testing'
import dca from '../../strategies/dca.ts'

/** `npm run test:strategies` takes more. */
const times = Number(process.env.STRATEGY_TIMES ?? 0.5)

type Params = Parameters<typeof dca.schedule>[0]

const weth = { chainId: 31337, address: '0x01', symbol: 'WETH', decimals: 18 } as const
const usdc = { chainId: 31337, address: '0x02', symbol: 'USDC', decimals: 6 } as const
const dollars = (wei: bigint): Amount => ({ token: usdc, wei })
const ether = (wei: bigint): Amount => ({ token: weth, wei })
const wei = (max: bigint, min = 1n) => fc.bigInt({ min, max })
const day = 86_400_000

test('dca: the floor is never above what the market indicates, nor below tolerance and price', () => {
  const any = wei(10n ** 30n)
  fc.assert(
    fc.property(
      fc.record({ selling: any, indicated: any, per: any, worst: any }),
      fc.integer({ min: 0, max: 1_000 }),
      fc.boolean(),
      ({ selling, indicated, per, worst }, tolerance, bounded) => {
        const price = { sold: dollars(per), bought: ether(worst) }
        const sell = dollars(selling)
        const decision = dca.decide(
          contextWith<Params>(
            { ...daily, sell, tolerance, ...(bounded ? { price } : {}) },
            {
              indications: [{ sold: sell, bought: ether(indicated), route: [] }],
              balances: [sell],
            },
          ),
        )
        const pays = indicated * per >= worst * selling
        expect(decision.kind).toBe(!bounded || pays ? 'swap' : 'wait')
        if (decision.kind !== 'swap') return
        const floor = decision.intents[0]?.floor.wei ?? 0n
        expect(floor).toBeGreaterThan(0n)
        expect(floor).toBeLessThanOrEqual(indicated)
        expect(floor * 10_000n).toBeGreaterThanOrEqual(indicated * BigInt(10_000 - tolerance))
        if (bounded) expect(floor * per).toBeGreaterThanOrEqual(worst * selling)
      },
    ),
  )
})

const sell = dollars(100n)
const daily = {
  sell,
  buy: weth,
  cron: '0 9 * * *',
  timeZone: 'Europe/Berlin',
  tolerance: 50,
} as const

/** One time the bot asks: for the slot it asked for before, or for the next one. */
type Ask = {
  readonly next: boolean
  /** What one WETH costs in the smallest units; undefined where nobody says. */
  readonly cost: bigint | undefined
  readonly deep: boolean
  readonly holds: bigint
  readonly end: 'settled' | 'failed' | 'open'
}
const asks = fc.array(
  fc.record<Ask>({
    next: fc.boolean(),
    cost: fc.option(wei(120n, 60n), { nil: undefined, freq: 6 }),
    deep: fc.boolean(),
    holds: wei(700n, 0n),
    end: fc.constantFrom('settled', 'failed', 'open'),
  }),
  { minLength: 5, maxLength: 60 },
)
const optional = <value>(arbitrary: fc.Arbitrary<value>) => fc.option(arbitrary, { nil: undefined })
const common = {
  budget: optional(fc.oneof(wei(400n), wei(2_000n)).map(dollars)),
  minimum: optional(wei(100n).map(dollars)),
  price: optional(wei(120n, 60n).map((cost) => ({ sold: dollars(cost), bought: ether(100n) }))),
}
const fixed = fc.record({
  ...common,
  mode: fc.constant('fixed' as const),
  carryMost: optional(fc.integer({ min: 1, max: 4 })),
  most: optional(wei(300n, 100n).map(dollars)),
  dip: optional(
    fc.record({
      dipBelow: fc.integer({ min: 1, max: 2_000 }),
      dipFactor: fc.integer({ min: 10_001, max: 40_000 }),
    }),
  ),
})
const value = fc.record({
  ...common,
  mode: fc.constant('value' as const),
  most: wei(300n, 100n).map(dollars),
  dip: fc.constant(undefined),
})
const policies = fc
  .oneof({ weight: 3, arbitrary: fixed }, { weight: 1, arbitrary: value })
  .map(({ dip, ...rest }): Params => ({ ...daily, ...rest, ...dip }))

const number = (memory: Memory | undefined, key: string) => BigInt(String(memory?.[key] ?? 0))

/** Plays it the way the bot does: what settles is counted and closes its slot, what fails leaves it open. */
function play(params: Params, asks: readonly Ask[]) {
  let memory: Memory | undefined
  let slot = day
  let closed = false
  let [sold, bought, swaps, intended] = [0n, 0n, 0, 0n]
  let inflight: Context<Params>['inflight'] = []
  let fills: Context<Params>['fills'] = []
  /** What swaps of one slot settled. */
  const bySlot = new Map<number, number>()
  let openSlot = slot

  const settle = ({ sell, cost, of }: { sell: Amount; cost: bigint; of: number }) => {
    const price: Price = { sold: sell, bought: ether((sell.wei * 100n) / cost + 1n) }
    ;[sold, bought, swaps] = [sold + sell.wei, bought + price.bought.wei, swaps + 1]
    fills = [{ at: swaps, price }, ...fills].slice(0, 32)
    bySlot.set(of, (bySlot.get(of) ?? 0) + 1)
  }

  for (const { next, cost, deep, holds, end } of asks) {
    const [open] = inflight
    if (open !== undefined && end !== 'open') {
      inflight = []
      if (end === 'settled') {
        settle({ sell: open.sell, cost: cost ?? 100n, of: openSlot })
        if (openSlot === slot) closed = true
      }
    }
    if (next || closed) [slot, closed] = [slot + day, false]

    const known = memory
    const context = contextWith(params, {
      slot,
      memory,
      inflight,
      fills,
      totals: swaps === 0 ? [] : [{ sold: dollars(sold), bought: ether(bought), swaps }],
      indications: dca
        .watch(params)
        .map(({ sell }, index) =>
          cost === undefined || (index === 1 && !deep)
            ? undefined
            : { sold: sell, bought: ether((sell.wei * 100n) / cost), route: [] },
        ),
      balances: [dollars(holds)],
    })
    const decision = dca.decide(context)
    expect(dca.decide(structuredClone(context))).toEqual(decision)
    memory = decision.memory

    // Intended once a slot, and corrected only until the slot has had its last word.
    const again = known?.slot === slot
    if (again && known?.final === true) expect(memory?.intended).toBe(known.intended)
    intended += number(memory, 'intended') - (again ? number(known, 'intended') : 0n)
    const spent = sold + (inflight[0]?.sell.wei ?? 0n)
    const missing = number(memory, 'before') + number(memory, 'intended') - spent
    expect(spent + missing + number(memory, 'dropped')).toBe(intended)

    if (decision.kind === 'wait') closed = true
    if (decision.kind !== 'swap') continue
    expect(inflight).toEqual([])
    const [intent] = decision.intents
    expect(decision.intents).toHaveLength(1)
    if (intent === undefined) continue
    expect(intent.sell.wei).toBeGreaterThan(0n)
    expect(intent.sell.wei).toBeLessThanOrEqual(holds)
    expect(intent.sell.wei).toBeLessThanOrEqual(missing)
    expect(intent.sell.wei).toBeLessThanOrEqual(params.most?.wei ?? missing)
    if (params.minimum !== undefined)
      expect(intent.sell.wei).toBeGreaterThanOrEqual(params.minimum.wei)
    if (end === 'settled') {
      settle({ sell: intent.sell, cost: cost ?? 100n, of: slot })
      closed = true
    }
    if (end === 'open') {
      inflight = [{ swapId: 's1', sell: intent.sell, buy: weth, since: slot }]
      openSlot = slot
    }
  }
  return { sold, memory, slots: slot / day, bySlot }
}

test('dca: what was intended is sold, carried or dropped; the budget is never exceeded; a slot is bought once', () => {
  let [spentUp, dropped] = [0, 0]
  fc.assert(
    fc.property(policies, asks, (params, asks) => {
      const { sold, memory, bySlot } = play(params, asks)
      if (params.budget !== undefined) expect(sold).toBeLessThanOrEqual(params.budget.wei)
      for (const times of bySlot.values()) expect(times).toBe(1)
      if (sold === params.budget?.wei) spentUp += 1
      if (number(memory, 'dropped') > 0n) dropped += 1
    }),
    { numRuns: 400 * times },
  )
  // The bounds were reached, not just kept away from.
  expect(spentUp).toBeGreaterThan(10)
  expect(dropped).toBeGreaterThan(10)
})

test('dca: without carry and dips no slot ever sells more than its slice, whatever failed before', () => {
  fc.assert(
    fc.property(asks, (asks) => {
      const { sold, slots } = play(daily, asks)
      expect(sold).toBeLessThanOrEqual(sell.wei * BigInt(slots))
    }),
    { numRuns: 500 * times },
  )
})

test('dca: with carry everything is caught up with as soon as it can be', () => {
  const poor = { next: true, cost: 100n, deep: true, holds: 0n, end: 'settled' } as const
  fc.assert(
    fc.property(
      fc.integer({ min: 0, max: 12 }),
      fc.integer({ min: 1, max: 8 }),
      (missed, carryMost) => {
        const asks = [...Array.from({ length: missed }, () => poor), { ...poor, holds: 10_000n }]
        const { sold } = play({ ...daily, carryMost }, asks)
        expect(sold).toBe(sell.wei * BigInt(Math.min(missed, carryMost) + 1))
      },
    ),
  )
})
