/** The smallest of these. */
export function least(first: bigint, ...others: readonly bigint[]): bigint {
  let found = first
  for (const value of others) if (value < found) found = value
  return found
}
