import type { Fields, GroupOf, Rules } from './fields.ts'
import type { Cron } from './strategy.ts'

const keys = ({ required, optional, ...kinds }: Fields) => ({
  cron: required(kinds.cron, {
    doc: 'Minute, hour, day of month, month and day of week of each slot. A slot is its UTC instant and is bought at most once, over restarts and changes of summer time: a time that comes twice counts the first time, one that is left out comes as much later. With every hour, slots go by time itself.',
    example: '0 9 * * 1',
  }),
  timeZone: required(kinds.timeZone, {
    doc: 'The time zone of the calendar.',
    example: 'Europe/Berlin',
  }),
  missed: optional(kinds.missed, {
    doc: 'How many slots that passed while the bot did not run are made up for, oldest first. Or skip, or up to 3.',
    example: 'once',
    default: { words: 'skip' },
  }),
  late: optional(kinds.seconds, {
    doc: 'How long a slot stays open.',
    example: '2h',
    default: 3_600,
  }),
  jitter: optional(kinds.seconds, {
    doc: 'Each slot comes up to this much later, always the same for one slot.',
    example: '10m',
  }),
  start: optional(kinds.instant, { doc: 'Slots before are left out.', example: '2026-01-01' }),
  end: optional(kinds.instant, { doc: 'Slots from then on are left out.', example: '2036-01-01' }),
})
type Calendar = GroupOf<typeof keys>

const rules: Rules<Calendar> = {
  end: ({ start, end }) =>
    start !== undefined && end !== undefined && end <= start ? 'is not after start.' : undefined,
}

function schedule({ cron, timeZone, jitter, late, missed }: Calendar): Cron {
  return { kind: 'cron', expression: cron, timeZone, jitter, late, makeUp: missed }
}

/** Why a slot is left out: it is before the start, or not before the end. Undefined where it is not left out. */
function leftOut({ start, end }: Calendar, slot: number): string | undefined {
  if (start !== undefined && slot < start) return `Starts at ${showInstant(start)}.`
  if (end !== undefined && slot >= end) return `Ended at ${showInstant(end)}.`
  return undefined
}

/** Slots of a calendar between two instants: keys, rules, the schedule, and why a slot is left out. */
export const calendar = { keys, rules, schedule, leftOut }

/** `2026-12-31T09:00:00.000Z` */
export const showInstant = (at: number): string => new Date(at).toISOString()
