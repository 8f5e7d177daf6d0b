import { slotTriesMax } from '../bot/schedule/timetable.ts'

/** The progress of one slot. */
export type SlotProgress = {
  readonly settled: number
  /** Whether one is not decided yet. */
  readonly open: boolean
  /** The swaps of the last try: those that it began, and those that it only decided on before it was stopped. */
  readonly planned: number
  /** The number of tries at the slot. */
  readonly tries: number
  /** The tries of them that the quoting service answered. */
  readonly answered: number
}

/** How a slot ended, and why. */
export type SlotEnd = {
  readonly state: 'done' | 'passed' | 'failed'
  readonly reason: string
}

/**
 * A slot is over after a settled swap, or after it was begun {@link slotTriesMax} times in vain. A try without an
 * answer of the quoting service uses up nothing: the slot waits for one while it is open. Where only some of its
 * swaps settled it failed: the others are not tried again, and a person is told.
 */
export function slotEnd(
  { settled, open, planned, tries, answered }: SlotProgress,
  decided = 0,
): SlotEnd | undefined {
  if (open || (settled === 0 && answered < slotTriesMax)) return undefined
  if (settled === 0)
    return { state: 'failed', reason: `Begun ${tries} times, and nothing settled.` }
  const wanted = Math.max(decided, planned)
  if (settled < wanted) return { state: 'failed', reason: `${settled} of ${wanted} swaps settled.` }
  return { state: 'done', reason: `${settled} swaps settled.` }
}
