import { type Kysely, sql } from 'kysely'
import type { Migration } from 'kysely/migration'

/** Locks are rows of their own. A halted wallet becomes one; `wallet.halted` is not read any more. */
export const locks: Migration = {
  async up(db: Kysely<never>) {
    await sql`
      CREATE TABLE lock (
        id integer PRIMARY KEY AUTOINCREMENT,
        kind text NOT NULL CHECK (kind IN ('pause', 'drain', 'halt', 'breaker')),
        scope text NOT NULL,
        code text NOT NULL,
        reason text NOT NULL,
        opened_at bigint NOT NULL,
        expires_at bigint,
        released_at bigint,
        released_reason text,
        CHECK ((released_at IS NULL) = (released_reason IS NULL)),
        CHECK (released_reason IS NULL OR trim(released_reason) <> '')
      )`.execute(db)
    await sql`CREATE INDEX live_locks ON lock (id) WHERE released_at IS NULL`.execute(db)
    await sql`
      INSERT INTO lock (kind, scope, code, reason, opened_at)
      SELECT 'halt', 'wallet ' || address,
        CASE WHEN instr(halted, ': ') > 0 THEN substr(halted, 1, instr(halted, ': ') - 1) ELSE 'HALTED' END,
        CASE WHEN instr(halted, ': ') > 0 THEN substr(halted, instr(halted, ': ') + 2) ELSE halted END,
        (SELECT coalesce(max(at), 0) FROM event)
      FROM wallet WHERE halted IS NOT NULL`.execute(db)
    await sql`UPDATE wallet SET halted = NULL`.execute(db)
  },
}
