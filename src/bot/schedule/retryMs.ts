const firstMs = 15_000
const longestMs = 300_000

/** How long until a slot that stayed open is asked about again: 15 seconds, each time twice as long, up to 5 minutes. */
export function retryMs(asked: number): number {
  return Math.min(firstMs * 2 ** Math.max(0, asked - 1), longestMs)
}
