import type { Death } from './runDay.ts'

const minuteMs = 60_000
const hourMs = 60 * minuteMs

/** The three deaths of `npm run day`, one of them longer than a slot stays open. Each is over before the next begins. */
export function deathsOfDay(hours: number): readonly Death[] {
  const long = { atMs: (hours * hourMs) / 2, forMs: 150 * minuteMs }
  const last = { atMs: (hours * hourMs * 3) / 4, forMs: minuteMs }
  // Written so that what is no number is refused as well.
  if (!(long.atMs + long.forMs < last.atMs))
    throw new Error(
      `A day of ${hours} hours is too short for its deaths: give --hours more than ${(4 * long.forMs) / hourMs}.`,
    )
  return [{ atMs: (hours * hourMs) / 5, forMs: 20 * minuteMs }, long, last]
}
