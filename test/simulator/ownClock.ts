import type { Scheduler } from './scheduler.ts'

/** What a machine takes for the time that has passed. */
export type OwnClock = {
  elapsed(): number
  /** Whether what it shows is never less than what has passed. */
  readonly isTrue: boolean
  /** Falls behind by so much; leaps ahead by less than nothing. */
  lose(milliseconds: number): void
  /** Shows the same for so long, while the machine works. */
  stop(milliseconds: number): void
}

export function createOwnClock(scheduler: Scheduler): OwnClock {
  let behind = 0
  let isTrue = true
  let stopped: { readonly at: number; readonly until: number } | undefined
  const lose = (milliseconds: number) => {
    behind += milliseconds
    if (milliseconds > 0) isTrue = false
  }
  const settle = () => {
    if (stopped === undefined || scheduler.now() < stopped.until) return
    lose(stopped.until - stopped.at)
    stopped = undefined
  }
  return {
    elapsed() {
      settle()
      return (stopped?.at ?? scheduler.now()) - behind
    },
    get isTrue() {
      return isTrue && stopped === undefined
    },
    lose,
    stop(milliseconds) {
      settle()
      isTrue = false
      stopped ??= { at: scheduler.now(), until: scheduler.now() + milliseconds }
    },
  }
}
