import { createHash } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { openJournal } from '../../../src/bot/journal/openJournal.ts'
import { readJournal } from '../../../src/bot/journal/readJournal.ts'
import { packed, unpacked } from '../../../src/bot/journal/store/packed.ts'
import { bytesColumns, storedTransaction } from '../../../src/bot/journal/store/rows.ts'
import { words } from '../../../src/bot/journal/store/words.ts'
import { anyText } from '../../support/anyText.ts'
import { places } from '../../support/journals.ts'
import { sampleBytes, samplePlan, sampleQuote, wallet } from './sampleSwap.ts'

test('a packed text is the text again, whatever it is', () => {
  fc.assert(
    fc.property(fc.oneof(fc.json(), anyText()), (text) => {
      expect(unpacked(packed(text))).toBe(text.toWellFormed())
    }),
    { examples: [['\u0001'], ['\u0002'], ['\u0002a']] },
  )
})

test('a text of before there were packed ones is read as it is', () => {
  for (const text of ['', '{}', '[]', '0x02', '{"a":"ä"}']) {
    expect(unpacked(Buffer.from(text))).toBe(text)
    expect(packed(text).length).toBeLessThanOrEqual(Buffer.byteLength(text))
  }
})

test('the words are those that stored texts were packed by', () => {
  expect(createHash('sha256').update(words).digest('hex')).toBe(
    '74a49251e54d3ed92b49d4e057881a9cf0872d280040cccc3cf35fe7a935bc45',
  )
  const kept = 'AYMv3DBHXaaBdWlDLQA='
  expect(unpacked(Buffer.from(kept, 'base64'))).toBe(
    '{"block":7,"hash":"0x","name":"verify.router"}',
  )
})

test('damaged bytes are no JSON, and none of them fill the memory', () => {
  const whole = packed(`{"a":"${'x'.repeat(1_000)}"}`)
  expect(unpacked(whole.subarray(0, 5))).toBe('(damaged)')
  expect(unpacked(packed(`{"a":"${'x'.repeat(64 * 2 ** 20)}"}`))).toBe('(damaged)')
})

/** The key of each table, and its long texts. */
const tables: Readonly<Record<string, readonly [string, ...string[]]>> = {
  event: ['seq', 'facts', 'prev', 'hash'],
  quote: ['swap_id', 'body', 'checks', 'simulation'],
  attempt: ['hash', 'raw', 'transaction'],
  swap: ['id', 'plan'],
}

describe.each(places)('$dialect', ({ dialect, make }) => {
  const clock = { now: () => 1_000_000, sleep: async () => {} }

  test('what an older version stored as it was stands beside what is packed, in one chain', async () => {
    const place = await make()
    let journal = await openJournal({ ...place, clock })
    await journal.wallet.adopt({ chainId: 31_337, wallet, nonceOfChain: 0 })
    const swap = async (nonce: number) => {
      const planned = samplePlan()
      await journal.swaps.reserve(planned, () => {})
      await journal.attempts.commitSwap(sampleBytes(planned, nonce), sampleQuote(planned))
      await journal.attempts.close({
        ...{ swapId: planned.swapId, as: 'DISPLACED', code: 'X', reason: 'x' },
      })
      return planned.swapId
    }
    const first = await swap(0)
    const report = await journal.log.verify(undefined)
    const told = async () => [
      // What came after it has a table of its own, which that version lacked.
      (await journal.swaps.dossiers([first])).map((dossier) => ({
        ...dossier,
        aftermath: undefined,
      })),
      await journal.swaps.evidence(first),
      (await journal.swaps.load(first)).attempts,
      await journal.log.ofSwap(first),
    ]
    const before = await told()
    // As the version before this one stored them, in the columns it had.
    for (const [table, [key, ...texts]] of Object.entries(tables)) {
      const named = texts.map((column) => `"${column}"`)
      for (const row of await place.rows(`SELECT ${key}, ${named} FROM ${table}`))
        for (const column of texts)
          await place.exec(
            `UPDATE ${table} SET "${column}" = '${row[column]}' WHERE ${key} = '${row[key]}'`,
          )
    }
    await journal.shut()
    const asText = (table: string, column: string) =>
      `ALTER TABLE ${table} ALTER COLUMN "${column}" TYPE text USING convert_from("${column}", 'UTF8');`
    if (dialect === 'postgres')
      for (const [table, [, ...texts]] of Object.entries(tables))
        await place.exec(texts.map((column) => asText(table, column)).join(''))
    await place.exec(`DROP INDEX bodies_of_log; DROP INDEX archives_of_log; DROP INDEX bodies_of_decisions;
      DROP INDEX params_of_strategy; DROP INDEX unsettled_swaps; DROP INDEX unsettled_of_strategy;
      ALTER TABLE lock DROP COLUMN opened_by; ALTER TABLE lock DROP COLUMN released_by;
      DROP TABLE valuation;
      DROP TABLE permit;
      ALTER TABLE attempt DROP COLUMN published_at; DROP TABLE aftermath;
      ALTER TABLE swap DROP COLUMN base_paid; ALTER TABLE attempt DROP COLUMN base_paid;
      ALTER TABLE quote DROP COLUMN legs;
      DELETE FROM kysely_migration WHERE name >= '0021'`)
    journal = await openJournal({ ...place, clock })
    expect(await told()).toEqual(before)
    await swap(1)
    expect(await journal.log.verify(report.head)).toMatchObject({
      ...{ count: report.count * 2, broken: undefined, found: true, swaps: [] },
    })
    await journal.shut()
    await place.remove()
  })

  test('an entry whose bytes were damaged is named, and is no failure of the walk', async () => {
    const place = await make()
    const journal = await openJournal({ ...place, clock })
    await journal.wallet.adopt({ chainId: 31_337, wallet, nonceOfChain: 0 })
    await journal.swaps.reserve(samplePlan(), () => {})
    const bytes = dialect === 'sqlite' ? `x'01ff'` : `'\\x01ff'`
    await place.exec(`UPDATE event SET facts = ${bytes} WHERE seq = 1`)
    const reader = await readJournal({ ...place, clock })
    expect(await reader.log.verify(undefined)).toMatchObject({
      broken: { seq: 1, why: 'it is not what was written' },
    })
    await reader.shut()
    await journal.shut()
    await place.remove()
  })
})

test('long calldata is stored once, in the bytes; that of an approval stays in both', () => {
  const bytesOf = (calldata: string) => {
    const transaction = {
      ...{
        to: wallet,
        data: `0x${calldata}` as const,
        value: 0n,
        gas: 1n,
        chainId: 31_337,
        nonce: 7,
      },
      ...{ maxFeePerGas: 3n, maxPriorityFeePerGas: 2n },
    } as const
    const columns = bytesColumns({ raw: `0x02f9${calldata}c0`, transaction })
    const row = { raw: unpacked(columns.raw), transaction: unpacked(columns.transaction) }
    expect(storedTransaction(row)).toEqual(transaction)
    return row.transaction
  }
  expect(bytesOf('ab'.repeat(400))).toContain('"data":"bytes 6 to 806"')
  expect(bytesOf('ab'.repeat(68))).toContain('abab')
  expect(bytesOf('')).toContain('"data":"0x"')
})
