/** Divides and rounds up, of numbers that are not negative: as a minimum it favours whom it protects. */
export function divideUp(numerator: bigint, denominator: bigint): bigint {
  return (numerator + denominator - 1n) / denominator
}
