import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Amount, Context, Memory, Price } from '#strategy'
import { contextWith } from '#strategy/testing'
import threshold from '../../strategies/threshold.ts'

/** `npm run test:strategies` takes more. */
const times = Number(process.env.STRATEGY_TIMES ?? 0.5)

type Params = Parameters<typeof threshold.schedule>[0]

const weth = { chainId: 31337, address: '0x01', symbol: 'WETH', decimals: 18 } as const
const usdc = { chainId: 31337, address: '0x02', symbol: 'USDC', decimals: 6 } as const
const ether = (wei: bigint): Amount => ({ token: weth, wei })
const dollars = (wei: bigint): Amount => ({ token: usdc, wei })
const wei = (max = 10n ** 24n) => fc.bigInt({ min: 1n, max })
const priceOf = (sold: bigint, bought: bigint): Price => ({
  sold: ether(sold),
  bought: dollars(bought),
})

test('threshold: never sells below the price, never more than it holds, never twice at once', () => {
  fc.assert(
    fc.property(
      fc.record({
        sell: wei(),
        per: wei(),
        priced: wei(),
        holds: wei(),
        kept: wei(),
        brings: wei(),
      }),
      fc.boolean(),
      ({ sell, per, priced, holds, kept, brings }, busy) => {
        const price = priceOf(per, priced)
        const open = { swapId: 's1', sell: ether(sell), buy: usdc, since: 0 }
        const decision = threshold.decide(
          contextWith(
            { sell: ether(sell), buy: usdc, price, every: 5, keep: ether(kept) },
            {
              indications: [{ ...priceOf(sell, brings), route: [] }],
              balances: [ether(holds)],
              inflight: busy ? [open] : [],
            },
          ),
        )
        const pays = brings * per >= priced * sell
        expect(decision.kind === 'swap').toBe(!busy && holds - kept >= sell && pays)
        if (decision.kind !== 'swap') return
        const floor = decision.intents[0]?.floor.wei ?? 0n
        expect(floor).toBeLessThanOrEqual(brings)
        expect(floor * per).toBeGreaterThanOrEqual(priced * sell)
      },
    ),
  )
})

const modes: readonly Partial<Params>[] = [
  { when: 'limit', price: priceOf(100n, 300n) },
  { when: 'take-profit', entry: priceOf(100n, 280n), gain: 700 },
  { when: 'stop', price: priceOf(100n, 300n), tolerance: 50, confirmWithin: 2_000 },
  { when: 'trailing', trail: 300, tolerance: 50, confirmWithin: 2_000 },
  { when: 'balance', above: ether(500n), tolerance: 50, minimum: ether(3n) },
]

type Tick = {
  readonly market: bigint | undefined
  readonly reference: bigint | undefined
  readonly holds: bigint
  readonly end: 'settled' | 'failed' | 'open'
}
const rate = fc.bigInt({ min: 200n, max: 400n })
const ticks = fc.array(
  fc.record<Tick>({
    market: fc.option(rate, { nil: undefined, freq: 8 }),
    reference: fc.option(rate, { nil: undefined, freq: 8 }),
    holds: fc.bigInt({ min: 0n, max: 700n }),
    end: fc.constantFrom('settled', 'failed', 'open'),
  }),
  { minLength: 10, maxLength: 60 },
)
const rules = fc.record({
  mode: fc.constantFrom(...modes),
  limit: fc.option(wei(300n).map(ether), { nil: undefined }),
  repeat: fc.constantFrom('once', 'always', undefined),
  hysteresis: fc.option(fc.integer({ min: 0, max: 1_000 }), { nil: undefined }),
  confirm: fc.constantFrom({ need: 1, of: 1 }, { need: 2, of: 3 }, { need: 5, of: 8 }, undefined),
})

/** Plays ticks to a strategy the way the bot does: what settles is counted, what fails is not, and its notes are kept. */
function play(
  params: Params,
  ticks: readonly Tick[],
  watch: (context: Context<Params>, memory: Memory | undefined) => void,
) {
  let memory: Memory | undefined
  let [sold, bought, swaps] = [0n, 0n, 0]
  let inflight: Context<Params>['inflight'] = []
  let fills: Context<Params>['fills'] = []
  ticks.forEach(({ market, reference, holds, end }, index) => {
    const context = contextWith(params, {
      slot: index * 5_000,
      memory,
      inflight,
      fills,
      totals: swaps === 0 ? [] : [{ sold: ether(sold), bought: dollars(bought), swaps }],
      indications: [market === undefined ? undefined : { ...priceOf(100n, market), route: [] }],
      references: [reference === undefined ? undefined : priceOf(100n, reference)],
      balances: [ether(holds)],
    })
    const decision = threshold.decide(context)
    expect(threshold.decide(structuredClone(context))).toEqual(decision)
    watch(context, decision.memory)
    memory = decision.memory

    const settle = (sell: bigint) => {
      ;[sold, bought, swaps] = [sold + sell, bought + (sell * (market ?? 300n)) / 100n, swaps + 1]
      fills = [{ at: index, price: priceOf(100n, market ?? 300n) }, ...fills].slice(0, 32)
    }
    const [open] = inflight
    if (open !== undefined && end !== 'open') {
      inflight = []
      if (end === 'settled') settle(open.sell.wei)
    }
    if (decision.kind !== 'swap') return
    expect(inflight).toEqual([])
    expect(decision.intents).toHaveLength(1)
    for (const { sell, buy, floor } of decision.intents) {
      expect(sell.wei).toBeGreaterThan(0n)
      expect(sell.wei).toBeLessThanOrEqual(holds)
      expect(floor.wei).toBeGreaterThan(0n)
      if (end === 'settled') settle(sell.wei)
      if (end === 'open') inflight = [{ swapId: 's1', sell, buy, since: index }]
    }
  })
  return { sold, swaps }
}

test('threshold: whatever fails, settles or stays open, no more than the limit is sold, and once is once', () => {
  let [capped, single] = [0, 0]
  fc.assert(
    fc.property(rules, ticks, ({ mode, ...rest }, ticks) => {
      const { sold, swaps } = play(
        { sell: ether(100n), buy: usdc, every: 5, ...rest, ...mode },
        ticks,
        () => undefined,
      )
      if (rest.limit !== undefined) expect(sold).toBeLessThanOrEqual(rest.limit.wei)
      if (rest.repeat === 'once') expect(swaps).toBeLessThanOrEqual(1)
      if (sold === rest.limit?.wei) capped += 1
      if (swaps === 1) single += 1
    }),
    { numRuns: 500 * times },
  )
  // The bounds were reached, not just kept away from.
  expect(capped).toBeGreaterThan(10)
  expect(single).toBeGreaterThan(10)
})

test('threshold trailing: the best it follows never falls, and it sells exactly where the trail says', () => {
  let [sales, rises] = [0, 0]
  const params: Params = {
    sell: ether(100n),
    buy: usdc,
    every: 5,
    when: 'trailing',
    trail: 300,
    tolerance: 50,
    confirmWithin: 2_000,
  }
  fc.assert(
    fc.property(ticks, (ticks) => {
      let best = 0n
      let swapsBefore = 0
      play(params, ticks, (context, memory) => {
        const { indications, references, inflight, balances, totals } = context
        const [market, reference] = [indications[0]?.bought.wei, references[0]?.bought.wei]
        const swaps = totals[0]?.swaps ?? 0
        if (swaps !== swapsBefore) best = 0n
        swapsBefore = swaps
        const believed =
          market !== undefined &&
          reference !== undefined &&
          market * 5n >= reference * 4n &&
          market * 5n <= reference * 6n
        if (believed && market > best) {
          best = market
          rises += 1
        }
        expect(memory?.bestBought).toBe(best === 0n ? undefined : `${best}`)
        const falls = believed && market * 10_000n <= best * 9_700n
        const can = inflight.length === 0 && (balances[0]?.wei ?? 0n) >= 100n
        const { kind } = threshold.decide(context)
        expect(kind === 'swap').toBe(falls && can)
        if (kind === 'swap') sales += 1
      })
    }),
  )
  expect(sales).toBeGreaterThan(20)
  expect(rises).toBeGreaterThan(20)
})

test('threshold confirm: is what counting the last outcomes by hand gives', () => {
  const votes = fc
    .integer({ min: 1, max: 32 })
    .chain((of) => fc.record({ of: fc.constant(of), need: fc.integer({ min: 1, max: of }) }))
  fc.assert(
    fc.property(votes, ticks, (confirm, ticks) => {
      const price = priceOf(100n, 300n)
      const seen: boolean[] = []
      play({ sell: ether(100n), buy: usdc, every: 5, price, confirm }, ticks, (context) => {
        const { indications, inflight, balances } = context
        const met = (indications[0]?.bought.wei ?? 0n) >= 300n
        seen.push(met)
        const enough = seen.slice(-confirm.of).filter(Boolean).length >= confirm.need
        const can = inflight.length === 0 && (balances[0]?.wei ?? 0n) >= 100n
        expect(threshold.decide(context).kind === 'swap').toBe(met && enough && can)
      })
    }),
  )
})
