import fc from 'fast-check'
import type { Valuation } from '../../../src/bot/journal/valuations/valuations.ts'
import type { Move } from '../../../src/bot/journal/wallet/moves.ts'
import { hourMs, minuteMs } from '../../../src/core/spans.ts'
import { nativeAddress, type Token } from '../../../src/core/token.ts'
import type { BookedFill, BookFacts } from '../../../src/story/month/bookFacts.ts'

const token = (symbol: string, decimals: number, digit: string): Token => ({
  ...{ chainId: 1, symbol, decimals },
  address: digit === 'e' ? nativeAddress : `0x${digit.repeat(40)}`,
})
export const eth = token('ETH', 18, 'e')
export const weth = token('WETH', 18, '1')
export const usdc = token('USDC', 6, '2')
export const gem = token('GEM', 9, '3')
const tokens = [eth, weth, usdc, gem]

type Step = {
  readonly hours: number
  readonly act: 'swap' | 'deposit' | 'withdraw' | 'nothing'
  readonly from: number
  readonly to: number
  readonly share: number
  readonly drift: number
  /** Whether it is looked at behind it, and knows every price then. */
  readonly looks: boolean
  readonly blind: boolean
  readonly knowsWorth: boolean
  /** Whether its proceeds go to another recipient. */
  readonly isSentOn: boolean
  /** Whether it takes what is sold, and gives nothing. */
  readonly isTaken: boolean
}

const step: fc.Arbitrary<Step> = fc.record({
  hours: fc.oneof(fc.integer({ min: 0, max: 3 }), fc.integer({ min: 0, max: 400 })),
  act: fc.constantFrom('swap', 'swap', 'deposit', 'withdraw', 'nothing'),
  from: fc.nat(3),
  to: fc.nat(3),
  share: fc.integer({ min: 1, max: 1_000 }),
  drift: fc.integer({ min: -300, max: 350 }),
  looks: fc.boolean(),
  blind: fc.integer({ min: 0, max: 19 }).map((one) => one === 0),
  knowsWorth: fc.boolean(),
  isSentOn: fc.integer({ min: 0, max: 9 }).map((one) => one === 0),
  isTaken: fc.integer({ min: 0, max: 9 }).map((one) => one === 0),
})

const yearBegin = Date.UTC(2026, 0, 1)

/** A wallet's year: what the journal knows of it, and what really came and left. */
export type Year = {
  readonly facts: BookFacts
  readonly flows: readonly { readonly at: number; readonly token: Token; readonly wei: bigint }[]
}

/** Years of swaps, deposits, withdrawals, prices and gaps between valuations. */
export const randomYear = fc.array(step, { minLength: 30, maxLength: 220 }).map(liveThrough)

function liveThrough(steps: readonly Step[]): Year {
  let at = yearBegin
  const held = new Map(
    tokens.map((one, index) => [one, 10n ** BigInt(one.decimals) * BigInt(index * 700)]),
  )
  const prices = [3_000n, 3_000n, 1n, 17n].map((price) => price * 10n ** 9n)
  const [valuations, moves, flows]: [Valuation[], Move[], Year['flows'][number][]] = [[], [], []]
  const fills = new Map<string, BookedFill>()
  const worth = (one: Token, wei: bigint) => {
    const price = prices[tokens.indexOf(one)] ?? 0n
    return (wei * price * 10n ** 6n) / (10n ** BigInt(one.decimals) * 10n ** 9n)
  }
  const change = (one: Token, wei: bigint) => held.set(one, (held.get(one) ?? 0n) + wei)
  const look = (blind: boolean) => {
    const holdings = [...held].flatMap(([one, wei]) =>
      wei === 0n
        ? []
        : {
            held: { token: one, wei },
            worth:
              blind && one === gem
                ? undefined
                : { token: usdc, wei: one === usdc ? wei : worth(one, wei) },
          },
    )
    const known = holdings.every((one) => one.worth !== undefined)
    const total = holdings.reduce((sum, one) => sum + (one.worth?.wei ?? 0n), 0n)
    const last = valuations.at(-1)?.at
    // The reader gives the first of an hour.
    if (last === undefined || Math.floor(last / hourMs) !== Math.floor(at / hourMs))
      valuations.push({
        at,
        unit: usdc,
        holdings,
        total: known ? { token: usdc, wei: total } : undefined,
        seeded: false,
      })
  }
  look(false)
  for (const [index, one] of steps.entries()) {
    at += one.hours * hourMs + 7 * minuteMs
    for (const nth of [0, 1, 3]) {
      const price = prices[nth] ?? 0n
      prices[nth] = (price * BigInt(10_000 + one.drift)) / 10_000n + 1n
    }
    const [sell, buy] = [tokens[one.from] ?? usdc, tokens[one.to] ?? usdc]
    const part = ((held.get(sell) ?? 0n) * BigInt(one.share)) / 1_000n
    if (one.act === 'deposit' || (one.act === 'withdraw' && part > 0n)) {
      const wei =
        one.act === 'deposit' ? 10n ** BigInt(sell.decimals) * BigInt(one.share) + 1n : -part
      change(sell, wei)
      flows.push({ at, token: sell, wei })
    }
    if (one.act === 'swap' && sell !== buy && part > 0n) {
      const value = worth(sell, part)
      const price = prices[tokens.indexOf(buy)] ?? 1n
      const received = one.isTaken
        ? 0n
        : (value * 10n ** BigInt(buy.decimals) * 10n ** 9n) / (price * 10n ** 6n)
      const gas =
        one.share % 3 === 0 && sell !== eth && (held.get(eth) ?? 0n) > 10n ** 17n ? 10n ** 15n : 0n
      const begun = at
      change(sell, -part)
      at += 2 * minuteMs
      // In flight: half of it has happened, and the log says nothing yet.
      if (one.looks) look(one.blind)
      if (!one.isSentOn) change(buy, received)
      change(eth, -gas)
      at += 3 * minuteMs
      const of = `swap-${index}`
      fills.set(of, {
        ...{
          strategy: 'test',
          begun,
          ended: at,
          coin: one.knowsWorth ? worth(eth, 10n ** 18n) : undefined,
          tip: undefined,
          base: undefined,
          later: [],
          sources: [],
        },
        sold: { token: sell, wei: part },
        received: { token: buy, wei: received },
        worth: one.isTaken
          ? { wei: 0n, by: 'unit' }
          : one.knowsWorth
            ? { wei: value, by: 'quote' }
            : undefined,
      })
      const base = {
        ...{ seq: index + 1, at, of, strategy: 'test' },
        ...{ chainId: 1, wallet: '0x', hash: `0x${index}` },
      }
      moves.push({ ...base, kind: 'sold', address: sell.address, token: sell, wei: -part })
      if (!one.isSentOn)
        moves.push({ ...base, kind: 'received', address: buy.address, token: buy, wei: received })
      if (gas > 0n)
        moves.push({ ...base, kind: 'gas', address: eth.address, token: undefined, wei: -gas })
    }
    if (one.looks) look(one.blind)
  }
  return {
    facts: { unit: usdc, coin: { native: eth, wrapped: weth }, valuations, fills, moves },
    flows,
  }
}
