import { existsSync } from 'node:fs'
import { sql } from 'kysely'
import pg from 'pg'
import { type Hex, keccak256 } from 'viem'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { backUp, restore } from '../../../src/bot/journal/copies.ts'
import { holdJournal } from '../../../src/bot/journal/holdJournal.ts'
import { type Journal, openJournal } from '../../../src/bot/journal/openJournal.ts'
import { openDatabase } from '../../../src/bot/journal/schema/openDatabase.ts'
import type { ServerDatabase } from '../../../src/bot/journal/store/database.ts'
import { connectionOf } from '../../../src/bot/journal/store/postgres/openPool.ts'
import { openPostgres } from '../../../src/bot/journal/store/postgres/openPostgres.ts'
import { beginWriting } from '../../../src/bot/journal/store/postgres/takeLease.ts'
import { pass, type Signed } from '../../../src/bot/stages.ts'
import { systemClock } from '../../../src/core/clock.ts'
import { secret } from '../../../src/core/secret.ts'
import { schemaOfWallet } from '../../../src/core/walletSchema.ts'
import { startCuttingProxy } from '../../support/cuttingProxy.ts'
import { onFleetServer, type Place } from '../../support/journals.ts'
import { startPooler } from '../../support/startPooler.ts'
import { sampleBytes, samplePlan, sampleQuote, wallet } from './sampleSwap.ts'

let place: Place
let journal: Journal

beforeEach(async () => {
  place = await onFleetServer()
  journal = await openJournal({ ...place, clock: systemClock })
  await journal.wallet.adopt({ chainId: 31_337, wallet, nonceOfChain: 0 })
})
afterEach(async () => {
  await journal.shut()
  await place.remove()
})

const urlOf = ({ database }: Place) => {
  if (database.dialect !== 'postgres') throw new Error('a server has an address')
  return database.url.reveal()
}

test('[LOCAL-30] a server that lost commits in a failover: the chain knows more of the wallet, and nothing is begun', async () => {
  const planned = samplePlan()
  await journal.swaps.reserve(planned, () => {})
  await journal.attempts.commitSwap(sampleBytes(planned, 0), sampleQuote(planned))
  // The replica that took over had not heard of the last swap; its bytes were mined.
  await place.exec(`
    DELETE FROM attempt; DELETE FROM quote; DELETE FROM event; DELETE FROM swap;
    UPDATE wallet SET next_nonce = 0`)
  await expect(
    journal.wallet.adopt({ chainId: 31_337, wallet, nonceOfChain: 1 }),
  ).rejects.toMatchObject({ code: 'NONCE_FOREIGN', remedy: 'halt', fault: 'locked' })
  expect(await journal.wallet.state({ chainId: 31_337, wallet })).toEqual({ nextNonce: 0 })
})

describe('a wallet begins no second journal in its database', () => {
  const owner = { chainId: 31_337, wallet }
  const moved = `INSERT INTO lock (kind, scope, code, reason, opened_at)
    VALUES ('halt', 'all', 'JOURNAL_MIGRATED', 'a test moved it', 1)`
  const placesOf = () => {
    if (place.database.dialect !== 'postgres') throw new Error('a server has an address')
    const { url } = place.database
    const schema = schemaOfWallet({ chainId: owner.chainId, address: wallet })
    const alone = { dialect: 'postgres', url } as const
    return { alone, fleet: { ...alone, schema } as const, schema }
  }
  const hold = (database: ServerDatabase, address = wallet) =>
    holdJournal({ database, ...owner, wallet: address, stateFolder: '', clock: systemClock })
  const open = (database: ServerDatabase) => openJournal({ ...place, database, clock: systemClock })

  test('of a fleet beside the one that it has alone, also where a command has made the tables', async () => {
    const { fleet } = placesOf()
    const refused = {
      code: 'WALLET_HAS_JOURNAL',
      facts: { next: expect.stringContaining('--fleet') },
    }
    await expect(hold(fleet)).rejects.toMatchObject(refused)
    const made = await open(fleet)
    const pause = { kind: 'pause', scope: 'all', code: 'BY_OPERATOR', reason: 'a test' } as const
    await made.locks.open({ ...pause, expiresAt: undefined })
    await expect(hold(fleet)).rejects.toMatchObject(refused)
    await made.shut()
    const other = await hold(fleet, '0x00000000000000000000000000000000000000b0')
    await other.release()
    await place.exec(moved)
    await (await hold(fleet)).release()
  })

  test('and tables of other programs beside it are none', async () => {
    const { fleet } = placesOf()
    await place.exec('DROP TABLE wallet_lease')
    await (await hold(fleet)).release()
    await (await hold(fleet)).release()
  })

  test('alone beside the one that it has in a fleet', async () => {
    const { alone, fleet, schema } = placesOf()
    await place.exec('DELETE FROM wallet')
    const theirs = await open(fleet)
    await theirs.wallet.adopt({ ...owner, nonceOfChain: 0 })
    await theirs.shut()
    await expect(hold(alone)).rejects.toMatchObject({
      code: 'WALLET_HAS_JOURNAL',
      facts: { journal: expect.stringContaining(schema) },
    })
    await place.exec(moved.replace('lock', `${schema}.lock`))
    await (await hold(alone)).release()
  })

  test('nor spends from one of two while a process spends from the other', async () => {
    const { alone, fleet } = placesOf()
    const held = await hold(alone)
    const theirs = await open(fleet)
    await theirs.wallet.adopt({ ...owner, nonceOfChain: 0 })
    await theirs.shut()
    await expect(hold(fleet)).rejects.toMatchObject({ code: 'WALLET_LOCKED' })
    await held.release()
    await (await hold(fleet)).release()
  })
})

test('a server that would keep texts in no known encoding is no place for a journal', async () => {
  const name = `journal_of_no_encoding_${process.pid}`
  await place.exec(
    `CREATE DATABASE ${name} TEMPLATE template0 ENCODING 'SQL_ASCII' LOCALE_PROVIDER libc LC_COLLATE 'C' LC_CTYPE 'C'`,
  )
  const url = secret(urlOf(place).replace(/[^/]*$/, name))
  await expect(openDatabase({ dialect: 'postgres', url })).rejects.toMatchObject({
    code: 'JOURNAL_NOT_DURABLE',
    facts: { encoding: 'SQL_ASCII', fsync: 'on', synchronous_commit: 'on' },
  })
})

test('a copy of it is made by the tools of the server, which the refusal names', async () => {
  const source = { database: place.database, clock: systemClock, wallet }
  for (const [copy, tool] of [
    [backUp, 'pg_dump'],
    [restore, 'pg_restore'],
  ] as const)
    await expect(copy(source, 'never.db')).rejects.toMatchObject({
      code: 'JOURNAL_ON_SERVER',
      facts: { next: expect.stringContaining(tool) },
    })
  expect(existsSync('never.db')).toBe(false)
})

describe('session', () => {
  test('what it commits is on disk, whatever the role or the database is set to', async () => {
    await place.exec(`DO $$ BEGIN EXECUTE format(
      'ALTER DATABASE %I SET synchronous_commit = off', current_database()); END $$`)
    const db = await openDatabase(place.database)
    const setting = async (name: string, from = db) =>
      (await sql.raw<{ value: string }>(`SELECT current_setting('${name}') AS value`).execute(from))
        .rows[0]?.value
    expect(await setting('synchronous_commit')).toBe('on')
    // Nothing is waited for without end.
    expect(await setting('statement_timeout')).toBe('30s')
    expect(await setting('lock_timeout')).toBe('5s')
    expect(await setting('idle_in_transaction_session_timeout')).toBe('10s')
    await db.transaction().execute(async (trx) => {
      expect(await setting('synchronous_commit', trx)).toBe('on')
      expect(await setting('transaction_isolation', trx)).toBe('read committed')
    })
    await db.destroy()
  })

  test('a pooler that refuses settings at the start of a connection is no hindrance', async () => {
    await journal.shut()
    await using pooler = await startPooler(urlOf(place))
    const database: ServerDatabase = { dialect: 'postgres', url: secret(pooler.url) }
    journal = await openJournal({ ...place, database, clock: systemClock })
    const held = await holdJournal({
      ...{ database, chainId: 31_337, wallet },
      ...{ stateFolder: undefined, clock: systemClock },
    })
    expect(held.fence).toBeDefined()
    await held.release()
    expect(pooler.refused()).toEqual([])
  })

  test('writes nothing outside a transaction, where no lock and no fence is asked', async () => {
    const db = await openDatabase(place.database)
    const failure = await db
      .deleteFrom('wallet')
      .execute()
      .catch((error: unknown) => error)
    // A defect of ours, and no server that comes back.
    expect(failure).toMatchObject({ code: '25006', message: expect.stringContaining('read-only') })
    await db.destroy()
  })

  test('a text with a zero in it is kept without it: a node cannot stop the journal with its words', async () => {
    const planned = samplePlan()
    const { swapId } = planned
    await journal.swaps.reserve(planned, () => {})
    const { hash } = await journal.attempts.commitSwap(
      sampleBytes(planned, 0),
      sampleQuote(planned),
    )
    await journal.attempts.noteSent({
      hash,
      swapId,
      block: 1,
      verdict: 'accepted',
      taken: true,
      words: 'no\0pe',
    })
    expect((await journal.swaps.record(swapId))?.attempts[0]?.answer).toBe('no\u{FFFD}pe')
    expect(await journal.log.verify(undefined)).toMatchObject({ broken: undefined, swaps: [] })
  })

  test('an id is found by its beginning, byte by byte, whatever language the database sorts in', async () => {
    await journal.swaps.reserve(samplePlan({ swapId: 'Swap-abc' }), () => {})
    await journal.swaps.reserve(samplePlan({ swapId: 'swap-abd' }), () => {})
    expect((await journal.swaps.record('swap-ab'))?.id).toBe('swap-abd')
  })
})

describe('transactions', () => {
  /** Makes the next entries of the log fail as a server does that undoes a transaction. */
  const undo = (state: string, times: number) =>
    place.exec(`CREATE SEQUENCE undone;
      CREATE FUNCTION undo() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
        IF nextval('undone') <= ${times} THEN RAISE EXCEPTION 'undone' USING ERRCODE = '${state}'; END IF;
        RETURN NEW; END $$;
      CREATE TRIGGER undo BEFORE INSERT ON event FOR EACH ROW EXECUTE FUNCTION undo()`)

  test.each(['40001', '40P01'])(
    '[LOCAL-31] one that the server undid (%s) is run again',
    async (state) => {
      await undo(state, 2)
      expect(await journal.swaps.reserve(samplePlan(), () => {})).toBe(true)
      expect(await journal.log.verify(undefined)).toMatchObject({ count: 1, broken: undefined })
    },
  )

  test('not for ever, and not for any other failure', async () => {
    await undo('40001', 3)
    await expect(journal.swaps.reserve(samplePlan(), () => {})).rejects.toThrow('undone')
    await place.exec('DROP FUNCTION undo CASCADE; DROP SEQUENCE undone')
    await undo('23514', 1)
    await expect(journal.swaps.reserve(samplePlan(), () => {})).rejects.toThrow('undone')
    expect(await journal.swaps.history({ limit: 1 })).toEqual([])
  })
})

test('[LOCAL-22] another writer is waited for, but not for ever', async () => {
  const other = new pg.Client({ connectionString: urlOf(place) })
  await other.connect()
  await other.query(beginWriting({}))
  await expect(journal.swaps.reserve(samplePlan(), () => {})).rejects.toMatchObject({
    code: 'JOURNAL_BUSY',
    remedy: 'retry',
    fault: 'upstream',
  })
  await other.query('ROLLBACK')
  await other.end()
  expect(await journal.swaps.reserve(samplePlan(), () => {})).toBe(true)
})

test('a statement that migrates may take longer than any other', async () => {
  if (place.database.dialect !== 'postgres') throw new Error('a server has an address')
  const { db, inOneTransaction } = openPostgres(place.database)
  const hourLater = async (within: typeof db) => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    try {
      const slept = sql`SELECT pg_sleep(0.2)`.execute(within).then(
        () => 'answered',
        () => 'given up',
      )
      await vi.advanceTimersByTimeAsync(3_600_000)
      return await slept
    } finally {
      vi.useRealTimers()
    }
  }
  const limitOf = async (within: typeof db) =>
    (await sql<object>`SHOW statement_timeout`.execute(within)).rows
  expect(await hourLater(db)).toBe('given up')
  expect(await limitOf(db)).toEqual([{ statement_timeout: '30s' }])
  await inOneTransaction(async (within) => {
    expect(await hourLater(within)).toBe('answered')
    expect(await limitOf(within)).toEqual([{ statement_timeout: '2h' }])
  })
  await db.destroy()
})

test('[LOCAL-18] a process that stood still inside a transaction keeps nobody else from writing', async () => {
  const stopped = new pg.Client({
    ...connectionOf(secret(urlOf(place))),
    idle_in_transaction_session_timeout: 500,
  })
  stopped.on('error', () => {})
  await stopped.connect()
  await stopped.query(beginWriting({}))
  expect(await journal.swaps.reserve(samplePlan(), () => {})).toBe(true)
  await expect(stopped.query('COMMIT')).rejects.toThrow()
  expect(await place.rows('SELECT seq FROM event')).toEqual([{ seq: 1 }])
})

describe('[LOCAL-29] a COMMIT whose answer is lost', () => {
  let proxy: Awaited<ReturnType<typeof startCuttingProxy>>
  let cut: Journal
  const kinds = ['SWAP', 'APPROVE', 'CANCEL', 'BUMP'] as const

  beforeEach(async () => {
    proxy = await startCuttingProxy(urlOf(place))
    cut = await openJournal({
      ...place,
      database: { dialect: 'postgres', url: secret(proxy.url) },
      clock: systemClock,
    })
  })
  afterEach(async () => {
    await cut.shut()
    await proxy.close()
  })

  /** Everything up to the commit of these bytes, which is what is returned. */
  const ready = async (kind: (typeof kinds)[number]) => {
    const planned = samplePlan()
    const bytes = kind === 'BUMP' ? dearer(sampleBytes(planned, 0)) : sampleBytes(planned, 0, kind)
    await cut.swaps.reserve(planned, () => {})
    if (kind === 'APPROVE') return { bytes, commit: () => cut.attempts.commitApproval(bytes) }
    if (kind === 'SWAP')
      return { bytes, commit: () => cut.attempts.commitSwap(bytes, sampleQuote(planned)) }
    const swap = sampleBytes(planned, 0)
    await cut.attempts.commitSwap(swap, sampleQuote(planned))
    if (kind === 'CANCEL')
      return { bytes, commit: () => cut.attempts.commitCancel(bytes, swap.hash) }
    return { bytes, commit: () => cut.attempts.commitBump(bytes, swap.hash) }
  }
  const dearer = (bytes: Signed) => {
    const raw: Hex = `${bytes.raw}99`
    return pass<Signed>({ ...bytes, raw, hash: keccak256(raw) })
  }
  const stored = async (bytes: Signed) =>
    (await journal.swaps.load(bytes.swapId)).attempts.some((one) => one.bytes.hash === bytes.hash)

  test.each(kinds)('%s that is there may be sent', async (kind) => {
    const { bytes, commit } = await ready(kind)
    proxy.cutNext('after')
    expect(await commit()).toEqual(pass(bytes))
    expect(await stored(bytes)).toBe(true)
  })

  test.each(kinds)('%s that is not there is dropped', async (kind) => {
    const { bytes, commit } = await ready(kind)
    proxy.cutNext('before')
    await expect(commit()).rejects.toMatchObject({ code: 'COMMIT_UNKNOWN', fault: 'upstream' })
    expect(await stored(bytes)).toBe(false)
    // Nothing is left of the attempt: the same bytes may be stored now.
    expect(await commit()).toEqual(pass(bytes))
  })

  test.each(['before', 'after'] as const)(
    'lost %s, and nobody answers: nothing is handed out that could be sent',
    async (moment) => {
      const { commit } = await ready('SWAP')
      proxy.cutNext(moment, true)
      await expect(commit()).rejects.toMatchObject({ code: 'JOURNAL_UNREACHABLE' })
      proxy.back()
      expect((await cut.swaps.open()).length).toBe(1)
    },
  )
})
