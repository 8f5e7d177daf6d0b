/** An edge that takes part, by its number and those of its two tokens. */
export type Used = { readonly index: number; readonly from: number; readonly to: number }

/** Prices of tokens, and what the edges do at them. The last token has price 1: everything is worth some of it. */
export type Balance = {
  readonly prices: Float64Array
  /** What is left of each token. */
  readonly left: Float64Array
  /** How much more each edge sells as the ratio of its two prices falls. */
  readonly slope: Float64Array
}

/**
 * Moves the prices until nothing is left of any token but the last: the minimum of a convex function, whose gradient
 * is what is left. `look` brings `left` and `slope` up to date with prices. False: there are no such prices.
 */
export function balancePrices(
  state: Balance,
  {
    used,
    amount,
    look,
  }: { used: readonly Used[]; amount: number; look: (prices: Float64Array) => void },
): boolean {
  const { prices, left, slope } = state
  const moved = Float64Array.from(prices)
  const beyond = new Float64Array(slope.length)
  look(prices)
  for (let step = 0, isStuck = false; ; step += 1) {
    const whole = amount * (prices[0] as number)
    const imbalance = largest(
      left.subarray(0, -1).map((each, token) => each * (prices[token] as number)),
    )
    if (imbalance <= imbalanceMax * whole) return true
    // Doubles end here: where a large level decides, before the last digits are in balance.
    if (step === stepsMax || isStuck) return imbalance <= imbalanceLast * whole

    const direction = newton(state, { used, beyond, whole })
    if (direction === undefined) return false
    const slopeAt = (length: number): number => {
      direction.forEach((each, token) => {
        moved[token] = (prices[token] as number) * (1 + length * each)
      })
      look(moved)
      return slopeAlong(state, direction)
    }
    const first = slopeAlong(state, direction)
    const limit = Math.min(1, shareMax / largest(direction))
    const last = slopeAt(limit)
    const isTooFar = last > -first * enough
    // An edge that begins to sell within the step must count before, or steps go to and fro over its first unit.
    if (isTooFar && step > toAndFroAfter) beyond.set(slope)
    else beyond.fill(0)
    if (isTooFar) shorten(slopeAt, { first, limit, last })
    isStuck = prices.every((price, token) => price === moved[token])
    prices.set(moved)
  }
}

/** A share of the amount that may be out of balance: whole units take care of it. */
const imbalanceMax = 1e-7
const imbalanceLast = 1e-4

const stepsMax = 60
const toAndFroAfter = 8

/** A price moves by half at most in one step. */
const shareMax = 0.5

/** A step ends where the slope is this share of what it was. */
const enough = 0.2
const triesMax = 40

const largest = (values: Float64Array) =>
  values.reduce((most, each) => Math.max(most, Math.abs(each)), 0)

function slopeAlong({ left, prices }: Balance, direction: Float64Array): number {
  return direction.reduce(
    (sum, each, token) => sum + each * (left[token] as number) * (prices[token] as number),
    0,
  )
}

/** Newton's step, in shares of the prices. */
function newton(
  { prices, left, slope }: Balance,
  { used, beyond, whole }: { used: readonly Used[]; beyond: Float64Array; whole: number },
): Float64Array | undefined {
  const unknown = prices.length - 1
  const rows = Array.from({ length: unknown }, () => new Float64Array(unknown + 1))
  const add = (row: number, column: number, value: number) => {
    const cells = rows[row]
    if (cells !== undefined && column < unknown) cells[column] = (cells[column] as number) + value
  }
  for (const { index, from, to } of used) {
    const steep = Math.max(slope[index] as number, beyond[index] as number)
    if (steep === 0) continue
    const value = (steep * (prices[from] as number) ** 2) / (prices[to] as number)
    add(from, from, value)
    add(to, to, value)
    add(from, to, -value)
    add(to, from, -value)
  }
  rows.forEach((cells, row) => {
    // A token that nothing trades at these prices keeps its own.
    cells[row] = (cells[row] as number) * (1 + tiny) + tiny * whole
    cells[unknown] = -(left[row] as number) * (prices[row] as number)
  })
  return solved(rows)
}

const tiny = 1e-9

/** Gauss's elimination of a few equations, their right side in the last column. */
function solved(rows: readonly Float64Array[]): Float64Array | undefined {
  const count = rows.length
  for (let pivot = 0; pivot < count; pivot += 1) {
    const above = rows[pivot] as Float64Array
    const value = above[pivot] as number
    if (!(value > 0)) return undefined
    for (const below of rows.slice(pivot + 1)) {
      const factor = (below[pivot] as number) / value
      if (factor === 0) continue
      for (let column = pivot; column <= count; column += 1)
        below[column] = (below[column] as number) - factor * (above[column] as number)
    }
  }
  const result = new Float64Array(count)
  for (let row = count - 1; row >= 0; row -= 1) {
    const cells = rows[row] as Float64Array
    let sum = cells[count] as number
    for (let column = row + 1; column < count; column += 1)
      sum -= (cells[column] as number) * (result[column] as number)
    result[row] = sum / (cells[row] as number)
  }
  return result
}

/** Finds where the slope is nearly zero between nothing and the whole step: false position, the end that stays half. */
function shorten(
  slopeAt: (length: number) => number,
  { first, limit, last }: { first: number; limit: number; last: number },
): void {
  let [low, lowSlope] = [0, first]
  let [high, highSlope] = [limit, last]
  for (let tries = 0; tries < triesMax; tries += 1) {
    const middle = low + ((high - low) * -lowSlope) / (highSlope - lowSlope)
    const between = slopeAt(middle)
    if (Math.abs(between) <= -first * enough) return
    if (between > 0) {
      ;[high, highSlope] = [middle, between]
      lowSlope /= 2
    } else {
      ;[low, lowSlope] = [middle, between]
      highSlope /= 2
    }
  }
}
