import { vi } from 'vitest'

/**
 * Deadlines of this process pass when the test says so, not when a machine is slow: until the mocks are restored,
 * `AbortSignal.timeout` gives signals that are held.
 */
export function heldDeadlines() {
  let held: { readonly milliseconds: number; readonly end: AbortController }[] = []
  vi.spyOn(AbortSignal, 'timeout').mockImplementation((milliseconds) => {
    const end = new AbortController()
    held.push({ milliseconds, end })
    return end.signal
  })
  return {
    /** The lengths of those that were set and have not passed. */
    lengths: (): readonly number[] => held.map(({ milliseconds }) => milliseconds),
    /** Lets every one of this length pass. */
    pass(length: number): void {
      const due = held.filter(({ milliseconds }) => milliseconds === length)
      held = held.filter((one) => !due.includes(one))
      for (const { end } of due) end.abort(new DOMException('The deadline passed', 'TimeoutError'))
    },
    /** Lets the newest of this length pass, and leaves the others. */
    passNewest(length: number): void {
      const due = held.findLast(({ milliseconds }) => milliseconds === length)
      if (due === undefined) throw new Error(`there is no deadline of ${length} ms`)
      held = held.filter((one) => one !== due)
      due.end.abort(new DOMException('The deadline passed', 'TimeoutError'))
    },
  }
}
