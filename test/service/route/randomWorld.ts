import type { Token } from '../../../src/core/token.ts'
import type { RouteRequest } from '../../../src/service/route/source.ts'
import type { Offer } from '../../../src/service/venues/venue.ts'
import { DAI, levelsOf, makerOffer, pairOffer, USDC, WBTC, WETH } from './sampleOffers.ts'

const dollars = new Map<Token, number>([
  [WETH, 3_000],
  [USDC, 1],
  [DAI, 1],
  [WBTC, 90_000],
])
const tokens = [...dollars.keys()]
const worth = (token: Token) => dollars.get(token) ?? 1
const unitsOf = (token: Token, dollar: number) =>
  BigInt(Math.max(1, Math.floor((dollar / worth(token)) * 10 ** token.decimals)))

/** Thin pools and makers between four tokens, and a question of $100 to $1m among them. */
export function randomWorld(
  next: () => number,
  venues = 12,
): { offers: Offer[]; request: RouteRequest } {
  const pick = <T>(list: readonly T[]): T => list[Math.floor(next() * list.length)] as T
  const offers = Array.from({ length: venues }, (_, index) => {
    const a = pick(tokens)
    const b = pick(tokens.filter((token) => token !== a))
    const source = `source-${String.fromCharCode(97 + index)}`
    const skew = 1 + (next() - 0.5) * 0.004
    const depth = 10 ** (4 + next() * 2.5)
    if (next() < 0.6) {
      const [x, y] = [unitsOf(a, depth), unitsOf(b, depth * skew)]
      return [
        pairOffer({ source, sell: a, buy: b }, { sold: x, bought: y }),
        pairOffer({ source, sell: b, buy: a }, { sold: y, bought: x }),
      ]
    }
    const price = (worth(a) / worth(b)) * skew
    // Prices have three decimals: only a base that is worth at least ten of the quote has fine ones.
    if (price < 10) return stableMaker(source, a, b, next)
    const minimum = next() < 0.3 ? unitsOf(a, 50 + next() * 5_000) : 0n
    const levels = (sign: number) => {
      let level = price * (1 + sign * (0.0002 + next() * 0.001))
      return levelsOf(
        a,
        Array.from({ length: 1 + Math.floor(next() * 4) }, (): [number, number] => {
          level *= 1 + sign * next() * 0.002
          return [Math.max(0.001, (depth * (0.05 + next() * 0.3)) / worth(a)), level]
        }),
      )
    }
    return [
      makerOffer({ source, sell: a, buy: b }, { side: 'bid', levels: levels(-1), minimum }),
      makerOffer({ source, sell: b, buy: a }, { side: 'ask', levels: levels(1), minimum }),
    ]
  }).flat()
  const sell = pick(tokens)
  const buy = pick(tokens.filter((token) => token !== sell))
  const gwei = pick([0, 0.1, 2, 30])
  const request = {
    sell,
    buy,
    sellWei: unitsOf(sell, 10 ** (2 + next() * 4)),
    hubs: tokens,
    gasCost: (token: Token) => (gwei * 1e-9 * 3_000 * 10 ** token.decimals) / worth(token),
  }
  return { offers, request }
}

/** Levels between tokens of similar worth, where three decimals are ten basis points. */
function stableMaker(source: string, a: Token, b: Token, next: () => number): Offer[] {
  if (worth(a) < worth(b)) return stableMaker(source, b, a, next)
  const price = worth(a) / worth(b)
  const size = () => Math.max(0.001, 10 ** (3 + next() * 2) / worth(a))
  return [
    makerOffer(
      { source, sell: a, buy: b },
      {
        side: 'bid',
        levels: levelsOf(a, [
          [size(), price * 0.999],
          [size(), price * 0.998],
        ]),
      },
    ),
    makerOffer(
      { source, sell: b, buy: a },
      {
        side: 'ask',
        levels: levelsOf(a, [
          [size(), price * 1.001],
          [size(), price * 1.003],
        ]),
      },
    ),
  ]
}
