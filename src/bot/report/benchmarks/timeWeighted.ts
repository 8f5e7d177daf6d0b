/** A price and since when it was known; milliseconds since the epoch. */
export type PricePoint = { readonly at: number; readonly price: number }

/**
 * The time-weighted average over a span: each price counts until the next one is known (last value carried forward).
 * Before the first one nothing counts. In doubles; undefined where no price was known before the span ended.
 *
 * The points are in the order of time.
 */
export function timeWeighted(
  points: readonly PricePoint[],
  { from, until }: { readonly from: number; readonly until: number },
): number | undefined {
  let sum = 0
  let span = 0
  for (const [index, { at, price }] of points.entries()) {
    const begins = Math.max(at, from)
    const ends = Math.min(points[index + 1]?.at ?? until, until)
    if (ends <= begins) continue
    sum += price * (ends - begins)
    span += ends - begins
  }
  return span === 0 ? undefined : sum / span
}
