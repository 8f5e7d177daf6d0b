/** What a calendar asks for in words of the wall clock. */
export type WallCalendar =
  | { readonly kind: 'quarters' }
  | {
      readonly kind: 'daily'
      readonly hour: number
      readonly minute: number
      /** As `Intl` writes it in English; every day without one. */
      readonly weekday?: string
    }

const day = 86_400_000
const quarter = 15 * 60_000

/**
 * The instants of a calendar, found by reading the wall clock of the zone off `Intl`: what cron-parser is judged by, so
 * nothing of it is used. A time that summer time skips is an hour later by the wall; one that comes twice counts once.
 */
export function wallCalendar(
  calendar: WallCalendar,
  { zone, from, to }: { readonly zone: string; readonly from: number; readonly to: number },
): readonly number[] {
  const wall = wallOf(zone)
  const instants: number[] = []
  if (calendar.kind === 'quarters') {
    for (let instant = Math.ceil(from / quarter) * quarter; instant < to; instant += quarter)
      if (wall(instant).atLocal % quarter === 0) instants.push(instant)
    return instants
  }
  const { hour, minute, weekday } = calendar
  for (let midnight = Math.floor(from / day) * day - day; midnight < to + day; midnight += day) {
    const wanted = midnight + hour * 3_600_000 + minute * 60_000
    const offsets = [-day, day].map((away) => wall(wanted + away).atLocal - (wanted + away))
    const meant = offsets.map((offset) => wanted - offset).sort((one, other) => one - other)
    const shown = meant.filter((instant) => wall(instant).atLocal === wanted)
    // In the gap no instant shows it; with the offset of before, it is that much later by the wall.
    const instant = shown[0] ?? wanted - (offsets[0] ?? 0)
    if (weekday !== undefined && wall(instant).weekday !== weekday) continue
    if (instant >= from && instant < to) instants.push(instant)
  }
  return instants
}

/** Reads the wall clock: as if it showed UTC, and the day of the week. */
function wallOf(zone: string) {
  const format = new Intl.DateTimeFormat('en-US', {
    timeZone: zone,
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
    weekday: 'long',
  })
  return (instant: number) => {
    const parts = new Map(format.formatToParts(instant).map(({ type, value }) => [type, value]))
    const part = (name: Intl.DateTimeFormatPartTypes) => Number(parts.get(name))
    return {
      atLocal: Date.UTC(
        part('year'),
        part('month') - 1,
        part('day'),
        part('hour'),
        part('minute'),
        part('second'),
      ),
      weekday: parts.get('weekday') ?? '',
    }
  }
}
