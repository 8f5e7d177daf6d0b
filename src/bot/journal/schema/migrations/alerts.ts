import { type Kysely, sql } from 'kysely'
import type { Migration } from 'kysely/migration'

/** What people are to be told: events in order, until each was delivered. Those that wait are found by their index. */
export const alerts: Migration = {
  async up(db: Kysely<never>) {
    await sql`
      CREATE TABLE alert (
        id text PRIMARY KEY,
        topic text NOT NULL,
        event text NOT NULL CHECK (event IN ('begun', 'ended')),
        body text NOT NULL,
        at bigint NOT NULL,
        over_at bigint,
        tries integer NOT NULL,
        next_at bigint NOT NULL,
        delivered_at bigint
      )`.execute(db)
    await sql`CREATE INDEX alert_waiting ON alert (topic, at) WHERE delivered_at IS NULL`.execute(
      db,
    )
    await sql`CREATE INDEX alert_by_time ON alert (at)`.execute(db)
    await sql`CREATE INDEX alert_open ON alert (topic) WHERE over_at IS NULL`.execute(db)
  },
}
