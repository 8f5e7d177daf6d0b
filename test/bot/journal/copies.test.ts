import { readdirSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { Worker } from 'node:worker_threads'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { archiveJournal } from '../../../src/bot/journal/archiveJournal.ts'
import { backUp } from '../../../src/bot/journal/copies.ts'
import { type Journal, openJournal } from '../../../src/bot/journal/openJournal.ts'
import { type Place, places } from '../../support/journals.ts'
import {
  begin,
  createTrader,
  createVirtualClock,
  tradeYear,
  yearMs,
} from './archive/tradeThrough.ts'
import { wallet } from './sampleSwap.ts'

let place: Place
let journal: Journal
const clock = createVirtualClock()

beforeEach(async () => {
  place = (await places.find(({ dialect }) => dialect === 'sqlite')?.make()) ?? fail()
  clock.set(begin)
  journal = await openJournal({ ...place, clock })
  await journal.wallet.adopt({ chainId: 31_337, wallet, nonceOfChain: 0 })
  await tradeYear(createTrader(journal, clock), { year: 0, swaps: 2 })
})
afterEach(async () => {
  await journal.shut()
  await place.remove()
})

const fail = () => {
  throw new Error('there is a place for files')
}

/** Is done once a file was copied, before the copy is read through. */
const afterCopying = (work: () => void) =>
  process.once('worker', (thread: Worker) => thread.once('exit', work))

const beside = (name: string) => readdirSync(place.folder).filter((file) => file.startsWith(name))

test('a backup that disappears before it was read through is reported as none', async () => {
  const copy = join(place.folder, 'copy.db')
  afterCopying(() => rmSync(`${copy}.partial`))
  await expect(backUp({ ...place, clock }, copy)).rejects.toMatchObject({
    code: 'FILE_NOT_WRITTEN',
    facts: { reason: 'it was removed while it was made' },
  })
  expect(beside('copy.db')).toEqual([])
})

test('an archive that disappears before it was read through is named nowhere, and nothing is dropped', async () => {
  const folder = join(place.folder, 'archives')
  clock.set(begin + 2 * yearMs)
  afterCopying(() => rmSync(join(folder, 'journal.partial')))
  await expect(
    archiveJournal({ journal, database: place.database, folder, clock }, begin + yearMs),
  ).rejects.toMatchObject({
    code: 'ARCHIVE_FAILED',
    facts: { reason: 'it was removed while it was made' },
  })
  expect(readdirSync(folder).filter((file) => file.endsWith('.db'))).toEqual([])
  expect(await journal.archiving.last()).toBeUndefined()
  expect(await place.rows(`SELECT seq FROM event WHERE length(facts) = 0`)).toEqual([])
})

test('a backup is held to what its journal had: a file that another one put in its place is none', async () => {
  const [copy, other] = [join(place.folder, 'copy.db'), join(place.folder, 'other.db')]
  await (
    await openJournal({ ...place, database: { dialect: 'sqlite', path: other }, clock })
  ).shut()
  afterCopying(() => renameSync(other, `${copy}.partial`))
  await expect(backUp({ ...place, clock }, copy)).rejects.toMatchObject({
    code: 'FILE_NOT_WRITTEN',
    facts: { reason: 'it lacks entries that the journal has' },
  })
  expect(beside('copy.db')).toEqual([])
})
