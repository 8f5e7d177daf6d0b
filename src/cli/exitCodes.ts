import type { Fault } from '../core/errors.ts'

/** How the process ends for each kind of failure. Scripts depend on these numbers. */
export const exitCodes: Readonly<Record<Fault | 'done' | 'interrupted', number>> = {
  done: 0,
  internal: 1,
  usage: 2,
  refused: 3,
  upstream: 4,
  locked: 5,
  unsettled: 6,
  interrupted: 130,
}
