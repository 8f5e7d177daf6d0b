import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import pg from 'pg'
import { beforeEach, describe, expect, test } from 'vitest'
import { digestTables } from '../../src/bot/journal/digestTables.ts'
import { holdJournal } from '../../src/bot/journal/holdJournal.ts'
import {
  isMigrated,
  type MigrationProgress,
  migrateJournal,
} from '../../src/bot/journal/migrateJournal.ts'
import { openJournal } from '../../src/bot/journal/openJournal.ts'
import { readJournal } from '../../src/bot/journal/readJournal.ts'
import { journalExists, openDatabase } from '../../src/bot/journal/schema/openDatabase.ts'
import { contextWith } from '../../src/bot/strategy/testing.ts'
import { systemClock as clock } from '../../src/core/clock.ts'
import { samplePlan, wallet } from '../bot/journal/sampleSwap.ts'
import { type Desk, type Movable, makeDesk } from '../support/movableJournal.ts'

const never = new AbortController().signal

/** Statements past the journal. */
async function exec({ database }: Movable, statements: string): Promise<void> {
  if (database.dialect === 'sqlite') {
    const file = new DatabaseSync(database.path)
    file.exec(statements)
    return file.close()
  }
  const client = new pg.Client({ connectionString: database.url.reveal() })
  await client.connect()
  await client.query(statements)
  await client.end()
}

async function digestsOf({ database }: Movable) {
  const db = await openDatabase(database)
  try {
    return Object.fromEntries(await digestTables(db, async () => {}))
  } finally {
    await db.destroy()
  }
}

const locksOf = async ({ folder }: Desk, { database }: Movable) => {
  const journal = await readJournal({ database, clock, haltFile: join(folder, 'HALT') })
  try {
    return (await journal.locks.live()).map(({ kind, scope, code }) => `${kind} ${scope} ${code}`)
  } finally {
    await journal.shut()
  }
}

const before = ['pause strategy another BY_OPERATOR']
const halted = [...before, 'halt all JOURNAL_MIGRATED']

/** All that the journal tells of itself. */
const told = async ({ call }: Desk, at: Movable) => {
  const said: string[] = []
  for (const argv of [
    ['audit', 'verify'],
    ['report', '--until', '2026-11-21'],
    ['history', '--limit', '100'],
    ['export', '--what', 'decisions'],
    ['export', '--what', 'ledger'],
  ]) {
    const { code, stdout } = await call(at, [...argv, '--json'])
    expect([argv, code]).toEqual([argv, 0])
    said.push(stdout)
  }
  return said
}

describe.each([
  { from: 'ballast.db', to: 'a server', back: 'again.db' },
  { from: 'a server', to: 'moved.db', back: 'another server' },
])('migrate: $from to $to', (names) => {
  let desk: Desk
  let from: Movable
  let to: Movable
  beforeEach(async () => {
    desk = makeDesk()
    from = await desk.filled(names.from)
    to = await desk.place(names.to)
  })

  const migrate = (tell: (progress: MigrationProgress) => void = () => {}, signal = never) =>
    migrateJournal({
      ...{ from: from.database, to: to.database, chainId: 31_337, wallet, clock, signal, tell },
    })

  /** The source can be spent from, and there is nothing at the new place. */
  const untouched = async () => {
    expect(await locksOf(desk, from)).toEqual(before)
    if (to.database.dialect === 'sqlite')
      expect(
        readdirSync(desk.folder).filter((name) => /^moved\.db(?!\.(?:lock|pid))/.test(name)),
      ).toEqual([])
    else expect(await journalExists(to.database)).toBe(false)
  }

  test('there and back every row, the log and every report are the same', async () => {
    const [story, digests] = [await told(desk, from), await digestsOf(from)]
    const moved = await desk.call(from, ['migrate', '--json'], to)
    expect(moved.code, moved.stderr).toBe(0)
    const proof = JSON.parse(moved.stdout)
    expect(proof).toMatchObject({ ok: true, log: { count: expect.any(Number) } })
    for (const { table, here, there } of proof.tables) {
      expect([table, here]).toEqual([table, digests[table]])
      expect(there).toEqual(here)
    }
    expect(proof.totals).toContainEqual({
      ...{ strategy: 'sell-strength', swaps: 1, sold: '1 WETH', received: '2999 USDC' },
    })
    expect(await told(desk, to)).toEqual(story)
    expect(await digestsOf(to)).toEqual(digests)
    expect(await locksOf(desk, to)).toEqual(before)
    expect(await locksOf(desk, from)).toEqual(halted)

    const back = await desk.place(names.back)
    expect(await desk.call(to, ['migrate'], back)).toMatchObject({ code: 0 })
    expect(await told(desk, back)).toEqual(story)
    expect(await digestsOf(back)).toEqual(digests)
  })

  test('the text fits eighty columns, and says what to do next', async () => {
    const { code, stdout } = await desk.call(from, ['migrate'], to)
    expect(code).toBe(0)
    expect(stdout).toMatch(/^swap +\d+ +\d+ +[0-9a-f]{16} +[0-9a-f]{16}$/m)
    expect(stdout).toMatch(/^sell-strength: 1 swaps, 1 WETH sold for 2999 USDC$/m)
    expect(stdout).toContain('ballast doctor')
    const tooLong = stdout.split('\n').filter((line) => line.length > 80 && !line.includes('/'))
    expect(tooLong).toEqual([])
  })

  test('the next writes go on behind the highest numbers, and the bot of the old place is refused', async () => {
    await migrate()
    const open = ({ database }: Movable) =>
      openJournal({ database, clock, haltFile: join(desk.folder, 'HALT') })
    const journal = await open(to)
    const { intent } = samplePlan()
    const lock = { kind: 'pause', scope: 'strategy third', code: 'BY_OPERATOR' } as const
    expect(await journal.locks.open({ ...lock, reason: 'x', expiresAt: undefined })).toMatchObject({
      lock: { id: 3 },
    })
    const decision = { kind: 'wait', reason: 'so' } as const
    const context = contextWith({}, { now: 7, slot: 7 })
    await journal.decisions.record({ strategy: 'another', slot: 7, at: 7, context, decision })
    await journal.decisions.noteRefusal({
      ...{ decision: 2, strategy: 'test', code: 'POLICY_B', reason: 'so', intent },
    })
    await journal.swaps.reserve(samplePlan(), () => {})
    expect(await journal.log.verify(undefined)).toMatchObject({
      ...{ broken: undefined, locks: [], swaps: [] },
    })
    await journal.shut()
    const old = await open(from)
    await expect(old.locks.guard('plan', { wallet })).rejects.toMatchObject({
      ...{ code: 'LOCKED', facts: { code: 'JOURNAL_MIGRATED' } },
    })
    await old.shut()
    // It was moved, and another copy of it would be behind.
    await expect(migrate()).rejects.toMatchObject({ code: 'TARGET_NOT_EMPTY' })
    to = await desk.place(names.back)
    await expect(migrate()).rejects.toMatchObject({ code: 'LOCKED' })
  })

  test('at the old place nothing is stopped or released in passing: a bot that runs has the new one', async () => {
    await migrate()
    for (const command of ['halt', 'pause', 'drain']) {
      const { code, stdout, stderr } = await desk.call(from, [command])
      expect([code, stdout]).toEqual([5, ''])
      expect(stderr).toMatch(/moved to .*\n[\s\S]*nothing was halted; create the file .*HALT/)
    }
    const { code, stdout } = await desk.call(from, ['resume', '--reason', 'all fine', '--json'])
    expect([code, JSON.parse(stdout).error]).toMatchObject([
      5,
      { code: 'LOCKED', facts: { code: 'JOURNAL_MIGRATED' } },
    ])
    const stops = ['halt', 'pause', 'drain'].map((kind) => `${kind} all BY_OPERATOR`)
    expect(await locksOf(desk, from)).toEqual([...halted, ...stops])
    const known = await readJournal({ database: from.database, clock, haltFile: 'none' })
    const moved = (await known.locks.live().finally(known.shut)).find(isMigrated)
    // By its number, where that journal was never made.
    const released = await desk.call(from, ['resume', '--reason', 'never made', `${moved?.id}`])
    expect(released.stdout).toContain('(JOURNAL_MIGRATED)')
    expect(await locksOf(desk, from)).toEqual([...before, ...stops])
  })

  test('a lease of the old server holds nothing at the new place', async () => {
    await migrate()
    const db = await openDatabase(to.database)
    expect(await db.selectFrom('wallet_lease').selectAll().execute()).toEqual([])
    await db.destroy()
    const hold = await holdJournal({
      ...{ database: to.database, chainId: 31_337, wallet, clock, stateFolder: undefined },
    })
    await hold.release()
  })

  test('a place that has anything is refused, and stays as it is', async () => {
    if (to.database.dialect === 'sqlite') writeFileSync(`${to.database.path}-wal`, 'of an old one')
    else {
      const journal = await openJournal({ ...to, clock, haltFile: join(desk.folder, 'HALT') })
      await journal.shut()
    }
    const { code, stdout } = await desk.call(from, ['migrate', '--json'], to)
    expect([code, JSON.parse(stdout).error.code]).toEqual([2, 'TARGET_NOT_EMPTY'])
    expect(await locksOf(desk, from)).toEqual(before)
  })

  test('the place that it is at is refused, and nobody is blamed for holding it', async () => {
    const { code, stdout } = await desk.call(from, ['migrate', '--json'], from)
    expect(code).toBe(2)
    expect(JSON.parse(stdout).error.message).toMatch(/^The journal is at .+ already: name another/)
    expect(await locksOf(desk, from)).toEqual(before)
  })

  test('a journal that is spent from is refused', async () => {
    const hold = await holdJournal({
      ...{ database: from.database, chainId: 31_337, wallet, clock, stateFolder: undefined },
    })
    const { code, stdout } = await desk.call(from, ['migrate', '--json'], to)
    expect([code, JSON.parse(stdout).error.code]).toEqual([5, 'JOURNAL_LOCKED'])
    await hold.release()
    await untouched()
  })

  test('what another process writes meanwhile comes after the halt, or not at all', async () => {
    const other = await openJournal({
      ...{ database: from.database, clock, haltFile: join(desk.folder, 'HALT') },
    })
    const lock = { kind: 'pause', scope: 'strategy late', code: 'BY_OPERATOR' } as const
    let written: Promise<unknown> | undefined
    await migrate(() => {
      written ??= other.locks
        .open({ ...lock, reason: 'x', expiresAt: undefined })
        .catch(() => undefined)
    })
    await written
    await other.shut()
    expect(await locksOf(desk, to)).toEqual(before)
    expect((await locksOf(desk, from)).slice(0, 2)).toEqual(halted)
  })

  test.each(['copied', 'read here', 'read there'])(
    'killed while rows are %s, it leaves nothing',
    async (doing) => {
      const source = (at: Movable) =>
        at.database.dialect === 'sqlite'
          ? JSON.stringify(at.database)
          : `{ dialect: 'postgres', url: { reveal: () => ${JSON.stringify(at.written)} } }`
      const script = `
      import { migrateJournal } from './src/bot/journal/migrateJournal.ts'
      import { systemClock as clock } from './src/core/clock.ts'
      const tell = ({ doing, table }) => {
        if (doing === '${doing}' && table === 'event') process.kill(process.pid, 'SIGKILL')
      }
      const signal = new AbortController().signal
      await migrateJournal({ from: ${source(from)}, to: ${source(to)}, chainId: 31337,
        wallet: '${wallet}', clock, signal, tell })`
      const { signal, stderr } = spawnSync(
        process.execPath,
        ['--input-type=module-typescript', '-e', script],
        { encoding: 'utf8' },
      )
      expect(signal, stderr).toBe('SIGKILL')
      expect(await locksOf(desk, from)).toEqual(before)
      if (to.database.dialect === 'postgres') return untouched()
      expect(existsSync(to.database.path)).toBe(false)
      // What the kill left under another name is in nobody's way. The lease of the dead process runs out.
      await exec(from, 'DELETE FROM wallet_lease')
      await migrate()
      expect(existsSync(`${to.database.path}.partial`)).toBe(false)
    },
  )

  test('the halt comes first: a new journal that cannot appear leaves no two to spend from', async () => {
    const { database } = to
    if (database.dialect === 'postgres') {
      await (await openDatabase(database)).destroy()
      await exec(
        to,
        `CREATE FUNCTION refuse() RETURNS trigger AS 'BEGIN RAISE ''no room''; END' LANGUAGE plpgsql;
         CREATE CONSTRAINT TRIGGER refuse AFTER INSERT ON swap DEFERRABLE INITIALLY DEFERRED
         FOR EACH ROW EXECUTE FUNCTION refuse()`,
      )
    }
    await expect(
      migrate(({ doing }) => {
        if (database.dialect === 'sqlite' && doing === 'read there')
          mkdirSync(database.path, { recursive: true })
      }),
    ).rejects.toThrow()
    expect(await locksOf(desk, from)).toEqual(halted)
    if (database.dialect === 'postgres') expect((await digestsOf(to)).swap?.rows).toBe(0)
    else expect(readdirSync(database.path)).toEqual([])
  })

  test('a stop request ends it between two pages', async () => {
    const stop = new AbortController()
    await expect(migrate(() => stop.abort(), stop.signal)).rejects.toMatchObject({
      name: 'AbortError',
    })
    await untouched()
  })

  test('a difference removes the copy, and is named', async () => {
    if (to.database.dialect === 'postgres') {
      await (await openDatabase(to.database)).destroy()
      await exec(
        to,
        `CREATE FUNCTION bend() RETURNS trigger AS 'BEGIN NEW.amount_in = ''1''; RETURN NEW; END' LANGUAGE plpgsql;
         CREATE TRIGGER bend BEFORE INSERT ON swap FOR EACH ROW EXECUTE FUNCTION bend()`,
      )
      const { code, stdout } = await desk.call(from, ['migrate', '--json'], to)
      expect([code, JSON.parse(stdout)]).toEqual([
        3,
        {
          error: expect.objectContaining({
            code: 'MIGRATION_DIFFERS',
            facts: { swap: expect.stringMatching(/^\d+ rows of \w+ here, \d+ rows of \w+ there$/) },
          }),
        },
      ])
      expect((await digestsOf(to)).swap?.rows).toBe(0)
      return expect(await locksOf(desk, from)).toEqual(before)
    }
    const partial = `${to.database.path}.partial`
    let isBent = false
    const bend = ({ doing }: MigrationProgress) => {
      if (doing !== 'read here' || isBent) return
      isBent = true
      const file = new DatabaseSync(partial)
      file.exec('DELETE FROM refusal WHERE id = 1')
      file.close()
    }
    await expect(migrate(bend)).rejects.toMatchObject({
      code: 'MIGRATION_DIFFERS',
      facts: { refusal: expect.stringMatching(/^1 rows of \w+ here, 0 rows of \w+ there$/) },
    })
    await untouched()
  })

  test('a log that is not what was written is not moved', async () => {
    await exec(from, 'UPDATE event SET at = at + 1 WHERE seq = 7')
    await expect(migrate()).rejects.toMatchObject({ code: 'JOURNAL_INCONSISTENT' })
    await untouched()
  })
})

describe('migrate: the command', () => {
  test('texts that are older than packing arrive as they are, with a backslash and a zero', async () => {
    const desk = makeDesk()
    const [from, to] = [await desk.filled('ballast.db'), await desk.place('a server')]
    await exec(
      from,
      `UPDATE decision SET context = '{"a":"\\x41\\\\"}' WHERE id = 2;
       UPDATE decision SET reason = 'a' || char(0) || 'b' WHERE id = 3`,
    )
    const digests = await digestsOf(from)
    expect(await desk.call(from, ['migrate'], to)).toMatchObject({ code: 0 })
    expect(await digestsOf(to)).toEqual(digests)
  })

  test('from one server to another the counters go on, and the lease stays', async () => {
    const desk = makeDesk()
    const [from, to] = [await desk.filled('a server'), await desk.place('another server')]
    const digests = await digestsOf(from)
    expect(await desk.call(from, ['migrate'], to)).toMatchObject({ code: 0 })
    expect(await digestsOf(to)).toEqual(digests)
    expect(await desk.call(to, ['halt', '--reason', 'a test'])).toMatchObject({ code: 0 })
    expect(await locksOf(desk, to)).toEqual([...before, 'halt all BY_OPERATOR'])
  })

  test('a file is moved away, and the journal comes back to its name', async () => {
    const desk = makeDesk()
    const [from, to] = [await desk.filled('ballast.db'), await desk.place('a server')]
    expect(await desk.call(from, ['migrate'], to)).toMatchObject({ code: 0 })
    expect(await desk.call(to, ['migrate', '--to', 'sqlite:./ballast.db'])).toMatchObject({
      ...{ code: 2, stderr: expect.stringContaining('TARGET_NOT_EMPTY') },
    })
    const path = join(desk.folder, 'ballast.db')
    for (const end of ['', '-wal', '-shm'])
      if (existsSync(`${path}${end}`)) renameSync(`${path}${end}`, `${path}.old${end}`)
    expect(await desk.call(to, ['migrate', '--to', 'sqlite:./ballast.db'])).toMatchObject({
      code: 0,
    })
    expect(await locksOf(desk, from)).toEqual(before)
  })

  test('no journal, no place, a place that is none and a password on the command line are refused', async () => {
    const desk = makeDesk()
    const from = await desk.place('ballast.db')
    const to = ['migrate', '--to', 'sqlite:./moved.db']
    expect((await desk.call(from, to)).stderr).toContain('NO_JOURNAL')
    expect((await desk.call(from, ['migrate'])).stderr).toContain('MIGRATE_TO')
    expect((await desk.call(from, ['migrate', '--to', 'moved.db'])).stderr).toMatch(
      /^ballast: --to is not a database: write sqlite:/,
    )
    const written = 'postgres://ballast:hunter2hunter2@127.0.0.1:1/books'
    const refused = await desk.call(from, ['migrate', '--to', written])
    expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining('MIGRATE_TO') })
    expect(refused.stderr).not.toContain('hunter2')
  })

  test('a password in the environment is never shown', async () => {
    const desk = makeDesk()
    const [from, to] = [await desk.filled('ballast.db'), await desk.place('a server')]
    const written = to.written.replace('ballast@', 'ballast:hunter2hunter2@')
    const moved = await desk.call(from, ['migrate'], { ...to, written })
    expect(moved.code, moved.stderr).toBe(0)
    expect(moved.stdout).toContain('postgres://127.0.0.1')
    const seen = await desk.call(from, ['status'])
    expect(moved.stdout + moved.stderr + seen.stdout).not.toContain('hunter2')
    expect(seen.stdout).toContain('JOURNAL_MIGRATED')
  })

  test('--paper moves the journal of runs on paper, to the name that paper has there', async () => {
    const desk = makeDesk()
    await desk.filled('ballast.paper.db')
    const at = await desk.place('ballast.db')
    const argv = ['migrate', '--paper', '--to', 'sqlite:./moved.db']
    expect(await desk.call(at, argv)).toMatchObject({ code: 0 })
    expect(existsSync(join(desk.folder, 'moved.paper.db'))).toBe(true)
  })
})

test('--fleet: into the schema of the wallet, beside the journals of others', async () => {
  const desk = makeDesk()
  const [from, to] = [await desk.filled('ballast.db'), await desk.place('a server')]
  const digests = await digestsOf(from)
  if (to.database.dialect !== 'postgres') throw new Error('a server is PostgreSQL')
  const moved = await desk.call(from, ['migrate', '--fleet', '--json'], to)
  expect(moved.code, moved.stderr).toBe(0)
  expect(await journalExists(to.database)).toBe(false)
  const schema = String(JSON.parse(moved.stdout).to).split('/').at(-1) ?? ''
  expect(schema).toMatch(/^wallet_31337_[0-9a-f]{40}$/)
  expect(await digestsOf({ ...to, database: { ...to.database, schema } })).toEqual(digests)
})
