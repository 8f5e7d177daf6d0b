const yearSeconds = 31_536_000n

/** What a drift costs somebody who did not want it. */
export type Aversion = {
  /** Risk aversion, in ten thousandths. */
  readonly gamma: number
  /** Of a year, in basis points. */
  readonly volatilityBps: number
  readonly horizonSeconds: number
}

/**
 * What it is worth to bring a drift down, in the unit of `whole`: gamma/2 · sigma² · (before² − after²) · horizon of it,
 * where both are parts of the whole. Rounds down: a trade has to be worth what it costs.
 */
export function driftBenefit(
  {
    whole,
    before,
    after,
  }: { readonly whole: bigint; readonly before: bigint; readonly after: bigint },
  { gamma, volatilityBps, horizonSeconds }: Aversion,
): bigint {
  if (whole <= 0n || before <= after) return 0n
  const variance = BigInt(volatilityBps) ** 2n
  const numerator =
    BigInt(gamma) * variance * (before * before - after * after) * BigInt(horizonSeconds)
  return numerator / (2n * 10_000n * 10_000n ** 2n * whole * yearSeconds)
}
