import type { Kysely } from 'kysely'
import type { Clock } from '../../core/clock.ts'
import type { Books, LogDefects } from '../books.ts'
import { adoption } from './adoption.ts'
import { type AuditReport, verifyLog } from './audit.ts'
import { bookedAllowances } from './bookedAllowances.ts'
import { bookedNonces } from './bookedNonces.ts'
import { bookedSwaps } from './bookedSwaps.ts'
import { acceptedBreaks } from './brokenBooks.ts'
import { cleanMark } from './cleanMark.ts'
import { newestBlock } from './newestBlock.ts'
import { quoteEvents } from './quoteEvents.ts'
import { recordedAllowances } from './recordedAllowances.ts'
import type { Tables } from './tables.ts'
import { countedSwaps } from './taken.ts'
import { verifyLogSince } from './verifySince.ts'

/** The journal as {@link Books}: what is compared with the chain, and nothing that could change it. */
export function books(db: Kysely<Tables>, clock: Clock): Books {
  const all = async () =>
    defectsOf(await verifyLog(db, { wanted: undefined, clock }), { after: 0 })
  return {
    swaps: (scope, page) => bookedSwaps(db, { ...scope, ...page }),
    quoteEvents: (scope, page) => quoteEvents(db, { ...scope, ...page }),
    nonces: (scope, range) => bookedNonces(db, { ...scope, ...range }),
    newestBlock: (scope) => newestBlock(db, scope),
    adoption: (scope) => adoption(db, scope),
    allowances: (scope) =>
      scope.since === 0 ? bookedAllowances(db, scope) : recordedAllowances(db, scope),
    taken: (scope) => countedSwaps(db, { ...scope, at: clock.now() }),
    accepted: (scope) => acceptedBreaks(db, scope),
    logDefects: all,
    async recentLogDefects(scope) {
      const mark = await cleanMark(db, scope)
      if (mark === undefined) return all()
      return defectsOf(await verifyLogSince(db, { ...scope, mark, clock }), { after: mark.seq })
    },
  }
}

const defectsOf = (
  { count, head, broken, locks, swaps }: AuditReport,
  { after }: { after: number },
): LogDefects => ({
  after,
  entries: count,
  head,
  defects: [
    ...(broken === undefined ? [] : [`entry ${broken.seq}: ${broken.why}`]),
    ...locks.map(({ lock, why }) => `lock ${lock.id}: ${why}`),
    ...swaps.map(({ swapId, why }) => `swap ${swapId}: ${why}`),
  ],
})
