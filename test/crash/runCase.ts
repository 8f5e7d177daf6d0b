import type { Fault } from './fault.ts'
import { type Dialect, type Ending, openCase, type Sells } from './openCase.ts'
import type { Field } from './openField.ts'

/** One death: which fault, what is sold, and at which steps the process and the one after it die. 0 is nowhere, a text a label. */
export type Case = {
  readonly fault: Fault
  readonly sells: Sells
  readonly dialect: Dialect
  readonly at: number | string
  readonly recoveryAt: number
}

export type Verdict = Ending & {
  readonly ms: number
  /** Every step of the first process when it was left alone. */
  readonly steps: readonly string[]
}

/** Lets one process trade once and die, lets others recover, and compares what is left with the chain. */
export async function runCase(field: Field, one: Case): Promise<Verdict> {
  const since = performance.now()
  const open = await openCase(field, one)
  const first = open.startEager({ CRASH_AT: String(one.at) })
  await open.watch(first)
  const steps = one.at === 0 ? open.steps() : []
  if (one.at === 0) open.forgetSteps()
  first.child.kill('SIGKILL')
  await first.ended
  await one.fault.afterDeath?.(field.scene)
  const ending = await open.end(await open.recover(one.recoveryAt))
  return { ...ending, steps, ms: Math.round(performance.now() - since) }
}
