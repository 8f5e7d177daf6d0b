/** A sold amount and its worth. */
type Sums = { readonly amountIn: bigint; readonly notional: bigint }

const nothing: Sums = { amountIn: 0n, notional: 0n }

/** Sums of every rolling window, over swaps that come in the order of time. */
export function createWindow() {
  const instants: number[] = []
  /** Of everything up to and with the instant of the same index. */
  const sums: Sums[] = []
  return {
    add(at: number, amountIn: bigint, notional: bigint): void {
      const before = sums.at(-1) ?? nothing
      instants.push(at)
      sums.push({
        amountIn: before.amountIn + amountIn,
        notional: before.notional + notional,
      })
    },
    /** The sums of what came strictly after `instant`. */
    after(instant: number): Sums {
      let [low, high] = [0, instants.length]
      while (low < high) {
        const middle = (low + high) >> 1
        if ((instants[middle] ?? 0) <= instant) low = middle + 1
        else high = middle
      }
      const all = sums.at(-1) ?? nothing
      const before = sums[low - 1] ?? nothing
      return {
        amountIn: all.amountIn - before.amountIn,
        notional: all.notional - before.notional,
      }
    },
  }
}
