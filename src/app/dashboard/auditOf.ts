import { isoText } from '../../core/isoText.ts'
import type { AuditView } from '../../dashboard/views.ts'
import type { Served } from './served.ts'

/** Entries of a page. */
const entriesMax = 50

/** The end of the log, a page of it, and the last comparison with the chain that found all in order. */
export async function auditOf(
  { journal, config: { chain, wallet } }: Pick<Served, 'journal' | 'config'>,
  before: number | undefined,
): Promise<AuditView> {
  const head = await journal.log.lastEntry()
  // One more than is shown: it is what the last of them follows.
  const read = await journal.log.newest({ limit: entriesMax + 1, before })
  const mark = await journal.reconciliation.mark({
    ...{ chainId: chain.chainId, wallet: wallet.address, since: 0 },
  })
  const shown = read.slice(0, entriesMax)
  return {
    head,
    entries: shown.map(({ seq, at, type, of, hash, prev }, index) => {
      const earlier = read[index + 1]
      return {
        ...{ seq, at: isoText(at), type, of, hash },
        follows: earlier === undefined ? null : earlier.hash === prev,
      }
    }),
    older: read.length > entriesMax ? (shown.at(-1)?.seq ?? null) : null,
    reconciled:
      mark === undefined ? null : { at: isoText(mark.at), block: mark.block, seq: mark.seq },
  }
}
