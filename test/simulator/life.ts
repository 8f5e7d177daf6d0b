import type { Scheduler } from './scheduler.ts'

/** One process, from its start to its end. Nothing that it waits for arrives once it is dead. */
export type Life = {
  readonly dead: boolean
  /** Ends it, here and now. */
  kill(why: string): void
  /** Lets it stand still for so long: nothing arrives, and it does nothing. */
  pause(milliseconds: number, onWake?: () => void): void
  /** Resolves when it does not stand still any more; undefined where it does not. */
  awake(): Promise<void> | undefined
  /** Resolves with what `work` gives after a while; `work` is done at once unless it is `late`. */
  port<result>(
    what: string,
    delay: { readonly ms: number; readonly late?: boolean },
    work: () => result,
  ): Promise<result>
  /** Of a promise that resolves by itself: nothing comes of it once the process is dead. */
  guard<result>(promise: Promise<result>): Promise<result>
}

const never = new Promise<never>(() => {})

export function createLife({
  scheduler,
  onPort,
  onDeath,
}: {
  scheduler: Scheduler
  /** Told of each port before and after it took effect; may kill. */
  onPort: (life: Life, what: string, moment: 'before' | 'after') => void
  onDeath: (why: string) => void
}): Life {
  let dead = false
  /** What arrived while it stands still. */
  let held: (() => void)[] | undefined
  const whenAwake = (run: () => void) => {
    if (dead) return
    if (held === undefined) run()
    else held.push(run)
  }
  const life: Life = {
    get dead() {
      return dead
    },
    kill(why) {
      if (dead) return
      dead = true
      onDeath(why)
    },
    pause(milliseconds, onWake = () => {}) {
      if (dead || held !== undefined) return
      held = []
      scheduler.after(milliseconds, () => {
        const waiting = held ?? []
        held = undefined
        if (!dead) onWake()
        // One of them may put it to sleep again.
        for (const run of waiting) whenAwake(run)
      })
    },
    awake: () => (held === undefined ? undefined : new Promise((resolve) => whenAwake(resolve))),
    port(what, { ms, late = false }, work) {
      if (dead) return never
      onPort(life, what, 'before')
      if (dead) return never
      return new Promise((resolve, reject) => {
        const settle = () => {
          try {
            const result = work()
            return () => resolve(result)
          } catch (error) {
            return () => reject(error)
          }
        }
        whenAwake(() => {
          let answer = late ? undefined : settle()
          scheduler.after(ms, () =>
            whenAwake(() => {
              answer ??= settle()
              onPort(life, what, 'after')
              whenAwake(answer)
            }),
          )
        })
      })
    },
    guard: (promise) =>
      new Promise((resolve, reject) => {
        promise.then(
          (result) => whenAwake(() => resolve(result)),
          (error) => whenAwake(() => reject(error)),
        )
      }),
  }
  return life
}
