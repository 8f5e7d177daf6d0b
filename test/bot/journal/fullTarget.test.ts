import { execFile } from 'node:child_process'
import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { backUp } from '../../../src/bot/journal/copies.ts'
import { openJournal } from '../../../src/bot/journal/openJournal.ts'
import { systemClock } from '../../../src/core/clock.ts'
import { type Place, places } from '../../support/journals.ts'
import { wallet } from './sampleSwap.ts'

let place: Place
beforeEach(async () => {
  const [inFile] = places
  if (inFile === undefined) throw new Error('there is a place for files')
  place = await inFile.make()
  await (await openJournal({ ...place, clock: systemClock })).shut()
})
afterEach(() => place.remove())

/** The failure of a program where no file may grow beyond a part of a journal, as on a disk that is full. */
async function onFullDisk(script: string): Promise<unknown> {
  // The thread that copies takes over how its process reads a script: no module.
  const program = `(async () => {
    const { backUp, restore } = await import('./src/bot/journal/copies.ts')
    const { toFile } = await import('./src/story/export/writeRows.ts')
    const { systemClock: clock } = await import('./src/core/clock.ts')
    const database = ${place.source}
    const { code, summary, facts } = await (${script}).then(() => ({}), (error) => error)
    console.log(JSON.stringify({ code, summary, facts }))
  })()`
  const { stdout } = await promisify(execFile)('sh', [
    '-c',
    'ulimit -f 100; exec "$0" --no-warnings --eval "$1"',
    process.execPath,
    program,
  ])
  return JSON.parse(stdout)
}

const files = () => readdirSync(place.folder).filter((name) => !name.endsWith('.lock'))

test('a full disk: of a backup that has no room the journal is not to blame', async () => {
  const copy = join(place.folder, 'copy.db')
  expect(await onFullDisk(`backUp({ database, clock }, ${JSON.stringify(copy)})`)).toMatchObject({
    code: 'FILE_NOT_WRITTEN',
    facts: { file: copy },
  })
  expect(files().filter((name) => !name.startsWith('journal.db'))).toEqual([])
})

test('a full disk: a restore that has no room says so, and the journal stays', async () => {
  const copy = join(place.folder, 'copy.db')
  await backUp({ ...place, clock: systemClock }, copy)
  const path = join(place.folder, 'journal.db')
  const before = statSync(path).ino
  const restoring = `restore({ database, clock, wallet: '${wallet}' }, ${JSON.stringify(copy)})`
  expect(await onFullDisk(restoring)).toMatchObject({
    code: 'FILE_NOT_WRITTEN',
    facts: { file: path },
  })
  expect(files()).toEqual(['copy.db', 'journal.db'])
  expect(statSync(path).ino).toBe(before)
})

test('a full disk: an export that has no room names its file, and leaves nothing', async () => {
  const file = join(place.folder, 'out.csv')
  const exporting = `toFile(${JSON.stringify(file)}, (sink) => sink('x'.repeat(1_000_000)))`
  expect(await onFullDisk(exporting)).toMatchObject({
    code: 'EXPORT_FILE',
    summary: expect.stringContaining('out.csv cannot be written (EFBIG)'),
  })
  expect(files()).toEqual(['journal.db'])
})
