import type { Schedule } from '../strategy/index.ts'
import type { Missed } from './course.ts'
import { slots } from './slots.ts'

/** Counting further would hold up the process: this many slots of a calendar take 40 ms. */
const countMax = 1_000

/** The slots after `after`, up to the slot `to`, as one run. Beyond a thousand it only says that there were so many. */
export function missedRun(
  schedule: Schedule,
  { after, to }: { readonly after: number; readonly to: number },
): Missed {
  const ahead = slots(schedule, after)
  const from = ahead.next().value
  let [last, count] = [from, 1]
  for (; last < to && count < countMax; count += 1) last = ahead.next().value
  return { from, to, count, exact: last === to }
}
