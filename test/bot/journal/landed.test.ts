import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { type Journal, openJournal } from '../../../src/bot/journal/openJournal.ts'
import { readJournal } from '../../../src/bot/journal/readJournal.ts'
import { systemClock as clock } from '../../../src/core/clock.ts'
import { samplePlan, usdc, wallet } from './sampleSwap.ts'

/**
 * `landed.sql` is a journal as revision 248a2ee wrote it, dumped row by row: locks, a decision with a refusal, a settled
 * swap with its approval, a rejected one, and one under way with two bids for its nonce. Whatever is moved or merged
 * here, such a journal must open and go on.
 */
const dump = readFileSync(join(import.meta.dirname, 'landed.sql'), 'utf8')
const head = '193664652524e81356e3156a006549cd71fda683d9ffad27db57e4a2927c247f'

let folder: string
let path: string
let journal: Journal
const placeOf = (file: string) => ({
  database: { dialect: 'sqlite', path: file } as const,
  haltFile: join(folder, 'HALT'),
  clock,
})

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'ballast-landed-'))
  path = join(folder, 'journal.db')
  const file = new DatabaseSync(path)
  file.exec(`PRAGMA foreign_keys = OFF; ${dump}`)
  file.close()
  journal = await openJournal(placeOf(path))
})
afterEach(async () => {
  await journal.shut()
  rmSync(folder, { recursive: true })
})

/** Every statement that made the schema, and the migrations it counts as applied. */
function schemaOf(file: string) {
  const db = new DatabaseSync(file, { readOnly: true })
  const made = db.prepare('SELECT name, sql FROM sqlite_master ORDER BY name').all()
  const applied = db.prepare('SELECT name FROM kysely_migration ORDER BY name').all()
  db.close()
  return { made, applied }
}

test('a journal of the landed revision: its schema is, statement by statement, the one made today', async () => {
  const fresh = join(folder, 'fresh.db')
  await (await openJournal(placeOf(fresh))).shut()
  expect(schemaOf(path)).toEqual(schemaOf(fresh))
})

test('a journal of the landed revision: its log is whole, and every reader understands it', async () => {
  await journal.log.assertConsistent()
  await journal.locks.assertUnchanged()
  const reading = await readJournal(placeOf(path))
  expect(await reading.log.verify(head)).toEqual({
    count: 21,
    head,
    broken: undefined,
    found: true,
    locks: [],
    swaps: [],
    accepted: [],
  })
  expect(await reading.locks.live()).toMatchObject([{ id: 1, scope: 'strategy another' }])
  const [under, refused, done] = await reading.swaps.history({ limit: 10 })
  expect(done).toMatchObject({
    state: 'SETTLED',
    gasPaidInAllWei: '84000',
    gasTipInAllWei: null,
    attempts: [{}, {}],
  })
  expect(refused).toMatchObject({ state: 'REJECTED', code: 'POLICY' })
  expect(under).toMatchObject({ id: 'sample-3', state: 'SIGNED', attempts: [{}, {}] })
  const [dossier] = await reading.swaps.dossiers(['sample-1'])
  expect(dossier).toMatchObject({ moved: { received: { token: usdc, wei: 3_000n } } })
  const standing = await reading.decisions.inputs('test', {
    slice: samplePlan().intent.sell,
  })
  expect(standing).toMatchObject({
    memory: { turns: 1 },
    inflight: [{ swapId: 'sample-3' }],
    totals: [{ swaps: 1 }],
  })
  expect(await reading.slots.missedAndFailed({ since: 0, limit: 9 })).toMatchObject([
    { state: 'missed' },
  ])
  await reading.shut()
})

test('a journal of the landed revision: what was under way goes on to its end', async () => {
  expect(await journal.swaps.open()).toEqual(['sample-3'])
  const { attempts, nonce, offer } = await journal.swaps.load('sample-3')
  expect({ nonce, offer }).toMatchObject({ nonce: 2, offer: { bids: 2, maxFeePerGas: 2n } })
  const bytes = attempts.at(-1)?.bytes
  if (bytes === undefined) throw new Error('it was signed')
  const { hash, swapId } = bytes
  await journal.attempts.noteSent({
    hash,
    swapId,
    block: 21,
    verdict: 'accepted',
    taken: true,
    words: 'accepted',
  })
  const receipt = {
    hash,
    blockNumber: 22,
    blockHash: `0x${'22'.repeat(32)}` as const,
    success: true,
    gasUsed: 21_000n,
    gasPaid: 42_000n,
    logs: [],
  }
  await journal.attempts.include({ swapId, receipt })
  const sold = samplePlan().intent.sell
  await journal.attempts.settle({
    swapId,
    measured: {
      sold,
      received: { token: usdc, wei: 3_000n },
      gasUsed: 21_000n,
      gasPaid: 42_000n,
      agrees: true,
      short: false,
    },
  })
  expect(await journal.swaps.open()).toEqual([])
  expect(await journal.log.verify(head)).toMatchObject({
    count: 24,
    broken: undefined,
    found: true,
    locks: [],
    swaps: [],
  })
  const scope = { chainId: 31_337, wallet, since: 0 }
  expect(await journal.books.recentLogDefects(scope)).toMatchObject({
    after: 14,
    entries: 10,
    defects: [],
  })
})
