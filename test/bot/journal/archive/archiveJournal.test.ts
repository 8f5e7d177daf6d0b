import { appendFileSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs'
import { basename, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { fullBytes } from '../../../../src/bot/disk.ts'
import { thin } from '../../../../src/bot/journal/archive/thin.ts'
import { archiveJournal } from '../../../../src/bot/journal/archiveJournal.ts'
import { chainHash, genesis } from '../../../../src/bot/journal/log/log.ts'
import { type Journal, openJournal } from '../../../../src/bot/journal/openJournal.ts'
import { readJournal } from '../../../../src/bot/journal/readJournal.ts'
import { openDatabase } from '../../../../src/bot/journal/schema/openDatabase.ts'
import { packed } from '../../../../src/bot/journal/store/packed.ts'
import { contextWith } from '../../../../src/bot/strategy/testing.ts'
import { dayMs } from '../../../../src/core/spans.ts'
import { type Place, places } from '../../../support/journals.ts'
import { sampleBytes, samplePlan, sampleQuote, wallet } from '../sampleSwap.ts'
import {
  begin,
  createTrader,
  createVirtualClock,
  tellAll,
  tradeYear,
  yearMs,
} from './tradeThrough.ts'

describe.each(places)('$dialect', ({ make }) => {
  let place: Place
  let journal: Journal
  const clock = createVirtualClock()

  beforeEach(async () => {
    place = await make()
    clock.set(begin)
    journal = await openJournal({ ...place, clock })
    await journal.wallet.adopt({ chainId: 31_337, wallet, nonceOfChain: 0 })
  })
  afterEach(async () => {
    await journal.shut()
    await place.remove()
  })

  const folder = () => join(place.folder, 'archives')
  const archives = () => readdirSync(folder()).filter((file) => file.endsWith('.db'))
  const archive = (before: number, other: Partial<Parameters<typeof archiveJournal>[0]> = {}) =>
    archiveJournal({ journal, database: place.database, folder: folder(), clock, ...other }, before)
  const bodies = async () => {
    const [row] = await place.rows<Record<string, number>>(
      `SELECT (SELECT count(*) FROM event WHERE length(facts) = 0) AS entries,
        (SELECT count(*) FROM attempt WHERE length(raw) = 0) AS bytes,
        (SELECT count(*) FROM decision WHERE length(context) = 0) AS decisions`,
    )
    return row
  }

  test('archive: what was told of every swap and decision is told from the archives', async () => {
    const trader = createTrader(journal, clock)
    for (const year of [0, 1]) await tradeYear(trader, { year, swaps: 10 })
    clock.set(begin + 2 * yearMs)
    const before = await tellAll(place, clock)
    const { made, freed } = await archive(begin + yearMs)
    expect(archives()).toEqual([made?.file])
    expect(freed).toBeGreaterThan(10_000)
    expect(await bodies()).toEqual({ entries: 9 * 6 + 3, bytes: 18, decisions: 20 })
    expect(await tellAll(place, clock)).toEqual(before)
    expect(await journal.log.verify(undefined)).toMatchObject({
      broken: undefined,
      locks: [],
      swaps: [],
    })
    await journal.log.assertConsistent()
    // A second one begins where the first ended, and is empty where nothing is older.
    expect(await archive(begin + yearMs)).toEqual({ made: undefined, freed: 0 })
    await archive(begin + 2 * yearMs - 1)
    expect(archives()).toHaveLength(2)
    expect(await tellAll(place, clock)).toEqual(before)
    expect(await journal.log.verify(undefined)).toMatchObject({
      broken: undefined,
      locks: [],
      swaps: [],
    })
  })

  test.each([0, 10])(
    'archive: a second one of decisions alone, after %i swaps, is a file of its own',
    async (swaps) => {
      await tradeYear(createTrader(journal, clock), { year: 0, swaps })
      const wait = async (day: number) => {
        const slot = begin + yearMs + day * dayMs
        clock.set(slot)
        const context = contextWith({ every: day }, { now: slot, slot })
        const decision = { kind: 'wait', reason: `not on day ${day}` } as const
        await journal.decisions.record({ strategy: 'test', slot, at: slot, context, decision })
      }
      for (let day = 0; day < 8; day += 1) await wait(day)
      const tell = async () => {
        const reader = await readJournal({ ...place, clock })
        const rows = await reader.decisions.newest({
          strategy: 'test',
          limit: 50,
          before: undefined,
        })
        await reader.shut()
        return rows.map(({ context }) => context)
      }
      const told = await tell()
      await archive(begin + yearMs + 4 * dayMs)
      await archive(begin + yearMs + 7 * dayMs)

      expect(archives()).toHaveLength(2)
      const isSigned = async () => true
      expect(await journal.log.verifyArchives({ folder: folder(), isSigned })).toMatchObject([
        { verdict: 'whole' },
        { verdict: 'whole' },
      ])
      expect(await bodies()).toMatchObject({ decisions: 2 * swaps + 7 })
      expect(await tell()).toEqual(told)
      for (const file of archives()) {
        const db = new DatabaseSync(join(folder(), file))
        db.exec(`UPDATE decision SET context = ''`)
        db.close()
      }
      await expect(tell()).rejects.toMatchObject({ code: 'ARCHIVE_CHANGED' })
    },
  )

  test('archive: one that nobody signs leaves no file behind, however often it is tried', async () => {
    await tradeYear(createTrader(journal, clock), { year: 0, swaps: 4 })
    clock.set(begin + 2 * yearMs)
    const sign = async () => {
      throw new Error('the signer is away')
    }
    for (let tries = 0; tries < 2; tries += 1) {
      await journal.swaps.reserve(samplePlan({ swapId: `more-${tries}` }), () => {})
      await expect(archive(begin + yearMs, { sign })).rejects.toThrow('the signer is away')
    }
    expect(archives()).toEqual([])
  })

  const whole = { broken: undefined, locks: [], swaps: [] }

  /** The journal with one step that a kill takes the place of. */
  const killedAt = (step: 'note' | 'thin', isDone: boolean) => ({
    archiving: {
      ...journal.archiving,
      [step]: async (given: never, last: never) => {
        if (isDone) await journal.archiving[step](given, last)
        throw new Error('killed')
      },
    },
  })

  test.each([
    ['before the log names the file', 0, () => ({ journal: killedAt('note', false) })],
    ['before anything is dropped', 0, () => ({ journal: killedAt('note', true) })],
    [
      'in the middle of what is dropped',
      expect.any(Number),
      () => ({
        journal: {
          archiving: {
            ...journal.archiving,
            thin: (reach: { upto: number; before: number }) =>
              thinOnePage(place, { ...reach, clock }),
          },
        },
      }),
    ],
  ])('archive: killed %s, it is made or finished by the next call', async (_, left, killed) => {
    const trader = createTrader(journal, clock)
    await tradeYear(trader, { year: 0, swaps: 60 })
    await tradeYear(trader, { year: 1, swaps: 1 })
    clock.set(begin + 2 * yearMs)
    const before = await tellAll(place, clock, { swaps: 7 })
    await expect(archive(begin + yearMs, killed())).rejects.toThrow('killed')
    expect(await bodies()).toMatchObject({ entries: left })
    expect(await tellAll(place, clock, { swaps: 7 })).toEqual(before)
    expect(await journal.log.verify(undefined)).toMatchObject(whole)
    await archive(begin + yearMs)
    expect(archives()).toHaveLength(1)
    expect(await bodies()).toMatchObject({ decisions: 120, bytes: 2 * 53 })
    expect(await tellAll(place, clock, { swaps: 7 })).toEqual(before)
    expect(await journal.log.verify(undefined)).toMatchObject(whole)
    expect(await journal.archiving.remains((await journal.archiving.last()) ?? fail())).toBe(false)
  })

  test('archive: what a kill left in both is dropped only where the file is there, and the same', async () => {
    await tradeYear(createTrader(journal, clock), { year: 0, swaps: 4 })
    clock.set(begin + 2 * yearMs)
    await expect(archive(begin + yearMs, { journal: killedAt('note', true) })).rejects.toThrow()
    const [file = ''] = archives()
    const path = join(folder(), file)
    appendFileSync(path, 'x')
    await expect(archive(begin + yearMs)).rejects.toMatchObject({ code: 'ARCHIVE_CHANGED' })
    rmSync(path)
    await expect(archive(begin + yearMs)).rejects.toMatchObject({ code: 'ARCHIVE_MISSING' })
    expect(await bodies()).toEqual({ entries: 0, bytes: 0, decisions: 0 })
  })

  test('archive: an open swap and an incident that holds keep all that came after their begin', async () => {
    const trader = createTrader(journal, clock)
    await tradeYear(trader, { year: 0, swaps: 4 })
    const [{ seq: ended } = { seq: 0 }] = await place.rows<{ seq: number }>(
      'SELECT max(seq) AS seq FROM event',
    )
    clock.set(begin + yearMs)
    const lock = { kind: 'halt', scope: 'strategy x', code: 'BY_OPERATOR', reason: 'so' } as const
    const { lock: opened } = await journal.locks.open({ ...lock, expiresAt: undefined })
    await journal.swaps.reserve(samplePlan({ swapId: 'open' }), () => {})
    clock.set(begin + 2 * yearMs)
    expect((await archive(begin + yearMs + 1)).made).toMatchObject({ upto: ended })
    await journal.locks.release({ id: opened.id, reason: 'seen' })
    await tradeYear({ ...trader, slots: 0 }, { year: 2, swaps: 1 })
    clock.set(begin + 4 * yearMs)
    expect((await archive(begin + 3 * yearMs)).made).toMatchObject({ upto: ended + 1 })
    expect(
      await place.rows(`SELECT facts FROM event WHERE swap_id = 'open' AND facts = ''`),
    ).toEqual([])
    await journal.swaps.close({ swapId: 'open', as: 'ABANDONED', code: 'A', reason: 'so' })
    expect(await journal.log.verify(undefined)).toMatchObject(whole)
  })

  test('archive: a pause, and a breaker that is over by itself, keep nothing back', async () => {
    const trader = createTrader(journal, clock)
    const lock = { scope: 'strategy x', code: 'BY_OPERATOR', reason: 'so' } as const
    await journal.locks.open({ ...lock, kind: 'pause', expiresAt: undefined })
    await journal.locks.open({ ...lock, kind: 'breaker', expiresAt: begin + 1 })
    await tradeYear(trader, { year: 0, swaps: 2 })
    const { seq: upto } = await journal.log.lastEntry()
    clock.set(begin + 2 * yearMs)
    expect((await archive(begin + yearMs)).made).toMatchObject({ upto })
  })

  test('archive: nothing is written where the disk has no room for it', async () => {
    await tradeYear(createTrader(journal, clock), { year: 0, swaps: 2 })
    clock.set(begin + 2 * yearMs)
    const size = place.database.dialect === 'sqlite' ? statSync(place.database.path).size : 0
    const full = archive(begin + yearMs, { freeBytes: () => fullBytes + size - 1 })
    await expect(full).rejects.toMatchObject({ code: 'ARCHIVE_FAILED' })
    expect(archives()).toEqual([])
    await archive(begin + yearMs, { freeBytes: () => fullBytes + size })
    expect(archives()).toHaveLength(1)
  })

  test('archive: a copy that lacks entries of the journal is named nowhere, and nothing is dropped', async () => {
    await tradeYear(createTrader(journal, clock), { year: 0, swaps: 2 })
    clock.set(begin + 2 * yearMs)
    const other = await make()
    await expect(archive(begin + yearMs, { database: other.database })).rejects.toMatchObject({
      code: 'ARCHIVE_FAILED',
      facts: { reason: 'it lacks entries that the journal has' },
    })
    await other.remove()
    expect([readdirSync(folder()), await journal.archiving.last()]).toEqual([
      [expect.stringMatching(/\.lock$/)],
      undefined,
    ])
    expect(await bodies()).toEqual({ entries: 0, bytes: 0, decisions: 0 })
  })

  test('archive: a swap that ended later keeps all that came after its begin', async () => {
    const trader = createTrader(journal, clock)
    await tradeYear(trader, { year: 0, swaps: 2 })
    const { seq: ended } = await journal.log.lastEntry()
    await journal.swaps.reserve(samplePlan({ swapId: 'long' }), () => {})
    clock.set(begin + yearMs + 1)
    await journal.swaps.close({ swapId: 'long', as: 'ABANDONED', code: 'A', reason: 'so' })
    clock.set(begin + 2 * yearMs)
    expect((await archive(begin + yearMs)).made).toMatchObject({ upto: ended })
  })

  test('archive: bytes stay that take an allowance back in the name of an archived swap', async () => {
    await tradeYear(createTrader(journal, clock), { year: 0, swaps: 2 })
    const [first] = await place.rows<{ swap_id: string; hash: string }>(
      'SELECT swap_id, hash FROM attempt ORDER BY nonce, created_at LIMIT 1',
    )
    const { swap_id: swapId = '', hash } = first ?? {}
    const approves = "kind = 'APPROVE', closed_at_block = NULL"
    await place.exec(`UPDATE attempt SET ${approves} WHERE hash = '${hash}'`)
    const { seq } = await journal.log.lastEntry()
    await journal.archiving.thin({ upto: seq, before: begin + 2 * yearMs })
    const kept = await place.rows<{ swap_id: string }>(
      'SELECT DISTINCT swap_id FROM attempt WHERE length(raw) > 0',
    )
    expect(kept).toEqual([{ swap_id: swapId }])
  })

  test('archive: the last decision of a strategy stays, and so does an open swap whatever it is called with', async () => {
    const trader = createTrader(journal, clock)
    await tradeYear(trader, { year: 0, swaps: 2 })
    const planned = samplePlan()
    await journal.swaps.reserve(planned, () => {})
    await journal.attempts.commitSwap(sampleBytes(planned, trader.nonce), sampleQuote(planned))
    const { seq } = await journal.log.lastEntry()
    await journal.archiving.thin({ upto: seq, before: begin + 2 * yearMs })
    expect(await bodies()).toMatchObject({ bytes: 4, decisions: 3 })
    expect(await journal.breakers.lastLook({ strategy: 'test' })).toMatchObject({ prices: [] })
    expect(await journal.swaps.load(planned.swapId)).toMatchObject({
      state: 'SIGNED',
      feeMost: 100n,
    })
  })

  test('audit: a log that was written anew has not the entry that an archive ends with', async () => {
    const trader = createTrader(journal, clock)
    for (const year of [0, 1]) await tradeYear(trader, { year, swaps: 2 })
    const { made } = await archive(begin + yearMs)
    await writeAnew(place)
    expect(await journal.log.verify(undefined)).toMatchObject({ broken: { seq: made?.upto } })
  })

  test.each([
    ['an entry that no archive has', `seq = (SELECT max(seq) FROM event WHERE type = 'SENT')`],
    ['an entry that keeps its facts', `seq = (SELECT min(seq) FROM event WHERE type = 'SETTLED')`],
    ['the entry of an archive', `type = 'ARCHIVED'`],
  ])('audit: %s is broken without its facts', async (_, which) => {
    const trader = createTrader(journal, clock)
    for (const year of [0, 1]) await tradeYear(trader, { year, swaps: 2 })
    await archive(begin + yearMs)
    await place.exec(`UPDATE event SET facts = ${none} WHERE ${which}`)
    expect(
      (await journal.log.verify(undefined).catch(() => ({ broken: 'unreadable' }))).broken,
    ).toBeDefined()
    await expect(journal.log.assertConsistent()).rejects.toThrow()
  })

  test('audit: an archived entry is held to the ones around it, its bytes to its swap', async () => {
    const trader = createTrader(journal, clock)
    for (const year of [0, 1]) await tradeYear(trader, { year, swaps: 2 })
    await archive(begin + yearMs)
    const sent = `(SELECT min(seq) FROM event WHERE type = 'SENT')`
    await place.exec(`UPDATE event SET prev = hash WHERE seq = ${sent}`)
    expect((await journal.log.verify(undefined)).broken).toBeDefined()
    await place.exec(
      `UPDATE event SET prev = (SELECT hash FROM event AS one WHERE one.seq = event.seq - 1) WHERE seq = ${sent}`,
    )
    expect((await journal.log.verify(undefined)).broken).toBeUndefined()
    await place.exec(
      `UPDATE attempt SET raw = ${none} WHERE nonce = (SELECT max(nonce) FROM attempt)`,
    )
    expect((await journal.log.verify(undefined)).swaps).toHaveLength(1)
  })

  test('audit: each archive is the file that the log names, with the facts it was written with', async () => {
    const trader = createTrader(journal, clock)
    for (const year of [0, 1, 2]) await tradeYear(trader, { year, swaps: 2 })
    for (const year of [1, 2]) await archive(begin + year * yearMs)
    const check = () => journal.log.verifyArchives({ folder: folder(), isSigned: async () => true })
    expect((await check()).map(({ verdict }) => verdict)).toEqual(['whole', 'whole'])
    const [first = '', second = ''] = (await check()).map(({ file }) => join(folder(), file))
    renameSync(second, `${second}.away`)
    expect(await check()).toMatchObject([{ verdict: 'whole' }, { verdict: 'missing' }])
    renameSync(`${second}.away`, second)
    // The live row of an archived entry, changed together with nothing else.
    await place.exec(
      `UPDATE event SET at = at + 1 WHERE seq = (SELECT min(seq) FROM event WHERE type = 'SENT')`,
    )
    expect(await check()).toMatchObject([{ verdict: 'broken' }, { verdict: 'whole' }])
    appendFileSync(first, 'x')
    expect(await check()).toMatchObject([
      { verdict: 'broken', why: 'it is not the file that was written' },
      { verdict: 'whole' },
    ])
    await expect(tellAll(place, clock)).rejects.toMatchObject({ code: 'ARCHIVE_CHANGED' })
    rmSync(first)
    // Pages show what they can.
    const reading = await readJournal({ ...place, clock })
    const rows = await reading.decisions.newest({ strategy: 'test', limit: 1_000 })
    expect(rows.some(({ context }) => context === '')).toBe(true)
    await reading.shut()
    const story = tellAll(place, clock)
    await expect(story).rejects.toMatchObject({
      code: 'ARCHIVE_MISSING',
      summary: expect.stringContaining(basename(first)),
    })
  })
})

/** A database's own words for no bytes. */
const none = `''`

const fail = () => {
  throw new Error('there is an archive')
}

/** Another first entry, and a chain behind it that follows from it. */
async function writeAnew({ database }: Place): Promise<void> {
  const db = await openDatabase(database)
  try {
    await db.transaction().execute(async (trx) => {
      let prev = genesis
      for (const row of await trx.selectFrom('event').selectAll().orderBy('seq').execute()) {
        const entry = row.seq === 1 ? { ...row, at: row.at + 1 } : row
        const hash = chainHash(prev, entry)
        const changed = { at: entry.at, prev: packed(prev), hash: packed(hash) }
        await trx.updateTable('event').set(changed).where('seq', '=', row.seq).execute()
        prev = hash
      }
    })
  } finally {
    await db.destroy()
  }
}

/** Drops one page, then is killed. */
async function thinOnePage(
  { database }: Place,
  reach: { upto: number; before: number; clock: ReturnType<typeof createVirtualClock> },
): Promise<number> {
  const db = await openDatabase(database)
  try {
    const sleep = () => Promise.reject(new Error('killed'))
    return await thin(db, { ...reach, clock: { ...reach.clock, sleep } })
  } finally {
    await db.destroy()
  }
}
