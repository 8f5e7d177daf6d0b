import type { Cron } from '../../bot/strategy/index.ts'

/** Names a calendar: slots of another one are not its own. */
export const calendarOf = ({ expression, timeZone }: Cron): string => `${expression} ${timeZone}`
