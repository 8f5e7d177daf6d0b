import { columns } from './columns.ts'
import type { Export } from './exports.ts'

/** Decisions read at a time: each has its whole context. */
const page = 200

/** Every decision in the order in which they were made, with what was seen and decided as JSON. */
export const decisionRows: Export = {
  columns: columns('number#', 'strategy', 'slot', 'at', 'decided', 'reason', 'context', 'decision'),
  async *rows({ journal, since, until }) {
    let last: { readonly at: number; readonly id: number } | undefined
    for (;;) {
      const rows = await journal.decisions.page({ after: last, limit: page, since, until })
      for (const { id, strategy, slot, at, kind, reason, context, decision } of rows)
        yield {
          number: id,
          strategy,
          slot: new Date(slot).toISOString(),
          at: new Date(at).toISOString(),
          decided: kind,
          reason,
          context,
          decision,
        }
      last = rows.at(-1)
      if (last === undefined || rows.length < page) return
    }
  },
}
