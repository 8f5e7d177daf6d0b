import { type Kysely, sql } from 'kysely'
import type { Migration } from 'kysely/migration'
import { type ChainedEntry, genesis, chainHash } from '../chain.ts'

/** Rows read at a time. */
const page = 1_000

/** Chains the event log; what an older version wrote is chained as it is found. */
export const audit: Migration = {
  async up(db: Kysely<never>) {
    await sql`ALTER TABLE event ADD COLUMN prev text NOT NULL DEFAULT ''`.execute(db)
    await sql`ALTER TABLE event ADD COLUMN hash text NOT NULL DEFAULT ''`.execute(db)
    let prev = genesis
    let last = 0
    for (;;) {
      const { rows } = await sql<ChainedEntry>`
        SELECT seq, swap_id, at, type, facts FROM event WHERE seq > ${last} ORDER BY seq LIMIT ${page}`.execute(
        db,
      )
      for (const entry of rows) {
        const hash = chainHash(prev, entry)
        await sql`UPDATE event SET prev = ${prev}, hash = ${hash} WHERE seq = ${entry.seq}`.execute(
          db,
        )
        prev = hash
        last = entry.seq
      }
      if (rows.length < page) return
    }
  },
}
