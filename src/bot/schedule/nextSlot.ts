import type { Schedule } from '../strategy/index.ts'
import { slots } from './slots.ts'

/**
 * The first slot strictly after an instant, in milliseconds since the epoch.
 *
 * A daily slot in the hour that summer time skips comes one hour later; in the hour that is repeated it comes once,
 * the first time.
 */
export function nextSlot(schedule: Schedule, after: number): number {
  return slots(schedule, after).next().value
}
