import type { Kysely } from 'kysely'
import type { Books } from '../books.ts'
import { adoption } from './adoption.ts'
import { verifyAudit } from './audit.ts'
import { bookedAllowances } from './bookedAllowances.ts'
import { bookedNonces } from './bookedNonces.ts'
import { bookedSwaps } from './bookedSwaps.ts'
import { acceptedBreaks } from './brokenBooks.ts'
import { newestBlock } from './newestBlock.ts'
import { quoteEvents } from './quoteEvents.ts'
import type { Tables } from './tables.ts'
import { taken } from './taken.ts'

/** The journal as {@link Books}: what is compared with the chain, and nothing that could change it. */
export function books(db: Kysely<Tables>, now: () => number): Books {
  return {
    swaps: (scope, page) => bookedSwaps(db, { ...scope, ...page }),
    quoteEvents: (scope, page) => quoteEvents(db, { ...scope, ...page }),
    nonces: (scope, range) => bookedNonces(db, { ...scope, ...range }),
    newestBlock: (scope) => newestBlock(db, scope),
    adoption: (scope) => adoption(db, scope),
    allowances: (scope) => bookedAllowances(db, scope),
    taken: (scope) => taken(db, { ...scope, at: now() }),
    accepted: (scope) => acceptedBreaks(db, scope),
    async logDefects() {
      const { count, head, broken, locks, swaps } = await verifyAudit(db, {
        wanted: undefined,
        at: now(),
      })
      const defects = [
        ...(broken === undefined ? [] : [`entry ${broken.seq}: ${broken.why}`]),
        ...locks.map(({ lock, why }) => `lock ${lock.id}: ${why}`),
        ...swaps.map(({ swapId, why }) => `swap ${swapId}: ${why}`),
      ]
      return { entries: count, head, defects }
    },
  }
}
