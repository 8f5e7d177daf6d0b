/** The state a v3 pool's swaps depend on, as far as it was read. */
export type PoolState = {
  /** √(token1 / token0) in Q64.96. */
  readonly price: bigint
  readonly tick: number
  /** In range at the price. */
  readonly liquidity: bigint
  /** Millionths of the input. */
  readonly fee: bigint
  readonly spacing: number
  /** Initialised ticks in rising order, and what crossing each upwards adds to the liquidity. */
  readonly ticks: readonly Tick[]
  /** Nothing beyond these ticks was read: depth ends there. */
  readonly lowest: number
  readonly highest: number
}

type Tick = { readonly tick: number; readonly net: bigint }

/** Looks a tick's √price up; computing it takes longer than a step. */
export type RatioAt = (tick: number) => bigint
