import { expect, test } from 'vitest'
import type { Block } from '../../../src/chain/calls/node.ts'
import { poolReference } from '../../../src/service/makers/poolReference.ts'
import type { Venue } from '../../../src/service/venues/venue.ts'

const token = (digit: string) => ({
  ...{ chainId: 1, symbol: digit, decimals: 18 },
  address: `0x${digit.repeat(40)}` as const,
})
const [base, quote] = [token('1'), token('2')]
const block = (number: number) => ({ number, hash: `0x${number}` }) as unknown as Block

test('the prices of the last sixteen blocks are known: levels published then are honoured', () => {
  let price = 0
  const pool: Venue = {
    ...{ id: 'pool', pairs: [], revision: () => 0, reads: () => [] },
    at: () =>
      ({
        offers: () => [
          { sell: base, buy: quote, curve: () => [{ price }] },
          { sell: quote, buy: base, curve: () => [{ price: 1 / price }] },
        ],
      }) as never,
  }
  const { venue, priceAt } = poolReference(pool, { base, quote })
  for (price = 1; price <= 20; price += 1) venue.at(block(price), [])
  const prices = Array.from({ length: 21 }, (_, number) => priceAt(block(number)))
  expect(prices.map((one) => one && Math.round(one))).toEqual([
    ...Array.from({ length: 5 }, () => undefined),
    ...Array.from({ length: 16 }, (_, index) => index + 5),
  ])
})
