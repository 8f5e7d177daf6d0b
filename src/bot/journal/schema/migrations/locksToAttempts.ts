import { type Kysely, sql } from 'kysely'
import type { Migration } from 'kysely/migration'
import { type ChainedEntry, chainHash, genesis } from '../../log/log.ts'

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

/** Wallet balances at a quiet moment, and up to which entry of the log they are explained. */
export const baseline: Migration = {
  async up(db: Kysely<never>) {
    await sql`
      CREATE TABLE baseline (
        chain_id integer NOT NULL,
        wallet text NOT NULL,
        token text NOT NULL,
        wei text NOT NULL,
        seq integer NOT NULL,
        at bigint NOT NULL,
        PRIMARY KEY (chain_id, wallet, token)
      )`.execute(db)
  },
}

/** Limits in a unit of account: what each swap is worth, and which pair it was. */
export const notional: Migration = {
  async up(db: Kysely<never>) {
    for (const column of ['buy_token', 'notional', 'notional_unit'])
      await sql`ALTER TABLE swap ADD COLUMN ${sql.ref(column)} text`.execute(db)
    await sql`CREATE INDEX spending_of_wallet ON swap (chain_id, wallet, created_at)`.execute(db)
  },
}

/** Balances moved otherwise than reported are distinguished: a stranger can add to them, only a lack is a loss. */
export const short: Migration = {
  async up(db: Kysely<never>) {
    await sql`ALTER TABLE swap ADD COLUMN short integer`.execute(db)
  },
}

/** Limits over time count from the signature: a swap may wait for its approvals longer than the limit looks back. */
export const signedAt: Migration = {
  async up(db: Kysely<never>) {
    await sql`ALTER TABLE swap ADD COLUMN signed_at bigint`.execute(db)
    await sql`UPDATE swap SET signed_at = created_at WHERE nonce IS NOT NULL`.execute(db)
    await sql`CREATE INDEX signed_by_wallet ON swap (chain_id, wallet, signed_at)`.execute(db)
  },
}

/**
 * Signed bytes may be replaced by dearer ones of the same nonce: each names the ones it replaces, and the network's
 * last answer. An allowance that an approval leaves with the router is written down until it is used or taken back.
 */
export const attempts: Migration = {
  async up(db: Kysely<never>) {
    await sql`ALTER TABLE attempt ADD COLUMN replaces text`.execute(db)
    await sql`ALTER TABLE attempt ADD COLUMN verdict text`.execute(db)
    await sql`DROP INDEX one_purpose_per_nonce`.execute(db)
    await sql`
      CREATE UNIQUE INDEX one_purpose_per_nonce ON attempt (chain_id, wallet, nonce)
      WHERE kind <> 'CANCEL' AND replaces IS NULL`.execute(db)
    await sql`DROP INDEX one_open_approval_per_wallet`.execute(db)
    await sql`
      CREATE UNIQUE INDEX one_open_approval_per_wallet ON attempt (chain_id, wallet)
      WHERE kind = 'APPROVE' AND closed_at_block IS NULL AND replaces IS NULL`.execute(db)
    await sql`CREATE UNIQUE INDEX replaced_once ON attempt (replaces) WHERE replaces IS NOT NULL`.execute(
      db,
    )
    await sql`
      CREATE TABLE allowance (
        chain_id integer NOT NULL,
        wallet text NOT NULL,
        token text NOT NULL,
        spender text NOT NULL,
        wei text NOT NULL,
        swap_id text NOT NULL REFERENCES swap (id),
        at bigint NOT NULL,
        PRIMARY KEY (chain_id, wallet, token, spender)
      )`.execute(db)
    await sql`ALTER TABLE wallet ADD COLUMN adopted_nonce integer`.execute(db)
  },
}
