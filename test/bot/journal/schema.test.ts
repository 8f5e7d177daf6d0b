import { mkdtempSync, readdirSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { backUp } from '../../../src/bot/journal/copies.ts'
import { holdJournal } from '../../../src/bot/journal/holdJournal.ts'
import { type Journal, openJournal } from '../../../src/bot/journal/openJournal.ts'
import { readJournal } from '../../../src/bot/journal/readJournal.ts'
import {
  journalExists,
  openDatabase,
  openDatabaseToRead,
} from '../../../src/bot/journal/schema/openDatabase.ts'
import { systemClock } from '../../../src/core/clock.ts'
import { onServer, type Place, places } from '../../support/journals.ts'
import { asBeforeServer } from './asBeforeServer.ts'
import { sampleBytes, samplePlan, sampleQuote, wallet } from './sampleSwap.ts'

const clock = systemClock

describe.each(places)('$dialect', ({ make }) => {
  let place: Place
  let journal: Journal

  beforeEach(async () => {
    place = await make()
    journal = await openJournal({ ...place, clock })
    await journal.wallet.adopt({ chainId: 31_337, wallet, nonceOfChain: 0 })
  })
  afterEach(async () => {
    await journal.shut()
    await place.remove()
  })

  describe('schema', () => {
    test('[LOCAL-40] one that this version does not know is refused, to write and to read', async () => {
      await place.exec(`INSERT INTO kysely_migration VALUES ('9999-later', 'x')`)
      const newer = { code: 'JOURNAL_NEWER', facts: { unknown: '9999-later' } }
      await expect(openJournal({ ...place, clock })).rejects.toMatchObject(newer)
      await expect(readJournal({ ...place, clock })).rejects.toMatchObject(newer)
    })

    test('[LOCAL-40] an older one is not changed by who only looks; who writes brings it up to date', async () => {
      await place.exec(`${asBeforeServer}; DELETE FROM kysely_migration WHERE name >= '0009'`)
      await expect(readJournal({ ...place, clock })).rejects.toMatchObject({
        code: 'JOURNAL_OLDER',
        facts: { missing: expect.stringContaining('0009-lease') },
      })
      await expect(place.rows('SELECT * FROM wallet_lease')).rejects.toThrow()
      await (await openJournal({ ...place, clock })).shut()
      await (await readJournal({ ...place, clock })).shut()
      expect(await place.rows('SELECT * FROM wallet_lease')).toEqual([])
    })
  })

  test('one of an older version is not brought up to date while a bot spends from it', async () => {
    const older = `DROP INDEX params_of_strategy; DELETE FROM kysely_migration WHERE name >= '0031'`
    await place.exec(older)
    const letGo = await spendFrom(place)
    await expect(openJournal({ ...place, clock })).rejects.toMatchObject({
      code: 'JOURNAL_OLDER',
      facts: { holder: expect.stringMatching(/./) },
    })
    expect(await place.rows(`SELECT name FROM kysely_migration WHERE name >= '0031'`)).toEqual([])
    if (place.database.dialect === 'sqlite') {
      writeFileSync(`${place.database.path}.pid`, `${process.ppid}\nmigrating`)
      await expect(openJournal({ ...place, clock })).rejects.toMatchObject({ code: 'JOURNAL_BUSY' })
    }
    await letGo()
    if (place.database.dialect === 'sqlite') {
      // A copy is brought up to date, and leaves nothing beside it.
      await backUp({ database: place.database, clock }, join(place.folder, 'copy.db'))
      const copies = readdirSync(place.folder).filter((name) => name.startsWith('copy'))
      expect(copies).toEqual(['copy.db'])
    }
    await (await openJournal({ ...place, clock })).shut()
    // Who holds it brings it up to date.
    await place.exec(older)
    const hold = await holdJournal({
      ...{ database: place.database, chainId: 31_337, wallet, clock },
      stateFolder: join(place.folder, 'state'),
    })
    await (await openJournal({ ...place, clock, fence: hold.fence })).shut()
    await hold.release()
  })

  describe('reading', () => {
    test('could not write if it tried', async () => {
      const db = await openDatabaseToRead(place.database)
      await expect(db.deleteFrom('wallet').execute()).rejects.toThrow(/read-?only/i)
      await expect(
        db.transaction().execute((trx) => trx.deleteFrom('wallet').execute()),
      ).rejects.toThrow(/read-?only/i)
      await db.destroy()
    })

    test('shows the halt of a file without writing it down, and once when it is', async () => {
      const reading = await readJournal({ ...place, clock })
      expect(await reading.locks.live()).toEqual([])
      writeFileSync(place.haltFile, '')
      expect(await reading.locks.live()).toMatchObject([{ id: 0, kind: 'halt', code: 'BY_FILE' }])
      await expect(reading.locks.guard('plan', { wallet })).rejects.toMatchObject({
        code: 'LOCKED',
      })
      expect(await place.rows('SELECT * FROM lock')).toEqual([])
      await journal.locks.live()
      expect(await reading.locks.live()).toMatchObject([{ id: 1, kind: 'halt', code: 'BY_FILE' }])
      await reading.shut()
    })

    test('goes on while another writes, and sees what was committed', async () => {
      const reading = await readJournal({ ...place, clock })
      const planned = samplePlan()
      await journal.swaps.reserve(planned, (_spent) => {})
      expect(await reading.swaps.open()).toEqual([planned.swapId])
      expect(await reading.log.verify(undefined)).toMatchObject({ count: 1, broken: undefined })
      await reading.shut()
    })
  })

  describe('a start', () => {
    const signed = async () => {
      const planned = samplePlan()
      await journal.swaps.reserve(planned, () => {})
      await journal.attempts.commitSwap(sampleBytes(planned, 0), sampleQuote(planned))
    }

    test('goes on where the journal agrees with itself', async () => {
      await journal.log.assertConsistent()
      await signed()
      await journal.log.assertConsistent()
    })

    test.each<[string, string]>([
      [`UPDATE event SET facts = '{}' WHERE seq = 2`, 'entry 2 of the log is not what was written'],
      ['DELETE FROM event WHERE seq = 2', 'entry 3 of the log does not follow'],
      ['DELETE FROM event WHERE seq = 3', 'is SIGNED, and the log says VERIFIED'],
      [`UPDATE swap SET state = 'SENT'`, 'is SENT, and the log says SIGNED'],
      [`UPDATE attempt SET raw = '0x02'`, 'are not those of their hash'],
    ])('ends where somebody wrote %s', async (sql, why) => {
      await signed()
      await place.exec(sql)
      await expect(journal.log.assertConsistent()).rejects.toMatchObject({
        code: 'JOURNAL_INCONSISTENT',
        fault: 'locked',
        facts: { why: expect.stringContaining(why) },
      })
    })
  })
})

/** What a bot in another process holds. */
async function spendFrom({ database, exec }: Place): Promise<() => Promise<void>> {
  if (database.dialect === 'postgres') {
    await exec(`INSERT INTO wallet_lease (chain_id, address, holder, epoch, expires_at)
      VALUES (1, '0x', 'elsewhere:7', 1, floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint + 600000)`)
    return () => exec('DELETE FROM wallet_lease')
  }
  const lock = new DatabaseSync(`${database.path}.lock`)
  lock.exec('PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE')
  return async () => lock.close()
}

test('there is no journal where nobody made one, and looking makes none', async () => {
  const path = join(mkdtempSync(join(tmpdir(), 'ballast-none-')), 'journal.db')
  const empty = await onServer('template0')
  for (const database of [{ dialect: 'sqlite', path } as const, empty.database]) {
    expect(await journalExists(database)).toBe(false)
    expect(await journalExists(database)).toBe(false)
  }
  await (await openDatabase(empty.database)).destroy()
  expect(await journalExists(empty.database)).toBe(true)
  await empty.remove()
})

test('both have the same tables with the same columns', async () => {
  const columns = await Promise.all(
    places.map(async ({ make }) => {
      const place = await make()
      const db = await openDatabase(place.database)
      const tables = await db.introspection.getTables()
      await db.destroy()
      await place.remove()
      return tables
        .flatMap(({ name, columns: all }) => all.map((one) => `${name}.${one.name}`))
        .sort()
    }),
  )
  expect(columns[0]).toEqual(columns[1])
  expect(columns[0]?.length).toBeGreaterThan(60)
})
