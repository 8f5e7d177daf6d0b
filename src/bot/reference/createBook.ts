import type { OrderPair } from '../../api/orderbook.ts'
import type { Clock } from '../../core/clock.ts'

/** The order book of one chain at one service. */
export type Book = {
  /** Scheme and host, safe to print. */
  readonly label: string
  /** Of the quoting service itself: its own word, which must agree and proves nothing. */
  readonly own: boolean
  /** `askedAt` is in milliseconds since the epoch. Throws what the service's client throws. */
  read(): Promise<{ readonly rows: readonly OrderPair[]; readonly askedAt: number }>
}

/** Several pairs of one appraisal are one question; a second later it is asked again. */
const keptMsMax = 1_000

/** Asks for a book once for all who want it at the same moment. A failure is not kept. */
export function createBook({
  label,
  own,
  fetch,
  clock,
}: {
  label: string
  own: boolean
  fetch: () => Promise<readonly OrderPair[]>
  clock: Clock
}): Book {
  let last: { readonly askedAt: number; readonly rows: Promise<readonly OrderPair[]> } | undefined
  return {
    label,
    own,
    async read() {
      const now = clock.now()
      if (last === undefined || now - last.askedAt > keptMsMax)
        last = { askedAt: now, rows: fetch() }
      const mine = last
      try {
        return { rows: await mine.rows, askedAt: mine.askedAt }
      } catch (error) {
        if (last === mine) last = undefined
        throw error
      }
    },
  }
}
