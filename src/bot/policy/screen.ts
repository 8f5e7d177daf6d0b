import { createChecklist } from '../../core/check.ts'
import { type Plan, type Planned, pass } from '../stages.ts'
import { checkPlan, type PlanBounds } from './checkPlan.ts'

/**
 * The rules before a quote is requested: an intent that policy would refuse never reaches the service. Throws Refused.
 */
export function screen(plan: Plan, bounds: PlanBounds): void {
  const checks = createChecklist('policy')
  checkPlan(plan, bounds, checks)
  checks.conclude()
}

/** Turns an intent with its surroundings into a plan that policy allows. Throws before any quote is requested. */
export function draft(plan: Plan, bounds: PlanBounds): Planned {
  screen(plan, bounds)
  return pass<Planned>(plan)
}
