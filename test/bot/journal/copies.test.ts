import fs, { readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { join } from 'node:path'
import type { Worker } from 'node:worker_threads'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { archiveJournal } from '../../../src/bot/journal/archiveJournal.ts'
import { backUp } from '../../../src/bot/journal/copies.ts'
import { type Journal, openJournal } from '../../../src/bot/journal/openJournal.ts'
import { readJournal } from '../../../src/bot/journal/readJournal.ts'
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

/** How the disk gives a file a second name. */
function withLink(link: typeof fs.linkSync): void {
  fs.linkSync = link
  syncBuiltinESMExports()
}

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

test('of two backups of one name at once one is made, whole, and the other is told so', async () => {
  const copy = join(place.folder, 'copy.db')
  const made = await Promise.allSettled([1, 2].map(() => backUp({ ...place, clock }, copy)))
  expect(made).toMatchObject([
    { status: 'fulfilled', value: { head: await journal.log.head() } },
    { status: 'rejected', reason: { code: 'JOURNAL_BUSY', facts: { file: copy } } },
  ])
  expect(beside('copy.db')).toEqual(['copy.db'])
  const database = { dialect: 'sqlite', path: copy } as const
  const copied = await readJournal({ ...place, database, clock })
  expect(await copied.log.head()).toBe(await journal.log.head())
  await copied.shut()
})

test.each(['-wal', '-shm', '-journal'])(
  'no backup is made beside what an older one left, which a restore would read into it: %s',
  async (end) => {
    const copy = join(place.folder, 'copy.db')
    writeFileSync(`${copy}${end}`, 'older entries')
    await expect(backUp({ ...place, clock }, copy)).rejects.toMatchObject({
      code: 'FILE_EXISTS',
      facts: { file: `${copy}${end}` },
    })
    expect(beside('copy.db')).toEqual([`copy.db${end}`])
  },
)

test.each(['a disk with links', 'a disk without'])(
  '%s: a file that appeared under the name of a backup meanwhile stays',
  async (disk) => {
    const copy = join(place.folder, 'copy.db')
    afterCopying(() => writeFileSync(copy, 'what another one needs'))
    const link = fs.linkSync
    if (disk === 'a disk without')
      withLink(() => {
        throw Object.assign(new Error('no links'), { code: 'EPERM' })
      })
    await expect(
      backUp({ ...place, clock }, copy).finally(() => withLink(link)),
    ).rejects.toMatchObject({ code: 'FILE_EXISTS' })
    expect(readFileSync(copy, 'utf8')).toBe('what another one needs')
    expect(beside('copy.db')).toEqual(['copy.db'])
  },
)

test('a backup is made on a disk without links', async () => {
  const copy = join(place.folder, 'copy.db')
  const link = fs.linkSync
  withLink(() => {
    throw Object.assign(new Error('no links'), { code: 'EPERM' })
  })
  const { head } = await backUp({ ...place, clock }, copy).finally(() => withLink(link))
  expect([head, beside('copy.db')]).toEqual([await journal.log.head(), ['copy.db']])
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
