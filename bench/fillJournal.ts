import { DatabaseSync } from 'node:sqlite'
import pg from 'pg'
import { keccak256 } from 'viem'
import { chainHash } from '../src/bot/journal/log/log.ts'
import type { Database } from '../src/bot/journal/store/database.ts'
import { unpacked } from '../src/bot/journal/store/packed.ts'
import { writePlan } from '../src/bot/journal/store/text.ts'
import { samplePlan, usdc, wallet, weth } from '../test/bot/journal/sampleSwap.ts'

/** Of the newest swap: the one before it is five minutes older, and so on. */
export const lastFilledAt = 1_800_000_000_000

/** Entries of the log that a settled swap leaves. */
const entries = ['PLANNED', 'VERIFIED', 'SIGNED', 'SENT', 'INCLUDED', 'SETTLED']

/** The end of the log is chained as it should be; what came before is only as long as it should be. */
const chained = 300

const other = '0x00000000000000000000000000000000000000bb'

/**
 * Fills an empty journal with so many settled swaps of one wallet and one strategy, a decision for each, and one swap
 * of another wallet that is signed and waits.
 */
export async function fillJournal(database: Database, rows: number): Promise<void> {
  const sql = await connect(database)
  try {
    await fill(sql, rows)
    // As the server does by itself after a while; a file never has these figures.
    if (database.dialect === 'postgres') await sql.run('ANALYZE')
  } finally {
    await sql.close()
  }
}

async function fill(sql: Awaited<ReturnType<typeof connect>>, rows: number): Promise<void> {
  for (const statement of statements(rows)) await sql.run(statement)
  const count = rows * entries.length + 1
  const tail = await sql.rows(
    `SELECT seq, swap_id, at, type, facts FROM event WHERE seq > ${count - chained} ORDER BY seq`,
  )
  let prev = '0'.repeat(64)
  for (const row of tail) {
    // A server has bytes here.
    const facts = typeof row.facts === 'string' ? row.facts : unpacked(row.facts)
    const entry = { ...row, facts, seq: Number(row.seq), at: Number(row.at) }
    const hash = chainHash(prev, entry)
    await sql.run(`UPDATE event SET prev = '${prev}', hash = '${hash}' WHERE seq = ${entry.seq}`)
    prev = hash
  }
}

function statements(rows: number): readonly string[] {
  const numbers = `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${rows})`
  const at = `${lastFilledAt} - (${rows} - i) * CAST(300000 AS bigint)`
  const plan = writePlan(samplePlan())
  const text = (length: number) => `'{"a":"${'x'.repeat(length)}"}'`
  const raw = '0x02'
  const transaction =
    '{"to":"0x","data":"0x","value":"0","gas":"1","maxFeePerGas":"1","maxPriorityFeePerGas":"1","chainId":31337,"nonce":5}'
  return [
    `INSERT INTO wallet (chain_id, address, next_nonce) VALUES (31337, '${wallet}', 0)`,
    `${numbers} INSERT INTO swap (id, key, strategy, chain_id, wallet, plan, sell_token, buy_token, amount_in, state,
       version, nonce, deadline, signed_at, included_hash, included_block, included_block_hash, sold, received,
       gas_used, gas_paid, agrees, short, created_at, updated_at)
     SELECT 'seed-' || i, 'seed-key-' || i, 'test', 31337, '${wallet}', '${plan}', '${weth.address}', '${usdc.address}',
       '1000000000000000000', 'SETTLED', 6, 1000000 + i, 1000, ${at}, '0xseed' || i, 7, '0xblock', '1000000000000000000',
       '3000', '100', '300', 1, 0, ${at}, ${at} FROM n`,
    `${numbers} INSERT INTO quote (swap_id, chain_id, router, quote_id, "authorization", deadline, amount_out, minimum,
       body, checks, simulation)
     SELECT 'seed-' || i, 31337, '0x${'3'.repeat(40)}', '0xseed' || i, '0x4', 1000, '3000', '2990',
       ${text(400)}, '[]', '{}' FROM n`,
    `${numbers} INSERT INTO attempt (hash, swap_id, kind, chain_id, wallet, nonce, raw, "transaction", created_at,
       sent_at_block, answer, verdict)
     SELECT '0xseed' || i, 'seed-' || i, 'SWAP', 31337, '${wallet}', 1000000 + i, ${text(300)}, '${transaction}', ${at},
       1, '', 'accepted' FROM n`,
    ...entries.map(
      (type, nth) => `${numbers} INSERT INTO event (seq, swap_id, at, type, facts, prev, hash)
       SELECT (i - 1) * ${entries.length} + ${nth + 1}, 'seed-' || i, ${at}, '${type}', ${text(150)}, '${'1'.repeat(64)}',
         '${'2'.repeat(64)}' FROM n`,
    ),
    `${numbers} INSERT INTO decision (id, strategy, slot, at, kind, reason, context, decision)
     SELECT i, 'test', i, ${at}, 'wait', 'x', '{"indications":[]}', '{}' FROM n`,
    // What an identity would give next: a file counts by itself.
    `INSERT INTO swap (id, key, strategy, chain_id, wallet, plan, sell_token, amount_in, state, version, nonce, deadline,
       created_at, updated_at)
     VALUES ('waiting', 'waiting', 'other', 31337, '${other}', '${plan}', '${weth.address}', '1', 'SIGNED', 3, 5, 1000,
       ${lastFilledAt}, ${lastFilledAt})`,
    `INSERT INTO attempt (hash, swap_id, kind, chain_id, wallet, nonce, raw, "transaction", created_at)
     VALUES ('${keccak256(raw)}', 'waiting', 'SWAP', 31337, '${other}', 5, '${raw}',
       '${transaction}',
       ${lastFilledAt})`,
    `INSERT INTO event (seq, swap_id, at, type, facts, prev, hash)
     VALUES (${rows * entries.length + 1}, 'waiting', ${lastFilledAt}, 'SIGNED', '{}', '', '')`,
    `INSERT INTO allowance (chain_id, wallet, token, spender, wei, swap_id, at)
     VALUES (31337, '${wallet}', '${weth.address}', '0x${'3'.repeat(40)}', '0', 'seed-1', ${lastFilledAt})`,
    `INSERT INTO baseline (chain_id, wallet, token, wei, seq, at)
     VALUES (31337, '${wallet}', '${weth.address}', '0', ${rows * entries.length + 1}, ${lastFilledAt})`,
  ]
}

type Row = { seq: number; swap_id: string; at: number; type: string; facts: string | Uint8Array }

async function connect(database: Database) {
  if (database.dialect === 'sqlite') {
    const file = new DatabaseSync(database.path)
    file.exec('PRAGMA synchronous = OFF; PRAGMA cache_size = -500000')
    return {
      run: async (sql: string) => file.exec(sql),
      rows: async (sql: string) => file.prepare(sql).all() as Row[],
      close: async () => file.close(),
    }
  }
  const client = new pg.Client({ connectionString: database.url.reveal() })
  // What ends the connection fails the statement.
  client.on('error', () => {})
  await client.connect()
  await client.query('SET synchronous_commit = off')
  return {
    run: async (sql: string) => void (await client.query(sql)),
    rows: async (sql: string) => (await client.query<Row>(sql)).rows,
    close: () => client.end(),
  }
}
