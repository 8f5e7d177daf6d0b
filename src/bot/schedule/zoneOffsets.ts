import { dayMs, minuteMs } from '../../core/spans.ts'

/** How far the clocks of an IANA time zone are ahead of UTC, in milliseconds. Its answers are kept. */
export function zoneOffsets(zone: string) {
  const format = new Intl.DateTimeFormat('en-GB', { timeZone: zone, timeZoneName: 'longOffset' })
  // Queries to Intl take the time, and a schedule needs the same days again and again.
  const known = new Map<number, number>()
  const ask = (at: number) => {
    const part = format.formatToParts(at).find(({ type }) => type === 'timeZoneName')
    return offsetIn(part?.value ?? '')
  }
  /** No zone has changed its clocks at another instant than a full minute. */
  const offsetAt = (at: number): number => {
    const minute = Math.floor(at / minuteMs)
    const found = known.get(minute) ?? ask(at)
    known.set(minute, found)
    return found
  }
  return {
    offsetAt,
    /** Every offset that is in force some time within two days of an instant; no zone changes its clocks twice within one. */
    around(at: number): readonly number[] {
      const midnight = Math.floor(at / dayMs) * dayMs
      const offsets = [-2, -1, 0, 1, 2].map((days) => offsetAt(midnight + days * dayMs))
      return [...new Set(offsets)]
    },
  }
}

/** `GMT+05:30` or `GMT`. */
function offsetIn(text: string): number {
  const match = /([+-])(\d{2}):(\d{2})/.exec(text)
  if (match === null) return 0
  const [, sign, hours, minutes] = match
  return (sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes)) * minuteMs
}
