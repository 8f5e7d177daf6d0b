import { spawnSync } from 'node:child_process'
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { sql } from 'kysely'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { holdJournal, lockJournal } from '../../../src/bot/journal/holdJournal.ts'
import { type Journal, openJournal } from '../../../src/bot/journal/openJournal.ts'
import { openDatabase, openDatabaseToRead } from '../../../src/bot/journal/schema/openDatabase.ts'
import { checkIntegrity } from '../../../src/bot/journal/store/checkIntegrity.ts'
import { packed } from '../../../src/bot/journal/store/packed.ts'
import { systemClock } from '../../../src/core/clock.ts'
import { asBefore } from './asBefore.ts'
import { sampleBytes, samplePlan, sampleQuote, wallet } from './sampleSwap.ts'

/** The hash of no entry. */
const none = new Uint8Array()

let folder: string
let path: string
let journal: Journal
const open = (file: string) =>
  openJournal({
    database: { dialect: 'sqlite', path: file },
    haltFile: join(folder, 'HALT'),
    clock: systemClock,
  })

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'ballast-sqlite-'))
  path = join(folder, 'journal.db')
  journal = await open(path)
  await journal.wallet.adopt({ chainId: 31_337, wallet, nonceOfChain: 0 })
})
afterEach(async () => {
  await journal.shut()
  rmSync(folder, { recursive: true })
})

/** The file as somebody else writes it. */
const tamper = (statements: string) => {
  const file = new DatabaseSync(path)
  file.exec(statements)
  file.close()
}

test('durability: write-ahead log, and every commit on disk before it returns', async () => {
  const db = await openDatabase({ dialect: 'sqlite', path: join(folder, 'other.db') })
  const pragma = async (name: string) =>
    (await sql.raw(`PRAGMA ${name}`).execute(db)).rows.map((row) => Object.values(row as object))
  expect(await pragma('journal_mode')).toEqual([['wal']])
  expect(await pragma('synchronous')).toEqual([[2]])
  // Of macOS, whose fsync ends in the cache of the disk.
  expect(await pragma('fullfsync')).toEqual([[1]])
  expect(await pragma('checkpoint_fullfsync')).toEqual([[1]])
  expect(await pragma('foreign_keys')).toEqual([[1]])
  await db.destroy()
})

test('a new journal is for its own account, with its log; one that is there keeps its mode', async () => {
  const modes = () =>
    ['', '-wal', '-shm'].map((end) => (statSync(`${path}${end}`).mode & 0o777).toString(8))
  expect(modes()).toEqual(['600', '600', '600'])
  await journal.shut()
  chmodSync(path, 0o640)
  journal = await open(path)
  expect(modes()).toEqual(['640', '640', '640'])
  const none = join(folder, 'none.db')
  await expect(openDatabaseToRead({ dialect: 'sqlite', path: none })).rejects.toThrow()
  expect(existsSync(none)).toBe(false)
})

test('[LOCAL-19] a disk that is full is what a person hears of, not that nothing is left to roll back', async () => {
  const db = await openDatabase({ dialect: 'sqlite', path: join(folder, 'other.db') })
  await sql.raw('PRAGMA max_page_count = 1').execute(db)
  const row = { at: 1, type: 'X', facts: Buffer.alloc(1_000_000), prev: none, hash: none }
  const write = db.transaction().execute((trx) =>
    trx
      .insertInto('event')
      .values({ swap_id: 'x', ...row })
      .execute(),
  )
  await expect(write).rejects.toMatchObject({
    code: 'JOURNAL_FULL',
    fault: 'locked',
    remedy: 'halt',
  })
  expect(await db.selectFrom('event').selectAll().execute()).toEqual([])
  await db.destroy()
})

test('a disk that cannot be written any more is named, with the next step', async () => {
  const db = await openDatabase({ dialect: 'sqlite', path: join(folder, 'other.db') })
  await sql.raw('PRAGMA query_only = ON').execute(db)
  const row = { swap_id: 'x', at: 1, type: 'X', facts: packed('{}'), prev: none, hash: none }
  await expect(db.insertInto('event').values(row).execute()).rejects.toMatchObject({
    ...{ code: 'JOURNAL_UNUSABLE', fault: 'locked', summary: 'The journal cannot be used.' },
    facts: {
      file: join(folder, 'other.db'),
      reason: 'attempt to write a readonly database',
      next: expect.stringContaining('ballast doctor'),
    },
  })
  await db.destroy()
})

test.each([
  ['.lock', 'unable to open database file'],
  ['.pid', 'EISDIR'],
])(
  'a folder where %s cannot be written: one sentence, no other process is blamed',
  (file, reason) => {
    mkdirSync(`${path}${file}`)
    expect(() => lockJournal(path)).toThrow(
      expect.objectContaining({
        ...{ code: 'JOURNAL_UNUSABLE', fault: 'locked' },
        summary: `The journal's folder cannot be written: ${folder}.`,
        facts: expect.objectContaining({ reason: expect.stringContaining(reason) }),
      }),
    )
  },
)

test.each<[string, () => void, string]>([
  ['moved', () => renameSync(path, `${path}.old`), 'The journal was moved or deleted'],
  ['deleted', () => rmSync(path), 'The journal was moved or deleted'],
  [
    'replaced by its copy',
    () => {
      copyFileSync(path, `${path}.copy`)
      renameSync(`${path}.copy`, path)
    },
    'Another file took the place',
  ],
])('a file that was %s: nothing new begins, what is signed goes on', async (_, hurt, says) => {
  expect(journal.moved()).toBeUndefined()
  hurt()
  const moved = { code: 'JOURNAL_MOVED', fault: 'locked', summary: expect.stringContaining(says) }
  expect(journal.moved()).toMatchObject(moved)
  for (const act of ['plan', 'sign'] as const)
    await expect(journal.locks.guard(act, { wallet })).rejects.toMatchObject(moved)
  for (const act of ['cancel', 'send'] as const) await journal.locks.guard(act, { wallet })
})

test('[LOCAL-23] integrity: a torn file and one that is no journal end the start', async () => {
  const check = (file: string) => checkIntegrity({ dialect: 'sqlite', path: file })
  // Above this size it is read beside the work, and whoever begins something new waits.
  const aside = (file: string) => checkIntegrity({ dialect: 'sqlite', path: file }, 1_024)
  const never = new AbortController().signal
  check(path)
  await aside(path).whole(never)
  check(join(folder, 'not there.db'))
  for (let index = 0; index < 50; index++) await journal.swaps.reserve(samplePlan(), () => {})
  await journal.shut()
  const bytes = readFileSync(path)
  writeFileSync(path, bytes.fill(0xff, 4_096, 12_288))
  expect(() => check(path)).toThrow(
    expect.objectContaining({ code: 'JOURNAL_UNUSABLE', fault: 'locked', remedy: 'halt' }),
  )
  await expect(aside(path).whole(never)).rejects.toMatchObject({ code: 'JOURNAL_UNUSABLE' })
  const stopped = aside(path)
  await stopped.stop()
  await expect(stopped.whole(never)).rejects.toMatchObject({ code: 'JOURNAL_UNUSABLE' })
  const asked = aside(path)
  await asked.whole(AbortSignal.abort())
  await asked.stop()
  const other = join(folder, 'other.db')
  writeFileSync(other, 'not a database, but long enough to be taken for one by its size'.repeat(99))
  expect(() => check(other)).toThrow(expect.objectContaining({ code: 'JOURNAL_UNUSABLE' }))
  await expect(open(other)).rejects.toMatchObject({ code: 'JOURNAL_UNUSABLE' })
  journal = await open(join(folder, 'fresh.db'))
})

test('[LOCAL-26] lock: one process spends, others may still read', () => {
  const lock = lockJournal(path)
  const other = `
    import { lockJournal } from './src/bot/journal/holdJournal.ts'
    try { lockJournal(${JSON.stringify(path)}); process.stdout.write('locked twice') }
    catch (error) { process.stdout.write(error.code) }`
  const run = () =>
    spawnSync(process.execPath, ['--input-type=module-typescript', '-e', other], {
      encoding: 'utf8',
    }).stdout
  expect(run()).toBe('JOURNAL_LOCKED')
  lock.release()
  expect(run()).toBe('locked twice')
})

test('lock of a wallet: one journal of a wallet spends, those of other wallets, chains and of paper do too', async () => {
  const hold = (file: string, other = {}) =>
    holdJournal({
      ...{ database: { dialect: 'sqlite', path: join(folder, file) }, chainId: 1, wallet },
      ...{ stateFolder: join(folder, 'state'), clock: systemClock, ...other },
    })
  const first = await hold('first.db')
  await expect(hold('second.db')).rejects.toMatchObject({
    ...{ code: 'WALLET_LOCKED', fault: 'locked', remedy: 'halt' },
    facts: {
      ...{ wallet, chainId: 1, holder: `process ${process.pid}` },
      journal: join(folder, 'first.db'),
    },
  })
  // The refused one left its own journal free.
  const paper = await hold('second.db', { stateFolder: undefined })
  const otherChain = await hold('third.db', { chainId: 2 })
  const otherWallet = await hold('fourth.db', { wallet: `0x${'12'.repeat(20)}` })
  for (const one of [first, paper, otherChain, otherWallet]) await one.release()
  await (await hold('second.db', { wallet: wallet.toUpperCase().replace('0X', '0x') })).release()
})

test('migration: a wallet that was halted before locks were rows is halted still', async () => {
  await journal.shut()
  tamper(`UPDATE wallet SET halted = 'NONCE_TAKEN: somebody: else'`)
  tamper(
    `${asBefore}; DROP TABLE lock; DROP TABLE baseline; ALTER TABLE event DROP COLUMN prev; ALTER TABLE event DROP COLUMN hash`,
  )
  tamper(`DELETE FROM kysely_migration WHERE name > '0002'`)
  journal = await open(path)
  expect(await journal.locks.live()).toMatchObject([
    { kind: 'halt', scope: `wallet ${wallet}`, code: 'NONCE_TAKEN', reason: 'somebody: else' },
  ])
})

test('migration: a log from before is chained as it is found', async () => {
  const planned = samplePlan()
  await journal.swaps.reserve(planned, () => {})
  await journal.attempts.commitSwap(sampleBytes(planned, 0), sampleQuote(planned))
  await journal.shut()
  tamper(`${asBefore}; ALTER TABLE event DROP COLUMN prev; ALTER TABLE event DROP COLUMN hash; DROP TABLE baseline;
    DELETE FROM kysely_migration WHERE name >= '0003'`)
  journal = await open(path)
  expect(await journal.log.verify(undefined)).toMatchObject({ count: 3, broken: undefined })
  await journal.swaps.reserve(samplePlan(), () => {})
  expect(await journal.log.verify(undefined)).toMatchObject({ count: 4, broken: undefined })
})
