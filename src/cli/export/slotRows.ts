import { columns } from './columns.ts'
import type { Export } from './exports.ts'

/** Slots read at a time. */
const page = 1_000

/** Every calendar slot that is over, strategy by strategy in the order they were due. */
export const slotRows: Export = {
  columns: columns('strategy', 'slot', 'upto', 'slots#', 'state', 'reason', 'at'),
  async *rows({ journal, since, until }) {
    let last: { readonly strategy: string; readonly slot: number } | undefined
    for (;;) {
      const rows = await journal.slots.page({ after: last, limit: page, since, until })
      for (const { strategy, slot, upto, slots, state, reason, at } of rows)
        yield {
          strategy,
          slot: new Date(slot).toISOString(),
          upto: new Date(upto).toISOString(),
          slots,
          state,
          reason,
          at: new Date(at).toISOString(),
        }
      last = rows.at(-1)
      if (last === undefined || rows.length < page) return
    }
  },
}
