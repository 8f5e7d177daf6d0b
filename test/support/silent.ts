import { pino } from 'pino'

/** A log for tests: it says nothing. */
export const silent = pino({ level: 'silent' })
