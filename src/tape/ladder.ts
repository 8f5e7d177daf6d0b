import { type Fraction, fractionOf } from '../core/fractionOf.ts'
import { comparePrices, type Price } from '../core/price.ts'
import { oneWhole, type Token } from '../core/token.ts'

/**
 * One side of one pair as seen by a seller of `sold`. Numbers stay as they were written: exact ones are made on demand,
 * and a month of books fits into memory.
 */
export type Ladder = {
  readonly sold: Token
  readonly bought: Token
  /** `bid`: the base is sold. `ask`: the base is bought. */
  readonly side: 'bid' | 'ask'
  /** `[amount in base, price in quote per base]` flat, in the order they are filled. */
  readonly written: readonly number[]
  readonly minimumInBase: number
}

/** A level in smallest units: it takes `takes`, gives `gives` for all of it, and `rate` for each one. */
type Step = { readonly takes: Fraction; readonly gives: Fraction; readonly rate: Fraction }

/**
 * The proceeds of selling this amount: each level at its own price in the listed order, the last one in part
 * (specification, rule 2 of levels). Rounded once, down. Undefined beyond the depth and below the maker's minimum.
 */
export function sellInto(ladder: Ladder, wei: bigint): bigint | undefined {
  const count = ladder.written.length / 2
  let left: Fraction = { numerator: wei, denominator: 1n }
  let paid: Fraction = { numerator: 0n, denominator: 1n }
  for (let index = 0; index < count; index += 1) {
    const step = stepAt(ladder, index)
    const { takes } = step
    if (left.numerator * takes.denominator <= takes.numerator * left.denominator) {
      const { numerator, denominator } = plus(paid, times(left, step.rate))
      const bought = numerator / denominator
      return isBelowMinimum(ladder, { sold: wei, bought }) ? undefined : bought
    }
    paid = plus(paid, step.gives)
    left = plus(left, { numerator: -takes.numerator, denominator: takes.denominator })
  }
  return undefined
}

/**
 * The levels, best first, in the form that a strategy gets: sold amounts round up and bought amounts round down. In the
 * tokens of the caller, which may use the chain's own currency for the wrapped token.
 */
export function ladderLevels(
  ladder: Ladder,
  { sold, bought }: { readonly sold: Token; readonly bought: Token },
): readonly Price[] {
  const levels = Array.from({ length: ladder.written.length / 2 }, (_, index) => {
    const { takes, gives } = stepAt(ladder, index)
    return {
      sold: {
        token: sold,
        wei: (takes.numerator + takes.denominator - 1n) / takes.denominator,
      },
      bought: { token: bought, wei: gives.numerator / gives.denominator },
    }
  })
  return levels
    .filter((level) => level.sold.wei > 0n && level.bought.wei > 0n)
    .sort((a, b) => -comparePrices(a, b))
}

/** The best price of the ladder, in quote per base as it was written; undefined where there are no offers. */
export function bestPrice({ written, side }: Ladder): number | undefined {
  let best: number | undefined
  for (let at = 0; at < written.length; at += 2) {
    const [amount = 0, price = 0] = [written[at], written[at + 1]]
    if (amount === 0 || price === 0) continue
    if (best === undefined || (side === 'bid' ? price > best : price < best)) best = price
  }
  return best
}

function stepAt(ladder: Ladder, index: number): Step {
  const { sold, bought, side, written } = ladder
  const amount = fractionOf(written[2 * index] ?? 0)
  const price = fractionOf(written[2 * index + 1] ?? 0)
  const cost = times(amount, price)
  const [oneSold, oneBought] = [oneWhole(sold), oneWhole(bought)]
  return side === 'bid'
    ? {
        takes: scaled(amount, oneSold),
        gives: scaled(cost, oneBought),
        rate: {
          numerator: price.numerator * oneBought,
          denominator: price.denominator * oneSold,
        },
      }
    : {
        takes: scaled(cost, oneSold),
        gives: scaled(amount, oneBought),
        // A level without a size takes nothing, so its rate is never used.
        rate: {
          numerator: price.denominator * oneBought,
          denominator: price.numerator === 0n ? 1n : price.numerator * oneSold,
        },
      }
}

function isBelowMinimum(
  { side, minimumInBase, sold, bought }: Ladder,
  wei: { readonly sold: bigint; readonly bought: bigint },
): boolean {
  if (minimumInBase === 0) return false
  const { numerator, denominator } = fractionOf(minimumInBase)
  const [base, traded] = side === 'bid' ? [sold, wei.sold] : [bought, wei.bought]
  return traded * denominator < numerator * oneWhole(base)
}

const scaled = ({ numerator, denominator }: Fraction, by: bigint): Fraction => ({
  numerator: numerator * by,
  denominator,
})

const times = (a: Fraction, b: Fraction): Fraction => ({
  numerator: a.numerator * b.numerator,
  denominator: a.denominator * b.denominator,
})

const plus = (a: Fraction, b: Fraction): Fraction =>
  a.denominator === b.denominator
    ? { numerator: a.numerator + b.numerator, denominator: a.denominator }
    : {
        numerator: a.numerator * b.denominator + b.numerator * a.denominator,
        denominator: a.denominator * b.denominator,
      }
