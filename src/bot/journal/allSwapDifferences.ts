import type { Kysely } from 'kysely'
import type { Clock } from '../../core/clock.ts'
import { type SwapDifference, swapDifferences, swapsPerPage } from './swapDifferences.ts'
import type { Tables } from './tables.ts'

/** {@link swapDifferences} of every swap in the table, a page at a time: others have their turn in between. */
export async function allSwapDifferences(
  db: Kysely<Tables>,
  clock: Clock,
): Promise<readonly SwapDifference[]> {
  const differences: SwapDifference[] = []
  for (let last = ''; ; ) {
    const rows = await db
      .selectFrom('swap')
      .select('id')
      .where('id', '>', last)
      .orderBy('id')
      .limit(swapsPerPage)
      .execute()
    const ids = rows.map(({ id }) => id)
    differences.push(...(await swapDifferences(db, ids)))
    last = ids.at(-1) ?? last
    if (ids.length < swapsPerPage) return differences
    await clock.sleep(1)
  }
}
