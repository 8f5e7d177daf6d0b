import type { Course, Owed } from './course.ts'
import { retryMs } from './retryMs.ts'

/** A course that begins when something else is on record: what became of the slots of the calendar it replaces. */
export function owing(course: Course, debts: readonly Owed[]): Course {
  if (debts.length === 0) return course
  let left = debts
  let notBefore = Number.NEGATIVE_INFINITY
  return {
    ...course,
    at: () => (left.length === 0 ? course.at() : notBefore),
    missed: (now) => left[0] ?? course.missed(now),
    recorded(owed) {
      if (left.length === 0) course.recorded(owed)
      left = left.slice(1)
    },
    putOff(now) {
      course.putOff(now)
      notBefore = now + retryMs(1)
    },
    setBack(now) {
      course.setBack(now)
      notBefore = Math.min(notBefore, now + retryMs(1))
    },
    leave(successor, now) {
      const { after, owed } = course.leave(successor, now)
      return { after, owed: [...left, ...owed] }
    },
  }
}
