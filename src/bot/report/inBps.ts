/**
 * Parts of a whole in hundredths of a basis point of `base`, rounded so that they add up to the rounded whole: each is
 * the difference of two rounded sums. For display.
 */
export function inBps(parts: readonly bigint[], base: bigint): readonly number[] {
  let sum = 0n
  let shown = 0n
  return parts.map((part) => {
    sum += part
    const next = rounded(sum * 1_000_000n, base)
    const own = next - shown
    shown = next
    return Number(own) / 100
  })
}

/** To the nearest; a half away from zero. */
function rounded(numerator: bigint, denominator: bigint): bigint {
  const size = numerator < 0n ? -numerator : numerator
  const whole = (size * 2n + denominator) / (denominator * 2n)
  return numerator < 0n ? -whole : whole
}
