import { least } from './least.ts'
import { most } from './most.ts'

/** One asset of a portfolio, all in one unit: what it is worth, where it is to be, and how far from there it may stay. */
export type Position = {
  readonly value: bigint
  readonly low: bigint
  readonly target: bigint
  readonly high: bigint
  /** How much of the value came in lately: sold before anything else is, where something has to be. */
  readonly fresh?: bigint | undefined
}

/**
 * What each asset has to gain, or to lose where negative, so that all end between low and high. The sum is zero.
 *
 * The least turnover there is: what is outside goes to the nearest edge, and the shorter of the two sides is completed
 * from assets with slack, furthest from target first. So what is sold is max(forced sells, forced buys).
 */
export function planTrades(positions: readonly Position[]): readonly bigint[] {
  const forced = positions.map(({ value, low, high }) => {
    if (value > high) return high - value
    return value < low ? low - value : 0n
  })
  const missing = -forced.reduce((sum, delta) => sum + delta, 0n)
  if (missing === 0n) return forced
  const [sign, limits] = missing > 0n ? ([1n, buying] as const) : ([-1n, selling] as const)

  const deltas = [...forced]
  let left = sign * missing
  for (const limit of limits) {
    const rooms = positions.map((position, index) => {
      const room = sign * (limit(position) - position.value - (deltas[index] ?? 0n))
      return { index, room: most(0n, room) }
    })
    for (const { index, room } of rooms.sort(byRoom)) {
      const part = least(room, left)
      deltas[index] = (deltas[index] ?? 0n) + sign * part
      left -= part
    }
  }
  // Only where low and high leave no room at all: targets that do not make up the whole.
  if (left > 0n) deltas[0] = (deltas[0] ?? 0n) + sign * left
  return deltas
}

type Limit = (position: Position) => bigint

const toTarget: Limit = ({ target }) => target
const buying: readonly Limit[] = [toTarget, ({ high }) => high]
const selling: readonly Limit[] = [
  ({ value, low, fresh = 0n }) => most(value - fresh, low),
  toTarget,
  ({ low }) => low,
]

function byRoom(a: { readonly room: bigint }, b: { readonly room: bigint }): number {
  return a.room > b.room ? -1 : a.room < b.room ? 1 : 0
}
