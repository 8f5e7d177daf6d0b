import pg from 'pg'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { holdJournal } from '../../../src/bot/journal/holdJournal.ts'
import { type Journal, openJournal } from '../../../src/bot/journal/openJournal.ts'
import { journalExists } from '../../../src/bot/journal/schema/openDatabase.ts'
import { journalName, type ServerDatabase } from '../../../src/bot/journal/store/database.ts'
import { beginWriting } from '../../../src/bot/journal/store/postgres/takeLease.ts'
import { systemClock } from '../../../src/core/clock.ts'
import { onFleetServer, type Place } from '../../support/journals.ts'
import { samplePlan, wallet } from './sampleSwap.ts'

/** Journals of one database, each in a schema of its own. */

let place: Place
let undo: (() => Promise<unknown>)[] = []

beforeEach(async () => {
  place = await onFleetServer()
})
afterEach(async () => {
  for (const each of undo.reverse()) await each()
  undo = []
  await place.remove()
})

const within = (schema: string) => ({ ...(place.database as ServerDatabase), schema })
const open = async (schema: string): Promise<Journal> => {
  const { haltFile } = place
  const journal = await openJournal({ database: within(schema), haltFile, clock: systemClock })
  undo.push(() => journal.shut())
  return journal
}
const write = ({ swaps }: Journal) => swaps.reserve(samplePlan(), () => {})

test('each has its own swaps, log and migrations, beside one in public', async () => {
  expect(await journalExists(within('wallet_a'))).toBe(false)
  const [a, b] = [await open('wallet_a'), await open('wallet_b')]
  const beside = await openJournal({ ...place, clock: systemClock })
  undo.push(() => beside.shut())
  expect(await journalExists(within('wallet_a'))).toBe(true)
  for (const journal of [a, a, b]) expect(await write(journal)).toBe(true)
  expect(await Promise.all([a, b, beside].map((one) => one.log.verify(undefined)))).toMatchObject([
    { count: 2, broken: undefined },
    { count: 1, broken: undefined },
    { count: 0, broken: undefined },
  ])
  expect(await place.rows('SELECT id FROM public.swap')).toEqual([])
  expect(await place.rows('SELECT seq FROM wallet_a.event')).toEqual([{ seq: 1 }, { seq: 2 }])
})

test('a writer of one keeps no writer of another waiting', async () => {
  const [a, b] = [await open('wallet_a'), await open('wallet_b')]
  const other = new pg.Client({ connectionString: within('').url.reveal() })
  await other.connect()
  undo.push(() => other.end())
  await other.query(beginWriting(within('wallet_a')))
  expect(await write(b)).toBe(true)
  await expect(write(a)).rejects.toMatchObject({ code: 'JOURNAL_BUSY' })
  await other.query('ROLLBACK')
  expect(await write(a)).toBe(true)
})

test('each has one holder', async () => {
  const hold = (schema: string) =>
    holdJournal({
      ...{ database: within(schema), chainId: 31_337, wallet },
      ...{ stateFolder: undefined, clock: systemClock },
    })
  const [a, b] = [await hold('wallet_a'), await hold('wallet_b')]
  undo.push(a.release, b.release)
  await expect(hold('wallet_a')).rejects.toMatchObject({
    code: 'JOURNAL_LOCKED',
    facts: { journal: journalName(within('wallet_a')) },
  })
  expect(journalName(within('wallet_a'))).toMatch(/^postgres:\/\/127\.0\.0\.1:\d+\/\w+\/wallet_a$/)
})

test('those of one process share its connections', async () => {
  const names = Array.from({ length: 12 }, (_, index) => `wallet_${index}`)
  const journals = await Promise.all(names.map(open))
  await Promise.all(journals.flatMap((journal) => [write(journal), write(journal)]))
  const [{ connections } = { connections: 0 }] = await place.rows<{ connections: number }>(`
    SELECT count(*) AS connections FROM pg_stat_activity
    WHERE datname = current_database() AND application_name = 'ballast'`)
  expect(connections).toBeGreaterThan(1)
  expect(connections).toBeLessThanOrEqual(8)
  for (const journal of journals)
    expect(await journal.log.verify(undefined)).toMatchObject({ count: 2, broken: undefined })
})
