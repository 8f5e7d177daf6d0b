/** The clocks of one IANA time zone. Instants and offsets are milliseconds. */
export type Zone = {
  readonly name: string
  /** What its clocks are ahead of UTC. */
  offsetAt(at: number): number
  /** `Mon 4 Jan 2027 09:00 +01:00`; seconds only where there are some. */
  show(at: number): string
  /** Changes of its clocks after `from` and not after `until`, in order. */
  changes(window: { readonly from: number; readonly until: number }): readonly ClockChange[]
}

/** From `at` on its clocks are `after` ahead of UTC, `before` until then. */
export type ClockChange = { readonly at: number; readonly before: number; readonly after: number }

const dayMs = 86_400_000
const minuteMs = 60_000

/** Knows what the clocks of a zone show, and when they are changed. */
export function createZone(name: string): Zone {
  const format = new Intl.DateTimeFormat('en-GB', { timeZone: name, timeZoneName: 'longOffset' })
  // Asking Intl is what takes time, and a schedule asks about the same days again and again.
  const known = new Map<number, number>()
  const ask = (at: number) => {
    const part = format.formatToParts(at).find(({ type }) => type === 'timeZoneName')
    return offsetIn(part?.value ?? '')
  }
  const offsetAt = (at: number): number => {
    // No zone has changed its clocks at another instant than a full minute.
    const minute = Math.floor(at / minuteMs)
    const found = known.get(minute) ?? ask(at)
    known.set(minute, found)
    return found
  }
  return {
    name,
    offsetAt,
    show: (at) => textOf(at, offsetAt(at)),
    changes({ from, until }) {
      const found: ClockChange[] = []
      for (let start = from; start < until; start += dayMs) {
        const end = Math.min(start + dayMs, until)
        if (offsetAt(start) !== offsetAt(end)) found.push(changeBetween({ start, end, offsetAt }))
      }
      return found
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

function changeBetween({
  start,
  end,
  offsetAt,
}: {
  start: number
  end: number
  offsetAt: (at: number) => number
}): ClockChange {
  const [before, after] = [offsetAt(start), offsetAt(end)]
  let [low, high] = [Math.floor(start / minuteMs), Math.ceil(end / minuteMs)]
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2)
    if (offsetAt(middle * minuteMs) === before) low = middle
    else high = middle
  }
  return { at: high * minuteMs, before, after }
}

const days = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat']
const months = 'Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec'.split(' ')

function textOf(at: number, offset: number): string {
  const wall = new Date(at + offset)
  const two = (value: number) => String(value).padStart(2, '0')
  const seconds = wall.getUTCSeconds() === 0 ? '' : `:${two(wall.getUTCSeconds())}`
  const date = `${days[wall.getUTCDay()]} ${wall.getUTCDate()} ${months[wall.getUTCMonth()]} ${wall.getUTCFullYear()}`
  const ahead = Math.abs(offset) / minuteMs
  const sign = offset < 0 ? '-' : '+'
  return `${date} ${two(wall.getUTCHours())}:${two(wall.getUTCMinutes())}${seconds} ${sign}${two(Math.floor(ahead / 60))}:${two(ahead % 60)}`
}
