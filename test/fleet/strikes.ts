import { setTimeout as delay } from 'node:timers/promises'
import type { createRandom } from '../simulator/random.ts'
import type { Fleet, Process } from './openFleet.ts'

type Random = ReturnType<typeof createRandom>

/** Longer than a lease: the wallets of a process that stands still so long are another's when it goes on. */
const stillMs = [3_000, 25_000] as const

/**
 * What happens to a process of a fleet, by its name: each returns when it is over. A process that is gone is started
 * again, as its supervisor would.
 */
export const strikes = {
  async kill(_fleet, { running }) {
    running.child.kill('SIGKILL')
    await running.ended
  },
  async stop(_fleet, { running }) {
    running.child.kill('SIGTERM')
    await running.ended
  },
  async stand(_fleet, { running }, random) {
    running.child.kill('SIGSTOP')
    await delay(random.between(...stillMs))
    running.child.kill('SIGCONT')
  },
  /** Its next commit never arrives, or is done and nobody hears of it. */
  async reset(_fleet, { proxy }, random) {
    proxy.cutNext(random.chance(0.5) ? 'before' : 'after')
  },
  /** The server answers it nothing for a while. */
  async cutOff(_fleet, { proxy }, random) {
    proxy.cutOff()
    await delay(random.between(500, 20_000))
    proxy.back()
  },
} as const satisfies Readonly<
  Record<string, (fleet: Fleet, process: Process, random: Random) => Promise<void>>
>

export type Strike = keyof typeof strikes

/** Starts again what is gone; returns the number. A process that ends by itself is started again as well. */
export function restartEnded(fleet: Fleet): number {
  const gone = fleet.processes.filter(
    ({ running: { child } }) => child.exitCode !== null || child.signalCode !== null,
  )
  for (const process of gone) fleet.restart(process)
  return gone.length
}
