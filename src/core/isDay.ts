/** Whether an ISO 8601 date such as `2026-02-28` is a day of the calendar: Date rolls the 30th of February over into March. */
export function isDay(date: string): boolean {
  const midnight = new Date(`${date}T00:00:00Z`)
  return !Number.isNaN(midnight.getTime()) && midnight.toISOString().slice(0, 10) === date
}
