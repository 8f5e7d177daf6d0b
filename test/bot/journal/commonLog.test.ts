import { createHash } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { notedHead, noteHeads } from '../../../src/bot/journal/audit/commonLog.ts'
import { type Journal, openJournal } from '../../../src/bot/journal/openJournal.ts'
import type { ServerDatabase } from '../../../src/bot/journal/store/database.ts'
import { systemClock } from '../../../src/core/clock.ts'
import { compactJson } from '../../../src/core/json.ts'
import { callCli } from '../../cli/callCli.ts'
import { goodYaml } from '../../config/goodYaml.ts'
import { onFleetServer, type Place } from '../../support/journals.ts'
import { samplePlan } from './sampleSwap.ts'

/** The chain in which the heads of all logs of a fleet are noted. */

const schemas = ['a', 'b'].map((digit) => `wallet_31337_${digit.repeat(40)}`)
let place: Place
let journals: Journal[] = []

const within = (schema = ''): ServerDatabase => ({
  ...(place.database as ServerDatabase),
  schema,
})
beforeEach(async () => {
  place = await onFleetServer()
  await place.exec('CREATE SCHEMA ballast_queue')
  const { haltFile } = place
  journals = await Promise.all(
    schemas.map((schema) =>
      openJournal({ database: within(schema), haltFile, clock: systemClock }),
    ),
  )
  for (const journal of journals) await write(journal)
})
afterEach(async () => {
  await Promise.all(journals.map((journal) => journal.shut()))
  await place.remove()
})

const write = (journal: Journal | undefined) => journal?.swaps.reserve(samplePlan(), () => {})
const verify = async (nth: number) =>
  journals[nth]?.log.verify(await notedHead(within(schemas[nth])))

test('each log must still have the entry that was noted of it', async () => {
  expect(await notedHead(within(schemas[0]))).toBeUndefined()
  const notes = await Promise.all([1, 2, 3].map((at) => noteHeads(within(), at)))
  expect(notes.map(({ seq }) => seq)).toEqual([1, 1, 1])
  await write(journals[0])
  expect(await verify(0)).toMatchObject({ count: 2, broken: undefined, found: true })
  expect(await verify(1)).toMatchObject({ count: 1, found: true })
})

test('a log that was cut off behind its own back is found out', async () => {
  await write(journals[0])
  await noteHeads(within(), 1)
  const [own] = schemas
  await place.exec(`DELETE FROM ${own}.event WHERE seq = 2`)
  // By itself the rest is a chain without a fault.
  expect(await journals[0]?.log.verify(undefined)).toMatchObject({ count: 1, broken: undefined })
  expect(await verify(0)).toMatchObject({ found: false })
  expect(await verify(1)).toMatchObject({ found: true })
})

test('a log that still has the entry of `--head` is held to the note as well', async () => {
  const address = `0x${'a'.repeat(40)}`
  writeFileSync(
    join(place.folder, 'ballast.yaml'),
    goodYaml.replace(/^wallet: .*$/m, `wallets: [{ name: one, address: "${address}" }]`),
  )
  const database = within()
  const environment = { DATABASE_URL: database.url.reveal() }
  const verifyBy = (...args: readonly string[]) =>
    callCli(['audit', 'verify', '--wallet', 'one', ...args], { cwd: place.folder, environment })
  const head = (await journals[0]?.log.head()) ?? ''
  await write(journals[0])
  await noteHeads(within(), 1)
  expect((await verifyBy('--head', head)).code).toBe(0)
  await place.exec(`DELETE FROM ${schemas[0]}.event WHERE seq = 2`)
  for (const args of [[], ['--head', head]])
    expect(await verifyBy(...args)).toMatchObject({
      ...{ code: 3, stdout: expect.stringContaining('BROKEN') },
    })
})

test('it stays found out, however often the heads are noted after it, and the others are noted on', async () => {
  const [own, other] = schemas
  await write(journals[0])
  expect(await noteHeads(within(), 1)).toMatchObject({ contradicted: [] })
  await place.exec(`DELETE FROM ${own}.event WHERE seq = 2`)
  await write(journals[1])
  expect(await noteHeads(within(), 2)).toMatchObject({ seq: 2, contradicted: [own] })
  // Written anew: as long as before, and another.
  await place.exec(
    `UPDATE ${own}.event SET hash = (SELECT hash FROM ${other}.event WHERE seq = 1) WHERE seq = 1`,
  )
  await place.exec(`UPDATE ${own}.event SET seq = 2 WHERE seq = 1`)
  expect(await noteHeads(within(), 3)).toMatchObject({ seq: 2, contradicted: [own] })
  const noted = await place.rows<{ heads: string }>(
    'SELECT heads FROM ballast_queue.common_log ORDER BY seq',
  )
  const [before, after] = noted.map(({ heads }) => JSON.parse(heads))
  expect(after[own ?? '']).toEqual(before[own ?? ''])
  expect(after[other ?? '']).toMatchObject({ seq: 2 })
})

test('where no log has grown nothing is noted, and a wallet that is gone contradicts nothing', async () => {
  const first = await noteHeads(within(), 1)
  expect(await noteHeads(within(), 2)).toEqual(first)
  await place.exec(`ALTER TABLE ${schemas[1]}.event RENAME TO was`)
  expect(await noteHeads(within(), 3)).toEqual(first)
  await place.exec(`ALTER TABLE ${schemas[1]}.was RENAME TO event`)
  // What comes back in its place is held to what was noted of it.
  await place.exec(`DELETE FROM ${schemas[1]}.event`)
  expect(await noteHeads(within(), 4)).toEqual(first)
  await write(journals[1])
  expect(await noteHeads(within(), 5)).toMatchObject({ contradicted: [schemas[1]] })
})

test('more notes than are read at once follow each other', async () => {
  await noteHeads(within(), 0)
  await place.exec('DELETE FROM ballast_queue.common_log')
  let prev = '0'.repeat(64)
  const rows = Array.from({ length: 600 }, (_, index) => {
    const entry = { at: index, heads: {}, seq: index + 1 }
    const hash = createHash('sha256').update(prev).update(compactJson(entry)).digest('hex')
    const row = `(${entry.seq}, ${entry.at}, '{}', '${prev}', '${hash}')`
    prev = hash
    return row
  })
  await place.exec(`INSERT INTO ballast_queue.common_log VALUES ${rows.join()}`)
  expect(await noteHeads(within(), 601)).toMatchObject({ seq: 601 })
  expect(await verify(0)).toMatchObject({ count: 1, found: true })
  await place.exec("UPDATE ballast_queue.common_log SET heads = '[]' WHERE seq = 550")
  await expect(notedHead(within(schemas[0]))).rejects.toMatchObject({
    ...{ code: 'COMMON_LOG_BROKEN', facts: { entry: 550 } },
  })
})

test.each([
  ['a note that was changed', "UPDATE ballast_queue.common_log SET heads = '{}' WHERE seq = 1"],
  ['one that was taken out', 'DELETE FROM ballast_queue.common_log WHERE seq = 1'],
  ['one with another instant', 'UPDATE ballast_queue.common_log SET at = 7 WHERE seq = 2'],
])('%s is found out', async (_, change) => {
  await noteHeads(within(), 1)
  await write(journals[0])
  await noteHeads(within(), 2)
  await place.exec(change)
  await expect(notedHead(within(schemas[0]))).rejects.toMatchObject({ code: 'COMMON_LOG_BROKEN' })
})
