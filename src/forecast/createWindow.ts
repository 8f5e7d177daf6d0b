/** What was added since an instant: every rolling window of one sum. Instants come in order. */
export function createWindow() {
  const instants: number[] = []
  /** Of everything up to and with the instant of the same index. */
  const sums: bigint[] = []
  return {
    add(at: number, wei: bigint): void {
      instants.push(at)
      sums.push((sums.at(-1) ?? 0n) + wei)
    },
    /** The sum of what came strictly after `instant`. */
    after(instant: number): bigint {
      let [low, high] = [0, instants.length]
      while (low < high) {
        const middle = (low + high) >> 1
        if ((instants[middle] ?? 0) <= instant) low = middle + 1
        else high = middle
      }
      return (sums.at(-1) ?? 0n) - (low === 0 ? 0n : (sums[low - 1] ?? 0n))
    },
  }
}
