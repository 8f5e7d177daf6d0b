import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { amountOf, minimumAt, minOf, type Price } from '#strategy'
import twap from '../../strategies/twap.ts'
import { convert, createDesk, type World } from './rebalanceWorld.ts'

/** `npm run test:strategies` takes more. */
const times = Number(process.env.STRATEGY_TIMES ?? 0.5)

const weth = { chainId: 31337, address: '0x01', symbol: 'WETH', decimals: 18 } as const
const usdc = { chainId: 31337, address: '0x02', symbol: 'USDC', decimals: 6 } as const
type Params = Parameters<typeof twap.watch>[0]

const start = Date.UTC(2026, 0, 1)
const minuteMs = 60_000

const deep: World = {
  prices: { WETH: 3_000_000_000n, USDC: 1_000_000n },
  halfSpreadBps: 5,
  levels: [10_000_000n],
  stepBps: 0,
}

/** Orders of any size over up to a hundred slices. */
const orders = fc
  .record({
    wei: fc.bigInt(10n ** 15n, 10n ** 21n),
    slices: fc.integer({ min: 1, max: 100 }),
    most: fc.integer({ min: 10_000, max: 50_000 }),
    part: fc.option(fc.bigInt(1n, 10n), { nil: undefined }),
  })
  .map(({ wei, slices, most, part }): Params => {
    const even = (wei + BigInt(slices) - 1n) / BigInt(slices)
    return {
      sell: { token: weth, wei },
      buy: usdc,
      start,
      slices,
      every: 60,
      tolerance: 100,
      most,
      minimum: part === undefined ? undefined : { token: weth, wei: (even * part) / 10n },
    }
  })
/** What happens at each slot: asked and sold, or not asked at all. */
const attendance = fc.array(fc.boolean(), { minLength: 100, maxLength: 100 })

const deskOf = (params: Params) =>
  createDesk({ strategy: twap, params, balances: [{ token: weth, wei: params.sell.wei * 2n }] })
const soldBy = (desk: ReturnType<typeof deskOf>) =>
  desk.fills().reduce((sum, { price }) => sum + price.sold.wei, 0n)
/** The largest slice there may be. */
const capOf = ({ sell, slices = 1, most = 0 }: Params) =>
  (((sell.wei + BigInt(slices) - 1n) / BigInt(slices)) * BigInt(most)) / 10_000n

describe('twap', () => {
  test('sells all of it to the wei in its time, and not a wei more', () => {
    fc.assert(
      fc.property(orders, (params) => {
        const desk = deskOf(params)
        for (let slot = 0; slot < (params.slices ?? 0) + 5; slot++) {
          desk.ask(deep, { slot: start + slot * minuteMs })
          expect(soldBy(desk)).toBeLessThanOrEqual(params.sell.wei)
        }
        expect(soldBy(desk)).toBe(params.sell.wei)
      }),
      { numRuns: 200 * times },
    )
  })

  test('never sells more at once than its largest slice, nor the whole twice, whatever was missed', () => {
    fc.assert(
      fc.property(orders, attendance, (params, asked) => {
        const desk = deskOf(params)
        for (const [slot, isAsked] of asked.entries())
          if (isAsked) desk.ask(deep, { slot: start + slot * minuteMs })
        for (const { price } of desk.fills())
          expect(price.sold.wei).toBeLessThanOrEqual(capOf(params))
        expect(soldBy(desk)).toBeLessThanOrEqual(params.sell.wei)
      }),
      { numRuns: 200 * times },
    )
  })

  test('makes up for what was missed as long as its largest slices can', () => {
    fc.assert(
      fc.property(orders, attendance, (drawn, asked) => {
        const params = { ...drawn, minimum: undefined }
        const desk = deskOf(params)
        const slots = asked.slice(0, params.slices)
        for (const [slot, isAsked] of slots.entries())
          if (isAsked) desk.ask(deep, { slot: start + slot * minuteMs })
        // Missing only what came before, it would have sold this much with the slots that are left.
        const missed = slots.lastIndexOf(false) + 1
        const later = BigInt(slots.length - missed)
        const before = desk
          .fills()
          .slice(Number(later))
          .reduce((sum, { price }) => sum + price.sold.wei, 0n)
        const left = params.sell.wei - before
        expect(soldBy(desk)).toBe(before + minOf(left, later * capOf(params)))
      }),
      { numRuns: 200 * times },
    )
  })

  test('a floor holds for every slice, and every floor is at least the tolerance below the market', () => {
    fc.assert(
      fc.property(
        orders,
        fc.array(fc.bigInt(2_500_000_000n, 3_500_000_000n), { minLength: 20, maxLength: 20 }),
        fc.bigInt(2_500_000_000n, 3_500_000_000n),
        (params, prices, dollars) => {
          const floor: Price = {
            sold: amountOf(weth, '1'),
            bought: { token: usdc, wei: dollars },
          }
          const desk = deskOf({ ...params, floor })
          for (const [slot, market] of prices.entries()) {
            const world = { ...deep, prices: { ...deep.prices, WETH: market } }
            const decision = desk.ask(world, { slot: start + slot * minuteMs })
            if (decision.kind !== 'swap') continue
            for (const intent of decision.intents) {
              expect(intent.floor.wei).toBeGreaterThanOrEqual(minimumAt(floor, intent.sell).wei)
              const worth = convert(world, intent.sell, usdc).wei
              expect(intent.floor.wei * 10_000n).toBeGreaterThanOrEqual((worth - 10n) * 9_894n)
            }
          }
        },
      ),
      { numRuns: 200 * times },
    )
  })

  test('once the market has fallen to its stop it never sells again', () => {
    const walk = fc.array(fc.bigInt(-200n, 200n), { minLength: 100, maxLength: 100 })
    fc.assert(
      fc.property(orders, walk, fc.integer({ min: 1, max: 500 }), (drawn, moves, stop) => {
        const params = { ...drawn, stop, slices: 100, minimum: undefined }
        const desk = deskOf(params)
        let price = 3_000_000_000n
        let isStopped = false
        for (const [slot, move] of moves.entries()) {
          if (slot > 0) price = (price * (10_000n + move)) / 10_000n
          const world = { ...deep, prices: { ...deep.prices, WETH: price } }
          const decision = desk.ask(world, { slot: start + slot * minuteMs })
          const fallen = (3_000_000_000n - price) * 10_000n
          // A bps is what rounding to a millionth of a dollar makes of the smallest slices.
          if (fallen > 3_000_000_000n * BigInt(stop + 1)) isStopped = true
          if (isStopped) expect(decision.kind).toBe('wait')
        }
      }),
      { numRuns: 200 * times },
    )
  })

  test('takes from a book no more than the impact allows', () => {
    fc.assert(
      fc.property(
        orders,
        fc.bigInt(1n, 50_000n),
        fc.integer({ min: 0, max: 99 }),
        (drawn, size, impact) => {
          const params = { ...drawn, impact }
          const world = { ...deep, levels: [size, size, size, size * 100_000n], stepBps: 7 }
          const desk = deskOf(params)
          const { depths } = desk.contextIn(world)
          const best = depths[0]?.[0]
          desk.ask(world, { slot: start })
          for (const { price } of desk.fills())
            if (best !== undefined)
              expect((price.bought.wei + 2n) * best.sold.wei * 10_000n).toBeGreaterThanOrEqual(
                best.bought.wei * BigInt(10_000 - impact) * price.sold.wei,
              )
        },
      ),
      { numRuns: 500 * times },
    )
  })
})
