import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type Journal, openJournal } from '../../../src/bot/journal/openJournal.ts'
import type { Receipt } from '../../../src/chain/calls/getReceipt.ts'
import { systemClock } from '../../../src/core/clock.ts'
import { type Place, places } from '../../support/journals.ts'
import { sampleBytes, samplePlan, sampleQuote, wallet } from './sampleSwap.ts'

describe.each(places)('$dialect', ({ make }) => {
  let place: Place
  let journal: Journal

  beforeEach(async () => {
    place = await make()
    journal = await openJournal({ ...place, clock: systemClock })
    await journal.wallet.adopt({ chainId: 31_337, wallet, nonceOfChain: 0 })
  })
  afterEach(async () => {
    await journal.shut()
    await place.remove()
  })

  type Row = { seq: number; swap_id: string; at: number; type: string; facts: string; hash: string }

  const receipt: Receipt = {
    hash: `0x${'a'.repeat(64)}`,
    blockNumber: 7,
    blockHash: `0x${'b'.repeat(64)}`,
    success: true,
    gasUsed: 100n,
    gasPaid: 300n,
    logs: [],
  } as unknown as Receipt

  /** Six entries: planned, verified, approving, approved, signed, included. */
  async function writeSwap() {
    const planned = samplePlan()
    await journal.swaps.reserve(planned, () => {})
    const approval = await journal.attempts.commitApproval(sampleBytes(planned, 0, 'APPROVE'))
    await journal.attempts.closeApproval({ hash: approval.hash, receipt })
    await journal.attempts.commitSwap(sampleBytes(planned, 1), sampleQuote(planned))
    await journal.attempts.include({ swapId: planned.swapId, receipt })
    return planned
  }

  const rows = () => place.rows<Row>('SELECT * FROM event ORDER BY seq')
  const tamper = (sql: string) => place.exec(sql)
  const verify = (head?: string) => journal.log.verify(head)

  describe('audit', () => {
    test('an untouched log is whole, and its head is known', async () => {
      expect(await verify()).toEqual({
        count: 0,
        head: '0'.repeat(64),
        broken: undefined,
        found: undefined,
        locks: [],
        swaps: [],
        accepted: [],
      })
      await writeSwap()
      const head = await journal.log.head()
      expect(await verify()).toEqual({
        count: 6,
        head,
        broken: undefined,
        found: undefined,
        locks: [],
        swaps: [],
        accepted: [],
      })
    })

    test('anybody can walk it: SHA-256 of the hash before and the entry', async () => {
      await writeSwap()
      let prev = '0'.repeat(64)
      for (const { seq, swap_id, at, type, facts, hash } of await rows()) {
        const entry = JSON.stringify({ at, facts, seq, swap_id, type })
        prev = createHash('sha256').update(`${prev}${entry}`).digest('hex')
        expect(hash).toBe(prev)
      }
    })

    test.each<[string, string, number]>([
      ['changed facts', `UPDATE event SET facts = '{}' WHERE seq = 3`, 3],
      ['changed time', 'UPDATE event SET at = at + 1 WHERE seq = 4', 4],
      ['changed type', `UPDATE event SET type = 'SETTLED' WHERE seq = 6`, 6],
      ['changed hash', `UPDATE event SET hash = prev WHERE seq = 2`, 2],
      ['moved to another swap', `UPDATE event SET swap_id = 'other' WHERE seq = 1`, 1],
      ['removed', 'DELETE FROM event WHERE seq = 3', 3],
      ['removed at the start', 'DELETE FROM event WHERE seq = 1', 1],
      [
        'inserted',
        `UPDATE event SET seq = -seq WHERE seq > 3;
       UPDATE event SET seq = 1 - seq WHERE seq < 0;
       INSERT INTO event SELECT 4, swap_id, at, 'OFFERED', facts, prev, hash FROM event WHERE seq = 3`,
        4,
      ],
      [
        'inserted at the end, linked but not hashed',
        `INSERT INTO event SELECT 7, swap_id, at, 'SETTLED', facts, hash, hash FROM event WHERE seq = 6`,
        7,
      ],
      [
        'reordered',
        `UPDATE event SET seq = -1 WHERE seq = 2; UPDATE event SET seq = 2 WHERE seq = 3;
       UPDATE event SET seq = 3 WHERE seq = -1`,
        2,
      ],
    ])('%s: the first wrong entry is named', async (_, sql, seq) => {
      await writeSwap()
      await tamper(sql)
      expect((await verify()).broken?.seq).toBe(seq)
    })

    test.each<[string, string, string]>([
      ['taken back', `UPDATE swap SET state = 'SENT'`, 'the table says SENT, the log INCLUDED'],
      [
        'lost',
        'DELETE FROM allowance; DELETE FROM attempt; DELETE FROM quote; DELETE FROM swap',
        'the log has it, and it is gone from the table',
      ],
      ['signed otherwise', `UPDATE attempt SET raw = '0xdead' WHERE kind = 'SWAP'`, 'signed bytes'],
      [
        'with its bytes gone',
        `DELETE FROM attempt WHERE kind = 'SWAP'`,
        'signed bytes are gone from the table',
      ],
      [
        'settled for more',
        `UPDATE swap SET received = '9999'`,
        'the table says that it moved other amounts than the log',
      ],
      [
        'put in',
        `INSERT INTO swap (id, key, strategy, chain_id, wallet, plan, sell_token, amount_in, state, version, reason,
         created_at, updated_at)
       SELECT 'forged', 'forged', strategy, chain_id, wallet, plan, sell_token, amount_in, 'REJECTED', 1, 'x',
         created_at, updated_at FROM swap`,
        'the table has it, and the log never did',
      ],
    ])('a swap that was %s in the tables is named', async (name, sql, why) => {
      const planned = await writeSwap()
      if (name === 'settled for more')
        await journal.attempts.settle({
          swapId: planned.swapId,
          measured: {
            sold: planned.intent.sell,
            received: { ...planned.intent.sell, wei: 5n },
            gasUsed: 1n,
            gasPaid: 1n,
            agrees: true,
            short: false,
          },
        })
      expect((await verify()).swaps).toEqual([])
      await tamper(sql)
      const { broken, swaps } = await verify()
      expect(broken).toBeUndefined()
      expect(swaps.map((one) => one.why).join()).toContain(why)
    })

    const scope = { chainId: 31_337, wallet, since: 0 }

    /** What `reconcile` does with a break of the log, and then a person with its lock. */
    async function accept(reason: string) {
      const { defects } = await journal.books.logDefects(scope)
      const breaks = defects.map((defect) => ({
        ...{ key: `I10 ${defect}`, swapId: undefined, lock: 'LEDGER_BROKEN', facts: { defect } },
      }))
      await journal.reconciliation.noteBroken({ ...scope, breaks })
      const scopeOfLock = `wallet ${wallet.toLowerCase()}`
      const lock = { kind: 'halt', scope: scopeOfLock, code: 'LEDGER_BROKEN', reason: 'x' } as const
      await journal.locks.open({ ...lock, expiresAt: undefined })
      await journal.locks.release({ id: undefined, reason })
      return defects
    }

    test.each<[string, string, string]>([
      [
        'an entry',
        `UPDATE event SET facts = '{}' WHERE seq = 3`,
        `UPDATE event SET facts = '[]' WHERE seq = 3`,
      ],
      [
        'an entry, and a later one',
        `UPDATE event SET facts = '{}' WHERE seq = 3`,
        `UPDATE event SET facts = '{}' WHERE seq = 5`,
      ],
      ['a missing entry', 'DELETE FROM event WHERE seq = 3', 'DELETE FROM event WHERE seq = 4'],
      ['a state', `UPDATE swap SET state = 'SENT'`, `UPDATE swap SET state = 'CANCELLING'`],
      [
        'signed bytes',
        `UPDATE attempt SET raw = '0xdead' WHERE kind = 'SWAP'`,
        `UPDATE attempt SET raw = '0xbeef' WHERE kind = 'SWAP'`,
      ],
      [
        'signed bytes, and an entry',
        `UPDATE attempt SET raw = '0xdead' WHERE kind = 'SWAP'`,
        `UPDATE event SET at = at + 1 WHERE seq = 2`,
      ],
    ])('%s: a change that a person accepted is known, and no other', async (_, sql, other) => {
      await writeSwap()
      await tamper(sql)
      const defects = await accept('the disk was repaired by hand')
      expect(defects).toHaveLength(1)
      const known = { broken: undefined, swaps: [], locks: [] }
      expect(await verify()).toMatchObject({
        ...known,
        accepted: [{ defect: defects[0], reason: 'the disk was repaired by hand' }],
      })
      await tamper(other)
      const later = await verify()
      expect([later.broken, ...later.swaps].filter((one) => one !== undefined)).toHaveLength(1)
      // The reader of the books names all, the accepted one too: its own list of accepted breaks tells them apart.
      expect((await journal.books.logDefects(scope)).defects).not.toEqual(defects)
    })

    test('truncated: seen by whoever knows a head', async () => {
      await writeSwap()
      const early = (await rows())[2]?.hash
      const head = await journal.log.head()
      expect(await verify(early)).toMatchObject({ found: true, broken: undefined })
      await tamper('DELETE FROM event WHERE seq > 4')
      expect(await verify()).toMatchObject({ count: 4, broken: undefined })
      expect(await verify(early)).toMatchObject({ found: true })
      expect(await verify(head)).toMatchObject({ found: false })
    })

    test('several processes write one chain', async () => {
      const script = (name: string) => `
      import { openJournal } from './src/bot/journal/openJournal.ts'
      import { systemClock } from './src/core/clock.ts'
      const journal = await openJournal({ database: ${place.source}, haltFile: 'none', clock: systemClock })
      for (let i = 0; i < 25; i++)
        await journal.locks.open({ kind: 'pause', scope: 'strategy ${name}' + i, code: 'X', reason: 'x' })
      await journal.shut()`
      const writers = ['a', 'b', 'c'].map((name) => {
        const child = spawn(process.execPath, [
          '--input-type=module-typescript',
          '-e',
          script(name),
        ])
        return new Promise((resolve) => child.on('exit', resolve))
      })
      for (let index = 0; index < 10; index++) await journal.swaps.reserve(samplePlan(), () => {})
      expect(await Promise.all(writers)).toEqual([0, 0, 0])
      expect(await verify()).toMatchObject({ count: 85, broken: undefined })
    })
  })

  describe('entries', () => {
    const facts = async (type: string) =>
      (await rows()).filter((row) => row.type === type).map((row) => JSON.parse(row.facts))

    test('tell the whole story of a swap', async () => {
      const planned = await writeSwap()
      await journal.attempts.settle({
        swapId: planned.swapId,
        measured: {
          sold: planned.intent.sell,
          received: { token: planned.intent.buy, wei: 3_000n },
          gasUsed: 100n,
          gasPaid: 300n,
          agrees: true,
          short: false,
        },
      })
      expect(await facts('PLANNED')).toMatchObject([
        { plan: { swapId: planned.swapId, intent: { sell: { wei: '1000000000000000000' } } } },
      ])
      expect(await facts('VERIFIED')).toMatchObject([
        {
          bodySha256: createHash('sha256').update('{"quote":1}').digest('hex'),
          checks: [{ name: 'verify.a', ok: true, expected: '1', actual: '1' }],
          minimum: '2990',
        },
      ])
      expect(await facts('APPROVED')).toMatchObject([{ gas_paid: '300', block: 7, success: true }])
      expect(await facts('SIGNED')).toMatchObject([
        { nonce: 1, hash: expect.stringMatching(/^0x/) },
      ])
      expect(await facts('INCLUDED')).toMatchObject([
        { hash: receipt.hash, block: 7, success: true },
      ])
      expect(await facts('SETTLED')).toMatchObject([
        { received: '3000', gas_paid: '300', agrees: true },
      ])
    })

    test('a refusal carries every check, a lock its opening and release, a decision its intents', async () => {
      const planned = samplePlan()
      await journal.decisions.record({
        strategy: 'test',
        slot: 5,
        at: 6,
        context: {} as never,
        decision: { kind: 'swap', intents: [planned.intent] },
      })
      await journal.decisions.record({
        strategy: 'test',
        slot: 6,
        at: 7,
        context: {} as never,
        decision: { kind: 'wait', reason: 'not now' },
      })
      await journal.swaps.reserve(planned, () => {})
      const checks = [
        { name: 'verify.a', ok: true, expected: '1', actual: '1' },
        { name: 'verify.b', ok: false, expected: '1', actual: 'two\u202e\u001b[2J' },
      ]
      const { swapId } = planned
      await journal.swaps.close({ swapId, as: 'REJECTED', code: 'VERIFY_B', reason: 'x', checks })
      await journal.locks.open({
        kind: 'halt',
        scope: 'all',
        code: 'X',
        reason: 'x',
        expiresAt: undefined,
      })
      await journal.locks.release({ id: undefined, reason: 'looked' })
      expect(await facts('DECIDED')).toMatchObject([{ slot: 5, intents: [{ reason: 'because' }] }])
      expect((await facts('REJECTED'))[0].checks).toEqual([
        checks[0],
        { ...checks[1], actual: 'two\u{FFFD}\u{FFFD}[2J' },
      ])
      expect(await facts('LOCK_OPENED')).toMatchObject([{ kind: 'halt', scope: 'all', code: 'X' }])
      expect(await facts('LOCK_RELEASED')).toMatchObject([{ id: 1, reason: 'looked' }])
      expect(await verify()).toMatchObject({ count: 5, broken: undefined })
    })
  })
})
