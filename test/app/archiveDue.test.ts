import { existsSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { archiveDue } from '../../src/app/archiveDue.ts'
import { type Journal, openJournal } from '../../src/bot/journal/openJournal.ts'
import { archiveDueMs } from '../../src/bot/report/attention.ts'
import { createLog } from '../../src/bot/report/createLog.ts'
import { dayMs } from '../../src/core/spans.ts'
import {
  begin,
  createTrader,
  createVirtualClock,
  tradeYear,
} from '../bot/journal/archive/tradeThrough.ts'
import { samplePlan, wallet } from '../bot/journal/sampleSwap.ts'
import { type Place, places } from '../support/journals.ts'

const retentionMs = 100 * dayMs
const due = begin + archiveDueMs(retentionMs)

describe.each(places)('$dialect', ({ make }) => {
  let place: Place
  let journal: Journal
  let lines: readonly { readonly msg: string; readonly level: number }[]
  const clock = createVirtualClock()

  beforeEach(async () => {
    place = await make()
    clock.set(begin)
    lines = []
    journal = await openJournal({ ...place, clock })
    await journal.wallet.adopt({ chainId: 31_337, wallet, nonceOfChain: 0 })
    await tradeYear(createTrader(journal, clock), { year: 0, swaps: 12 })
  })
  afterEach(async () => {
    await journal.shut()
    await place.remove()
  })

  const archives = () => join(place.folder, 'archives')
  const count = () =>
    existsSync(archives())
      ? readdirSync(archives()).filter((file) => file.endsWith('.db')).length
      : 0
  const round = (kept: { retentionMs: number | undefined } = { retentionMs }) =>
    archiveDue({
      config: { database: place.database, journal: { ...kept, archives: archives() } },
      ...{ journal, clock },
      sign: async () => undefined,
      log: createLog({ level: 'info', sink: (line) => (lines = [...lines, JSON.parse(line)]) }),
    })

  test('archiveDue: archives by itself when enough is older than the retention, and not before', async () => {
    clock.set(due - 1)
    await round()
    clock.set(due)
    await round({ retentionMs: undefined })
    expect(count()).toBe(0)
    await round()
    expect(lines).toMatchObject([{ msg: 'archived', level: 30, signed: false }])
    expect(await journal.archiving.oldestBody()).toBeGreaterThanOrEqual(due - retentionMs)
    await round()
    expect(count()).toBe(1)
    clock.set(due + archiveDueMs(retentionMs))
    await round()
    expect(count()).toBe(2)
  })

  test('archiveDue: waits while a swap is open', async () => {
    clock.set(due)
    const planned = samplePlan()
    await journal.swaps.reserve(planned, () => {})
    await round()
    expect(count()).toBe(0)
    await journal.swaps.close({ swapId: planned.swapId, as: 'ABANDONED', code: 'A', reason: 'so' })
    await round()
    expect(count()).toBe(1)
  })

  test('archiveDue: a folder that cannot be written is a warning, and nothing is dropped', async () => {
    clock.set(due)
    writeFileSync(archives(), 'not a folder')
    await round()
    expect(lines).toMatchObject([{ level: 40, err: { code: 'ARCHIVE_FAILED' } }])
    expect(await place.rows('SELECT seq FROM event WHERE length(facts) = 0')).toEqual([])
    rmSync(archives())
    await round()
    expect(lines[1]).toMatchObject({ msg: 'archived' })
  })
})
