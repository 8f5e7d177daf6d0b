import { type Plan, type Planned, pass } from '../stages.ts'
import { type Policy, screen } from './permit.ts'

/** Turns an intent with its surroundings into a plan that policy allows. Throws before anybody is asked for a quote. */
export function draft(plan: Plan, bounds: { policy: Policy; spent: bigint }): Planned {
  screen(plan, bounds)
  return pass<Planned>(plan)
}
