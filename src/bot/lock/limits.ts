/** When a breaker opens its lock, and for how long. Durations in milliseconds. */
export type Limits = {
  /** Swaps of one strategy in a row that verification or simulation refused. */
  readonly refusals: { readonly count: number; readonly lockMs: number }
  /** Swaps of one wallet in a row that were sent and only cost gas. */
  readonly failures: { readonly count: number; readonly lockMs: number }
  /** How far a price may move between two looks that are at most `withinMs` apart. */
  readonly priceJump: { readonly bps: number; readonly withinMs: number; readonly lockMs: number }
  /** Two nodes that disagree about a simulation. */
  readonly witness: { readonly lockMs: number }
  /** How far this clock may be ahead of the newest block, and off the service's in either direction. */
  readonly clock: { readonly aheadMs: number; readonly serviceMs: number; readonly lockMs: number }
  /** The most a wallet may pay for gas in 24 hours, in wei; undefined for no limit. */
  readonly gasPerDayMax: bigint | undefined
}
