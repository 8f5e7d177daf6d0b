import { type Plan, type Planned, pass } from '../stages.ts'
import type { Bounds } from './checkPlan.ts'
import { screen } from './screen.ts'

/** Turns an intent with its surroundings into a plan that policy allows. Throws before anybody is asked for a quote. */
export function draft(plan: Plan, bounds: Bounds): Planned {
  screen(plan, bounds)
  return pass<Planned>(plan)
}
