/** The hosts a price rests on. */
export type Opinion = {
  readonly endpoints: readonly string[]
  /** How many of them must lie for it to be false. */
  readonly liarsMin: number
}

/**
 * The number of hosts that must lie, at least, for all of these to be false. What shares a host with one before it adds
 * nothing: a feed and a pool of one node are one opinion.
 */
export function countOpinions(opinions: readonly Opinion[]): number {
  const used = new Set<string>()
  let count = 0
  for (const { endpoints, liarsMin } of opinions) {
    if (endpoints.some((one) => used.has(one))) continue
    for (const one of endpoints) used.add(one)
    count += liarsMin
  }
  return count
}
