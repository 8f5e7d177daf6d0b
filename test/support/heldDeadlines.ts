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
    /** Lets every one of at most this length pass. */
    pass(atMost: number): void {
      const due = held.filter(({ milliseconds }) => milliseconds <= atMost)
      held = held.filter((one) => !due.includes(one))
      for (const { end } of due) end.abort(new DOMException('The deadline passed', 'TimeoutError'))
    },
  }
}
