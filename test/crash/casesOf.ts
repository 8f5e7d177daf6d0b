import type { Case } from './runCase.ts'

/** A fault repeats what it does: of its steps so many are died at, evenly over all of them. */
const deathsPerFault = 11
/** With nothing else wrong: every step of a swap, without and with a permit, and as many of one that needs an approval first. */
const deathsAlone = 57

/** One in so many processes that recover dies as well, somewhere on its way. */
const recoveriesPerDeath = 3
/** A start that finds one swap takes about so many steps to its first look at the market. */
const recoverySteps = 45

/**
 * The deaths of one fault, from the steps of a process that was left alone under it.
 *
 * Before the bytes are signed, a fault of the send or of a receipt has not happened yet: only one step before that is kept.
 * Where nothing else goes wrong the process dies at every single step of a swap without an approval, with a permit or without.
 */
export function casesOf(counted: Case, steps: readonly string[]): readonly Case[] {
  const { fault } = counted
  const signed = steps.findIndex((step) => step.includes('before commit of wallet'))
  const first = fault.from === 'plan' ? 1 : Math.max(1, signed + 1)
  const all = Array.from(
    { length: Math.max(0, steps.length - first + 1) },
    (_, index) => first + index,
  )
  const chosen = spread(all, fault.id === 'none' ? deathsAlone : deathsPerFault)
  return chosen.map((at, index) => ({
    ...counted,
    at,
    // Without a random number, so that a case has the same name in every run.
    recoveryAt:
      index % recoveriesPerDeath === recoveriesPerDeath - 1
        ? 1 + ((at * 17 + fault.id.length * 5) % recoverySteps)
        : 0,
  }))
}

/** So many of them, the first and the last included. */
function spread<item>(items: readonly item[], count: number): readonly item[] {
  if (items.length <= count) return items
  return Array.from({ length: count }, (_, index) => {
    const at = Math.round((index * (items.length - 1)) / (count - 1))
    return items[at] as item
  })
}
