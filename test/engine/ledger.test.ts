import { expect, test } from 'vitest'
import type { Plan } from '../../src/bot/stages.ts'
import { nativeAddress, type Token, usdOf } from '../../src/core/token.ts'
import { createLedger, type LedgerFill } from '../../src/engine/ledger.ts'
import { nothingSpent } from '../support/planned.ts'

const token = (symbol: string, digit: string): Token => ({
  chainId: 1,
  address: `0x${digit.repeat(40)}`,
  symbol,
  decimals: 0,
})
const [weth, usdc, dai] = [token('WETH', '1'), token('USDC', '2'), token('DAI', '3')]
const eth: Token = { ...token('ETH', '0'), address: nativeAddress }
const ids = Array.from({ length: 50 }, (_, index) => `swap ${index}`)
const plan = (strategy: string, sell: Token, buy: Token) =>
  ({
    swapId: ids.pop(),
    ...{ wallet: '0x1', recipient: '0x1' },
    strategy,
    intent: { sell: { token: sell, wei: 5n }, buy },
    notional: { token: usdOf(1), wei: 100n },
  }) as unknown as Plan
const hour = 3_600_000
const fill = (of: Plan, at = 7): LedgerFill => ({
  plan: of,
  price: { sold: of.intent.sell, bought: { token: of.intent.buy, wei: 1n } },
  gas: undefined,
  ...{ plannedAt: at, signedAt: at, filledAt: at },
})
const ledger = () => createLedger({ coin: { native: eth, wrapped: weth }, balances: [] })

test('swaps that are not booked yet count like those that are', () => {
  const pending = [plan('a', weth, usdc), plan('b', weth, dai), plan('a', usdc, dai)].map((one) =>
    fill(one),
  )
  const booked = ledger()
  for (const one of pending) booked.settle(one)
  const want = plan('a', weth, dai)
  const taken = { ...nothingSpent, sold: 10n, hour: 300n, day: 300n, strategy: 200n }
  expect(ledger().spent(want, 7, { journal: nothingSpent, pending })).toEqual(taken)
  expect(booked.spent(want, 7)).toEqual(taken)
  expect(booked.spent(want, 7, { journal: taken })).toMatchObject({ sold: 20n, strategy: 400n })
})

test('a cooldown counts a pair in either direction, and the coin as its wrapped token', () => {
  const books = ledger()
  books.settle(fill(plan('a', weth, usdc), 7))
  const lastAt = (one: Plan) => books.spent(one, 9).lastAt
  expect([plan('a', usdc, weth), plan('a', usdc, eth), plan('a', eth, usdc)].map(lastAt)).toEqual([
    7, 7, 7,
  ])
  expect([plan('b', weth, usdc), plan('a', weth, dai)].map(lastAt)).toEqual([undefined, undefined])
  books.revert({ plan: plan('b', eth, usdc), plannedAt: 8, signedAt: 8, gas: undefined })
  expect(books.spent(plan('b', usdc, weth), 9)).toMatchObject({ lastAt: 8, day: 100n })
})

test('a limit looks back from the signature: an hour, or a day', () => {
  const books = ledger()
  books.settle({ ...fill(plan('a', weth, usdc), 0), signedAt: hour })
  const at = (now: number) => books.spent(plan('a', weth, dai), now)
  expect(at(2 * hour - 1)).toMatchObject({ hour: 100n, day: 100n })
  expect(at(2 * hour)).toMatchObject({ hour: 0n, day: 100n, sold: 5n })
  expect(at(25 * hour - 1)).toMatchObject({ day: 100n, strategy: 100n })
  expect(at(25 * hour)).toMatchObject({ day: 0n, strategy: 0n, sold: 0n })
})

test('what was valued in another unit is not added up', () => {
  const books = ledger()
  const other = { ...plan('a', weth, usdc), notional: { token: dai, wei: 9n } }
  books.settle(fill(other))
  expect(books.spent(plan('a', weth, usdc), 8)).toMatchObject({ day: 0n, otherUnit: 1, sold: 5n })
})

test('a fill moves the balances and what the strategy knows of itself', () => {
  const gas = { token: eth, wei: 2n }
  const books = createLedger({
    coin: { native: eth, wrapped: weth },
    balances: [
      { token: weth, wei: 9n },
      { token: eth, wei: 9n },
    ],
  })
  books.settle({ ...fill(plan('a', weth, usdc)), gas })
  books.revert({ plan: plan('a', weth, usdc), plannedAt: 8, signedAt: 8, gas })
  expect(books.balances()).toEqual([
    { token: weth, wei: 4n },
    { token: eth, wei: 5n },
    { token: usdc, wei: 1n },
  ])
  const { own } = books.recordFor('a')
  expect(own.totals).toEqual([
    { sold: { token: weth, wei: 5n }, bought: { token: usdc, wei: 1n }, swaps: 1 },
  ])
  expect(own.lastFill).toEqual(own.fills[0])
})

test('what another account receives is that account’s, and of the strategy’s totals all the same', () => {
  const books = createLedger({
    coin: { native: eth, wrapped: weth },
    balances: [{ token: weth, wei: 9n }],
  })
  const given = { ...plan('a', weth, usdc), recipient: '0x2' } as Plan
  books.settle(fill(given))
  books.settle(fill({ ...given, recipient: '0x3' } as Plan))
  expect(books.balances()).toEqual([{ token: weth, wei: -1n }])
  const seen = (account: '0x2' | '0x4', of: Token) => ({ account, held: { token: of, wei: 3n } })
  const accounts = [seen('0x2', usdc), seen('0x2', dai), seen('0x4', usdc)]
  expect(books.withSent(accounts).map(({ held }) => held.wei)).toEqual([4n, 3n, 3n])
  expect(books.recordFor('a').own.totals).toMatchObject([{ swaps: 2, bought: { wei: 2n } }])
})
