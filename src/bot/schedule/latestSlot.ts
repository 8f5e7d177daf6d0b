import type { Schedule } from '../strategy/index.ts'
import { latestSlots } from './latestSlots.ts'

/** The last slot after `after` and not after `now`; undefined when none is due. However many were missed. */
export function latestSlot(
  schedule: Schedule,
  { after, now }: { readonly after: number; readonly now: number },
): number | undefined {
  return latestSlots(schedule, { after, until: now, count: 1 })[0]
}
