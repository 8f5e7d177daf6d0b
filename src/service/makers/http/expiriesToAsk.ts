/** Between them the price of time differs by about half. */
const usualSeconds = [10, 20, 30, 45, 60, 90, 120, 180, 300]

/** The durations a maker is asked to quote for: up to the longest a caller may ask for, the default exactly. */
export function expiriesToAsk({
  defaultSeconds,
  maxSeconds,
}: {
  defaultSeconds: number
  maxSeconds: number
}): readonly number[] {
  const usual = usualSeconds.filter((seconds) => seconds < maxSeconds)
  return [...new Set([...usual, defaultSeconds, maxSeconds])].sort((a, b) => a - b)
}
