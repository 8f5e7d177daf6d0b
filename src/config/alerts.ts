import { asWritten } from '../core/display.ts'
import { timeZoneName } from './file/codecs.ts'
import { key, reject, section, text } from './file/field.ts'

/** A time of day, in minutes since midnight. */
const timeForm = /^([01]\d|2[0-3]):([0-5]\d)$/

function readTime(written: string, example: string): number {
  const [, hours, minutes] = timeForm.exec(written) ?? []
  if (hours === undefined || minutes === undefined)
    reject(`${asWritten(written)} is not a time: write for example '${example}'.`)
  return Number(hours) * 60 + Number(minutes)
}

const showTime = (minute: number) =>
  [Math.floor(minute / 60), minute % 60].map((part) => String(part).padStart(2, '0')).join(':')

const quiet = text(
  (written) => {
    const example = '22:00-07:00'
    const times = written.split('-')
    const [from = '', to = ''] = times
    if (times.length !== 2 || from === to)
      reject(`${asWritten(written)} is no part of a day: write for example '${example}'.`)
    return { from: readTime(from, example), to: readTime(to, example) }
  },
  {
    example: '22:00-07:00',
    form: 'Two times of day, over midnight as well.',
    encode: ({ from, to }) => `${showTime(from)}-${showTime(to)}`,
    pattern: String.raw`^\d{2}:\d{2}-\d{2}:\d{2}$`,
  },
)

const timeOfDay = text((written) => readTime(written, '08:00'), {
  example: '08:00',
  form: 'A time of day.',
  encode: showTime,
  pattern: String.raw`^\d{2}:\d{2}$`,
})

/** `alerts:` — when people are told. Who is told stands in the environment. */
export const alertsSection = section(
  {
    quiet: key(
      quiet.optional(),
      'When only what is critical is sent; the rest waits for the end. Without it, never.',
    ),
    digest: key(
      timeOfDay.optional(),
      'When one message a day sums up the day before. Without it there is none.',
    ),
    timeZone: key(timeZoneName.prefault('UTC'), 'The zone of both times.'),
  },
  '{ quiet: 22:00-07:00, digest: 08:00, timeZone: Europe/Berlin }',
).prefault({})
