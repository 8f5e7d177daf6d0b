import { expect } from 'vitest'
import { dueAt } from '../../../src/bot/schedule/slots.ts'
import type { Entry, Missed, MissedReason } from '../../../src/bot/schedule/timetable.ts'
import type { Cron } from '../../../src/bot/strategy/index.ts'

/** An entry, and the slots it has by another calendar than its own. */
export type Planned = {
  readonly name: string
  readonly schedule: Cron
  readonly slots: readonly number[]
}

type Fate = 'executed' | 'waited' | 'missed'

/** What is known of one entry. What is on record outlives the process; the rest does not. */
type Page = Planned & {
  readonly lateMs: number
  readonly makeUp: number
  /** The first slot without a record, as an index. */
  next: number
  /** Reckoned once: it is asked for at every step. */
  lastDue: { readonly index: number; readonly due: number } | undefined
  readonly fates: Fate[]
  isAsking: boolean
  /** The slot was asked for in this life, and is open. */
  isOpen: boolean
  isOwed: boolean
}

/**
 * Judges a schedule: every slot in order, none twice, none early, none late but those to be made up for, none missed
 * that could still be asked for, and no sleep while something is due.
 */
export function createBook(planned: readonly Planned[], from: number) {
  const pages = new Map<string, Page>(
    planned.map((one) => [
      one.name,
      {
        ...one,
        lateMs: (one.schedule.late ?? 3_600) * 1_000,
        makeUp: one.schedule.makeUp ?? 0,
        next: one.slots.findIndex((slot) => slot > from),
        lastDue: undefined,
        fates: [],
        isAsking: false,
        isOpen: false,
        isOwed: false,
      },
    ]),
  )
  // A tick that is judged wrong throws into the schedule, which takes it for a failure: so it is kept as well.
  let wrong: unknown
  const judged =
    <facts extends readonly unknown[]>(judge: (...facts: facts) => void) =>
    (...facts: facts) => {
      try {
        judge(...facts)
      } catch (error) {
        wrong ??= error
        throw error
      }
    }

  const page = (name: string): Page => {
    const found = pages.get(name)
    if (found === undefined) throw new Error(`nobody is called ${name}`)
    return found
  }
  const slotAt = ({ slots, name }: Page, index: number): number => {
    const slot = slots[index]
    if (slot === undefined) throw new Error(`the slots of ${name} have come to their end`)
    return slot
  }
  const dueOf = (one: Page, index: number) => {
    const { lastDue } = one
    if (lastDue?.index === index) return lastDue.due
    const due = dueAt(one, { slot: slotAt(one, index), following: slotAt(one, index + 1) })
    if (index === one.next) one.lastDue = { index, due }
    return due
  }
  /** How many slots behind this one are late as well: no more than those made up for are worth a look. */
  const lateBehind = (one: Page, index: number, now: number) => {
    let count = 0
    while (count <= one.makeUp && dueOf(one, index + count + 1) + one.lateMs < now) count += 1
    return count
  }
  const closes = (one: Page, fate: Fate) => {
    one.fates.push(fate)
    one.next += 1
    one.isOpen = false
  }

  return {
    /** What a start is given: the entries, each with the last slot on record. */
    entries: (): readonly Entry[] =>
      [...pages.values()].map(({ name, schedule, slots, next }) => ({
        name,
        schedule,
        after: slots[next - 1] ?? from,
      })),

    begins: judged((name: string, slot: number, now: number) => {
      const one = page(name)
      expect([name, one.isAsking, new Date(slot)]).toEqual([
        name,
        false,
        new Date(slotAt(one, one.next)),
      ])
      const due = dueOf(one, one.next)
      expect(now).toBeGreaterThanOrEqual(due)
      if (now > due + one.lateMs) expect(lateBehind(one, one.next, now)).toBeLessThan(one.makeUp)
      one.isAsking = true
    }),

    ends: judged((name: string, end: 'executed' | 'waited' | 'open') => {
      const one = page(name)
      one.isAsking = false
      if (end === 'open') one.isOpen = true
      else closes(one, end)
    }),

    misses: judged(
      (name: string, missed: Missed, { reason, now }: { reason: MissedReason; now: number }) => {
        const one = page(name)
        const last = one.slots.indexOf(missed.to)
        expect([name, one.isAsking, missed.from]).toEqual([name, false, slotAt(one, one.next)])
        expect(missed).toMatchObject({ count: last - one.next + 1, exact: true })
        const end = dueOf(one, last) + one.lateMs
        if (reason === 'not decided in time') {
          expect(now).toBeGreaterThan(end)
          expect(lateBehind(one, last, now)).toBeGreaterThanOrEqual(one.makeUp)
        } else {
          expect([missed.count, one.isOpen, now >= end]).toEqual([1, true, true])
        }
        one.isOwed = false
        while (one.next <= last) closes(one, 'missed')
      },
    ),

    failsToRecord(name: string) {
      page(name).isOwed = true
    },

    /** Nothing that is due is slept over, unless it was asked for and is to be asked for again. */
    sleeps: judged((now: number, milliseconds: number) => {
      for (const one of pages.values()) {
        if (one.isAsking || one.isOpen || one.isOwed) continue
        const due = dueOf(one, one.next)
        if (due <= now || due < now + milliseconds)
          throw new Error(`${one.name} is slept over: due ${due}, at ${now} for ${milliseconds} ms`)
      }
    }),

    dies() {
      for (const one of pages.values()) {
        one.isAsking = false
        one.isOpen = false
        one.isOwed = false
      }
    },

    /** Until when nothing is due; now, where something is under way. */
    idleUntil(now: number): number {
      let until = Number.POSITIVE_INFINITY
      for (const one of pages.values()) {
        if (one.isAsking || one.isOpen || one.isOwed) return now
        until = Math.min(until, slotAt(one, one.next))
      }
      return until
    },

    /** Every slot before this instant is on record. */
    isThrough: (to: number): boolean =>
      [...pages.values()].every((one) => slotAt(one, one.next) >= to),

    assertClean() {
      if (wrong !== undefined) throw wrong
    },

    /** What became of the slots of each entry; every one that was due is accounted for, once. */
    tally() {
      return [...pages.values()].map((one) => {
        const first = one.slots.findIndex((slot) => slot > from)
        expect(one.fates).toHaveLength(one.next - first)
        const count = (fate: Fate) => one.fates.filter((each) => each === fate).length
        return {
          name: one.name,
          slots: one.fates.length,
          executed: count('executed'),
          waited: count('waited'),
          missed: count('missed'),
        }
      })
    },
  }
}
