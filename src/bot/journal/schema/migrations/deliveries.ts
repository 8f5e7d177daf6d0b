import { type Kysely, sql } from 'kysely'
import type { Migration } from 'kysely/migration'

/** Each channel takes an event by itself. Until now there was one, the webhook. */
export const deliveries: Migration = {
  async up(db: Kysely<never>) {
    await sql`
      CREATE TABLE alert_delivery (
        alert_id text NOT NULL,
        channel text NOT NULL,
        tries integer NOT NULL,
        next_at bigint NOT NULL,
        delivered_at bigint,
        PRIMARY KEY (alert_id, channel)
      )`.execute(db)
    await sql`INSERT INTO alert_delivery (alert_id, channel, tries, next_at, delivered_at)
      SELECT id, 'webhook', tries, next_at, delivered_at FROM alert`.execute(db)
    await sql`CREATE INDEX alert_delivery_waiting ON alert_delivery (channel) WHERE delivered_at IS NULL`.execute(
      db,
    )
    await sql`DROP INDEX alert_waiting`.execute(db)
    for (const column of ['event', 'tries', 'next_at', 'delivered_at'])
      await sql`ALTER TABLE alert DROP COLUMN ${sql.ref(column)}`.execute(db)
    await sql`ALTER TABLE alert ADD COLUMN severity text NOT NULL DEFAULT 'warning'`.execute(db)
    await sql`CREATE INDEX alert_by_topic ON alert (topic, at)`.execute(db)
  },
}
