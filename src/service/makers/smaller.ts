/** `Math.min` for amounts: it takes no bigint. */
export function smaller(a: bigint, b: bigint): bigint {
  if (a < b) return a
  return b
}
