import type { Scheduler } from './scheduler.ts'

/** One process, from its start to its end. Nothing that it waits for arrives once it is dead. */
export type Life = {
  readonly dead: boolean
  /** Ends it, here and now. */
  kill(why: string): void
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
  const life: Life = {
    get dead() {
      return dead
    },
    kill(why) {
      if (dead) return
      dead = true
      onDeath(why)
    },
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
        let answer = late ? undefined : settle()
        scheduler.after(ms, () => {
          if (dead) return
          answer ??= settle()
          onPort(life, what, 'after')
          if (!dead) answer()
        })
      })
    },
    guard: (promise) =>
      new Promise((resolve, reject) => {
        promise.then(
          (result) => {
            if (!dead) resolve(result)
          },
          (error) => {
            if (!dead) reject(error)
          },
        )
      }),
  }
  return life
}
