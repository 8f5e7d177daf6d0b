import { afterEach, beforeEach, expect, test } from 'vitest'
import { notedHead, noteHeads } from '../../../src/bot/journal/audit/commonLog.ts'
import { type Journal, openJournal } from '../../../src/bot/journal/openJournal.ts'
import type { ServerDatabase } from '../../../src/bot/journal/store/database.ts'
import { systemClock } from '../../../src/core/clock.ts'
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
  expect(notes.map(({ seq }) => seq).sort()).toEqual([1, 2, 3])
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

test.each([
  ['a note that was changed', "UPDATE ballast_queue.common_log SET heads = '{}' WHERE seq = 1"],
  ['one that was taken out', 'DELETE FROM ballast_queue.common_log WHERE seq = 1'],
  ['one with another instant', 'UPDATE ballast_queue.common_log SET at = 7 WHERE seq = 2'],
])('%s is found out', async (_, change) => {
  await noteHeads(within(), 1)
  await noteHeads(within(), 2)
  await place.exec(change)
  await expect(notedHead(within(schemas[0]))).rejects.toMatchObject({ code: 'COMMON_LOG_BROKEN' })
})
