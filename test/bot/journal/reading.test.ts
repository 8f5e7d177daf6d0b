import { DatabaseSync } from 'node:sqlite'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { type Journal, openJournal } from '../../../src/bot/journal/openJournal.ts'
import { type JournalReader, readJournal } from '../../../src/bot/journal/readJournal.ts'
import { contextWith } from '../../../src/bot/strategy/testing.ts'
import { type Place, places } from '../../support/journals.ts'
import { sampleBytes, samplePlan, sampleQuote, usdc, wallet } from './sampleSwap.ts'

const chainId = 31_337

/** Steps of a plan that read a table or sort it. What is equal but for the last term is few at a time. */
const slow = /TEMP B-TREE FOR ORDER|^SCAN (?!event USING INDEX moves_of_log)/

/** What belongs to the swaps of one page. */
const small = /from "attempt" where "swap_id" in/

describe.each(places)('$dialect', ({ dialect, make }) => {
  let now = 1_000_000
  let said = ''
  let place: Place
  let journal: Journal
  let reader: JournalReader
  beforeEach(async () => {
    now = 1_000_000
    place = await make()
    const clock = { now: () => now, sleep: async () => {} }
    journal = await openJournal({ ...place, clock })
    await journal.wallet.adopt({ chainId, wallet, nonceOfChain: 0 })
    reader = await readJournal({ ...place, clock })
  })
  afterEach(async () => {
    await reader.shut()
    await journal.shut()
    await place.remove()
  })

  async function refuse(changes: Parameters<typeof samplePlan>[0] = {}) {
    const planned = samplePlan(changes)
    await journal.swaps.reserve(planned, () => {})
    await journal.swaps.close({ swapId: planned.swapId, as: 'REJECTED', code: 'X', reason: 'x' })
    return planned.swapId
  }

  async function settle(nonce: number) {
    const planned = samplePlan()
    const { swapId, intent } = planned
    await journal.swaps.reserve(planned, () => {})
    const { hash } = await journal.attempts.commitSwap(
      sampleBytes(planned, nonce),
      sampleQuote(planned),
    )
    const receipt = {
      hash,
      blockNumber: 7,
      blockHash: hash,
      success: true,
      gasUsed: 1n,
      gasPaid: 300n,
      logs: [],
    }
    await journal.attempts.include({ swapId, receipt })
    const measured = { sold: intent.sell, gasUsed: 1n, gasPaid: 300n, agrees: true, short: false }
    await journal.attempts.settle({
      swapId,
      measured: { ...measured, received: { token: usdc, wei: 5n } },
    })
    return swapId
  }

  /** Each with words of its own: what says the same is one row. */
  const decide = (strategy: string, slot: number) => {
    said += 'i'
    const decision = { kind: 'wait', reason: said } as const
    const context = contextWith({}, { slot })
    return journal.decisions.record({ strategy, slot, at: now, context, decision })
  }

  /** Every page of it, one row at a time. */
  async function walk<row, cursor>(
    page: (after: cursor | undefined) => Promise<readonly row[]>,
    cursorOf: (row: row) => cursor,
  ): Promise<row[]> {
    const all: row[] = []
    for (let last: row | undefined; ; ) {
      const rows = await page(last && cursorOf(last))
      all.push(...rows)
      last = rows.at(-1)
      if (last === undefined) return all
    }
  }

  test('swaps page by page are all of them, in order, also of one instant', async () => {
    const ids: string[] = []
    for (let nth = 0; nth < 7; nth += 1) {
      now += nth % 3 === 0 ? 1 : 0
      ids.push(await refuse())
    }
    const page = (limit: number, over = {}) =>
      walk(
        (after: { createdAt: number; id: string } | undefined) =>
          reader.swaps.page({ after, limit, ...over }),
        ({ createdAt, id }) => ({ createdAt, id }),
      )
    const whole = await page(100)
    expect(whole.map(({ id }) => id).toSorted()).toEqual(ids.toSorted())
    for (const limit of [1, 2, 3]) expect(await page(limit)).toEqual(whole)
    const some = await page(2, { since: 1_000_002, until: 1_000_003 })
    expect(some).toEqual(whole.filter(({ createdAt }) => createdAt === 1_000_002))
    expect(await page(2, { strategy: 'nobody' })).toEqual([])
  })

  test('decisions and slots page by page are all of them, in order', async () => {
    for (let slot = 1; slot < 6; slot += 1)
      for (const strategy of ['a', 'b']) {
        await decide(strategy, slot)
        const closed = {
          calendar: '',
          strategy,
          slot,
          upto: slot,
          slots: 1,
          state: 'missed',
          reason: 'x',
        } as const
        await journal.slots.close(closed)
        now += slot % 2
      }
    const decisions = await walk(
      (after: { at: number; id: number } | undefined) => reader.decisions.page({ after, limit: 3 }),
      ({ at, id }) => ({ at, id }),
    )
    expect(decisions.map(({ id }) => id)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10])
    const slots = await walk(
      (after: { strategy: string; slot: number } | undefined) =>
        reader.slots.page({ after, limit: 3, since: 2, until: 5 }),
      ({ strategy, slot }) => ({ strategy, slot }),
    )
    expect(slots.map(({ strategy, slot }) => `${strategy}${slot}`)).toEqual([
      ...['a2', 'a3', 'a4', 'b2', 'b3', 'b4'],
    ])
    // All of them were missed: the newest first, and none that was written down before.
    const undone = await reader.slots.missedAndFailed({ since: 1_000_001, limit: 5 })
    expect(undone.map(({ at, state }) => `${at} ${state}`)).toEqual([
      ...['1000005 missed', '1000004 missed', '1000004 missed', '1000004 missed'],
      '1000003 missed',
    ])
    expect(await reader.slots.missedAndFailed({ since: 1_000_001, limit: 100 })).toHaveLength(9)
  })

  test('decisions by number, by slot and the latest; swaps of a slot, and ids that begin alike', async () => {
    for (const slot of [1, 2, 2, 3]) await decide('a', slot)
    await decide('b', 2)
    const found = async (wanted: Parameters<typeof reader.decisions.find>[0]) =>
      (await reader.decisions.find(wanted)).map(({ id }) => id)
    expect(await found({ id: 4 })).toEqual([4])
    expect(await found({ strategy: 'a' })).toEqual([4])
    expect(await found({ strategy: 'a', slot: 2 })).toEqual([2, 3])
    expect(await found({ strategy: 'c' })).toEqual([])

    const own = await refuse({ swapId: 'aabb01', key: 'a:12:0' })
    const other = await refuse({ swapId: 'aabb02', key: 'a:12:1#2' })
    await refuse({ swapId: 'ccdd01', key: 'a:123:0' })
    await refuse({ swapId: 'ccdd00', key: 'a:13:0' })
    await refuse({ swapId: 'ccdd02', key: 'a-b:12:0' })
    expect(await reader.swaps.ofSlot({ strategy: 'a', slot: 12 })).toEqual([own, other])
    expect(await reader.swaps.idsLike('aabb')).toMatchObject({ beginning: ['aabb01', 'aabb02'] })
    expect(await reader.swaps.idsLike('bb')).toEqual({
      beginning: [],
      beside: ['aabb02', 'ccdd00'],
    })
  })

  test('moves are those of the ledger, and a page never cuts an entry', async () => {
    const [first, second] = [await settle(0), await settle(1)]
    await refuse()
    const one = await reader.wallet.moves({ limit: 1 })
    expect(one.moves.map(({ of, kind, wei }) => [of, kind, wei])).toEqual([
      [first, 'sold', -(10n ** 18n)],
      [first, 'received', 5n],
      [first, 'gas', -300n],
    ])
    const two = await reader.wallet.moves({ after: one.last, limit: 1 })
    expect(two.moves.map(({ of }) => of)).toEqual([second, second, second])
    expect(await reader.wallet.moves({ after: two.last, limit: 1 })).toEqual({
      moves: [],
      last: undefined,
    })
  })

  test('a lock held at an instant, whatever became of it since', async () => {
    const lock = { kind: 'pause', scope: 'all', code: 'A', reason: 'r' } as const
    await journal.locks.open({ ...lock, expiresAt: now + 10 })
    now += 20
    const second = await journal.locks.open({ ...lock, code: 'B', expiresAt: undefined })
    const codes = async (at: number) => (await reader.locks.at(at)).map(({ code }) => code)
    expect(await codes(999_999)).toEqual([])
    expect(await codes(1_000_009)).toEqual(['A'])
    expect(await codes(1_000_010)).toEqual([])
    expect(await codes(1_000_020)).toEqual(['B'])
    now += 5
    await journal.locks.release({ id: second.lock.id, reason: 'looked into' })
    expect(await codes(1_000_024)).toEqual(['B'])
    expect(await codes(1_000_025)).toEqual([])
  })

  // How a query is gone about is asked of the file; a server has the same indexes.
  const testOfFile = dialect === 'sqlite' ? test : undefined
  testOfFile?.('no page reads or sorts what is before it', async () => {
    if (place.database.dialect !== 'sqlite') throw new Error('it is a file')
    await settle(0)
    await decide('a', 1)
    const asked = vi.spyOn(DatabaseSync.prototype, 'prepare')
    for (const strategy of [undefined, 'a']) {
      const span = { since: 1, until: 2e12, strategy, limit: 5 }
      await reader.swaps.page(span)
      await reader.swaps.page({ ...span, after: { createdAt: 1, id: 'a' } })
      await reader.slots.page({ ...span, after: { strategy: 'a', slot: 1 } })
    }
    await reader.decisions.page({ since: 1, until: 2e12, limit: 5, after: { at: 1, id: 1 } })
    await reader.wallet.moves({ since: 1, until: 2e12, limit: 5 })
    await reader.decisions.find({ strategy: 'a', slot: 1 })
    await reader.decisions.find({ strategy: 'a' })
    await reader.swaps.ofSlot({ strategy: 'a', slot: 1 })
    await reader.swaps.idsLike('sample')
    await reader.log.ofSwap('sample-1')
    await reader.decisions.refusals(1)
    await reader.slots.missedAndFailed({ since: 1, limit: 5 })
    await reader.decisions.countRefusals({ since: 1, until: 2e12 })
    const file = new DatabaseSync(place.database.path)
    const found = [...new Set(asked.mock.calls.map(([sql]) => sql))]
      .filter((sql) => !small.test(sql))
      .flatMap((sql) =>
        file
          .prepare(`EXPLAIN QUERY PLAN ${sql}`)
          .all()
          .map(({ detail }) => String(detail))
          .filter((step) => slow.test(step))
          .map((step) => `${step}: ${sql}`),
      )
    file.close()
    expect(found).toEqual([])
  })
})
