import { setTimeout as sleep } from 'node:timers/promises'
import { encodeFunctionData } from 'viem'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type ChainedEntry, chainHash } from '../../../src/bot/journal/log/log.ts'
import { type Journal, openJournal } from '../../../src/bot/journal/openJournal.ts'
import { pass, type Signed } from '../../../src/bot/stages.ts'
import { erc20Abi } from '../../../src/chain/abi/contracts.ts'
import { systemClock } from '../../../src/core/clock.ts'
import { type Place, places } from '../../support/journals.ts'
import { sampleBytes, samplePlan, sampleQuote, usdc, wallet, weth } from '../journal/sampleSwap.ts'

const scope = { chainId: 31_337, wallet, since: 0 }
const hash = (digit: string) => `0x${digit.repeat(64)}` as const

describe.each(places)('books: $dialect', ({ make }) => {
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

  test('the instant at which swaps count is read after them', async () => {
    let now = systemClock.now()
    const hasty = await openJournal({
      ...place,
      clock: {
        ...systemClock,
        now: () => {
          now += 1_000
          return now
        },
      },
    })
    try {
      const { at } = await hasty.books.counted(scope)
      expect(at).toBe(now)
    } finally {
      await hasty.shut()
    }
  })

  test('a swap from its plan to its end, as it is compared with the chain', async () => {
    const planned = samplePlan()
    await journal.swaps.reserve(planned, () => {})
    const signed = sampleBytes(planned, 0)
    await journal.attempts.commitSwap(signed, sampleQuote(planned))
    const receipt = {
      hash: signed.hash,
      success: true,
      blockNumber: 7,
      blockHash: hash('b'),
      gasUsed: 21_000n,
      gasPaid: 3n,
      logs: [],
    }
    await journal.attempts.include({ swapId: planned.swapId, receipt })
    expect(await journal.books.counted(scope)).toMatchObject({
      taken: [{ amountIn: 10n ** 18n, sell: weth.address }],
    })
    await journal.attempts.settle({
      swapId: planned.swapId,
      measured: {
        sold: { token: weth, wei: 5n },
        received: { token: usdc, wei: 6n },
        gasUsed: 21_000n,
        gasPaid: 3n,
        agrees: true,
        short: false,
      },
    })
    const page = { after: '', limit: 10 }
    expect(await journal.books.swaps(scope, page)).toMatchObject([
      {
        swapId: planned.swapId,
        state: 'SETTLED',
        nonce: 0,
        deadline: 1_000,
        included: { transaction: signed.hash, number: 7, hash: hash('b') },
        moved: { sold: 5n, received: 6n },
        gasPaid: 3n,
        agrees: true,
        attempts: [{ hash: signed.hash, nonce: 0, kind: 'SWAP', displaced: false, logged: true }],
      },
    ])
    expect(
      (await journal.books.quoteEvents(scope, { after: 0, limit: 10 })).map((one) => one.does),
    ).toEqual(['quote', 'sign', 'end'])
    expect(await journal.books.swaps({ ...scope, since: systemClock.now() + 1 }, page)).toEqual([])
    expect(await journal.books.allowances(scope)).toEqual([])
    expect(await journal.books.logDefects(scope)).toMatchObject({ entries: 5, defects: [] })
  })

  test('releases, breaks that a person accepted, and the mark', async () => {
    expect(await journal.books.adoption(scope)).toEqual({ nonce: 0, nextNonce: 0, releases: [] })
    await journal.wallet.release({ chainId: 31_337, wallet, nonceOfChain: 3, reason: 'by hand' })
    expect(await journal.books.adoption(scope)).toMatchObject({
      nextNonce: 3,
      releases: [{ from: 0, to: 3, reason: 'by hand' }],
    })

    const lock = 'LEDGER_BROKEN'
    const breaks = [{ key: 'I5 x', lock, swapId: undefined, facts: { code: 'LEDGER_DIFFERS' } }]
    await journal.reconciliation.noteBroken({ ...scope, breaks })
    const before = await journal.log.lastEntry()
    await journal.reconciliation.noteBroken({ ...scope, breaks })
    expect(await journal.log.lastEntry()).toEqual(before)
    expect(await journal.books.accepted(scope)).toEqual(new Map())
    const halt = { kind: 'halt', scope: `wallet ${wallet}`, expiresAt: undefined } as const
    const other = await journal.locks.open({ ...halt, code: 'REORG_BEYOND_DEPTH', reason: 'y' })
    await journal.locks.open({ ...halt, code: lock, reason: 'x' })
    // That of another break accepts nothing of this one.
    await journal.locks.release({ id: other.lock.id, reason: 'the other' })
    expect(await journal.books.accepted(scope)).toEqual(new Map())
    await journal.locks.release({ id: undefined, reason: 'seen' })
    expect(await journal.books.accepted(scope)).toEqual(new Map([['I5 x', 'seen']]))

    const mark = { block: 7, seq: 9, hash: 'h', at: 1_700_000_000_000, limits: '{}', totals: '[]' }
    await journal.reconciliation.setMark({ ...scope, mark: { ...mark, block: 6 } })
    await journal.reconciliation.setMark({ ...scope, mark })
    expect(await journal.reconciliation.mark(scope)).toEqual(mark)
  })

  describe('from a mark on', () => {
    /** Planned, verified, signed: three entries, and nothing ends it. */
    async function signed(nonce: number) {
      const planned = samplePlan()
      await journal.swaps.reserve(planned, () => {})
      await journal.attempts.commitSwap(sampleBytes(planned, nonce), sampleQuote(planned))
      return planned.swapId
    }

    /** Four entries, and nothing of it is open. */
    async function ended(nonce: number) {
      const swapId = await signed(nonce)
      await journal.attempts.close({ swapId, as: 'DISPLACED', code: 'X', reason: 'x' })
      return swapId
    }

    /** Sets the mark behind everything that changed so far. */
    async function mark() {
      await sleep(2)
      const last = await journal.log.lastEntry()
      const at = systemClock.now()
      await journal.reconciliation.setMark({
        ...scope,
        mark: { block: 1, ...last, at, limits: '{}', totals: '[]' },
      })
      return last.seq
    }

    const withoutDigest = (defect: string) => defect.replace(/ \[[0-9a-f]{16}\]$/, '')
    const recent = async () =>
      (await journal.books.recentLogDefects(scope)).defects.map(withoutDigest)
    const all = async () => (await journal.books.logDefects(scope)).defects.map(withoutDigest)

    /** Hashes the whole log anew, as whoever can write to it could. */
    async function chainAnew() {
      let prev = '0'.repeat(64)
      for (const row of await place.rows<ChainedEntry>(
        'SELECT seq, swap_id, at, type, facts FROM event ORDER BY seq',
      )) {
        const hash = chainHash(prev, { ...row, seq: Number(row.seq), at: Number(row.at) })
        await place.exec(
          `UPDATE event SET prev = '${prev}', hash = '${hash}' WHERE seq = ${row.seq}`,
        )
        prev = hash
      }
    }

    test('only what came after is read, and it goes on from the marked entry', async () => {
      expect(await journal.books.recentLogDefects(scope)).toMatchObject({ after: 0, entries: 0 })
      await mark()
      expect(await journal.books.recentLogDefects(scope)).toMatchObject({ after: 0, entries: 0 })
      await ended(0)
      await mark()
      await ended(1)
      const head = await journal.log.head()
      const found = await journal.books.recentLogDefects(scope)
      expect(found).toEqual({ after: 4, entries: 4, head, defects: [] })
      expect(await journal.books.logDefects(scope)).toMatchObject({ after: 0, entries: 8, head })
    })

    test.each<[string, string, string[], string[]]>([
      ['before the mark', 'at = at + 1 WHERE seq = 2', [], ['entry 2: it is not what was written']],
      [
        'of the mark',
        'at = at + 1 WHERE seq = 4',
        ['entry 4: it is not what was written'],
        ['entry 4: it is not what was written'],
      ],
      [
        'after the mark',
        'at = at + 1 WHERE seq = 6',
        ['entry 6: it is not what was written'],
        ['entry 6: it is not what was written'],
      ],
    ])('an entry %s that was changed', async (_, change, inRecent, inAll) => {
      await ended(0)
      await mark()
      await ended(1)
      await place.exec(`UPDATE event SET ${change}`)
      expect([await recent(), await all()]).toEqual([inRecent, inAll])
    })

    test('a log that was written anew up to its head is another than the marked one', async () => {
      await ended(0)
      await mark()
      await ended(1)
      await place.exec('UPDATE event SET at = at + 1 WHERE seq = 2')
      await chainAnew()
      const defects = ['entry 4: it is another than when the books were last in order']
      expect([await recent(), await all()]).toEqual([defects, defects])
      expect((await journal.log.verify(undefined)).broken?.seq).toBe(4)
    })

    test('a log that ends before the mark was cut off', async () => {
      await ended(0)
      await mark()
      await place.exec('DELETE FROM event WHERE seq = 4')
      const defects = ['entry 4: it is missing']
      expect([await recent(), await all()]).toEqual([defects, defects])
      await place.exec('DELETE FROM event')
      expect([await recent(), await all()]).toEqual([defects, ['entry 1: it is missing']])
    })

    test('a swap is compared where it is open, and where it is new', async () => {
      const old = await ended(0)
      const open = await signed(1)
      await mark()
      const edit = (id: string) =>
        place.exec(`UPDATE attempt SET raw = '0x02' WHERE swap_id = '${id}'`)
      const why = 'signed bytes are not those of their hash'
      await edit(old)
      expect([await recent(), await all()]).toEqual([[], [`swap ${old}: ${why}`]])
      await edit(open)
      expect(await recent()).toEqual([`swap ${open}: ${why}`])
      await journal.attempts.close({ swapId: open, as: 'DISPLACED', code: 'X', reason: 'x' })
      expect(await recent()).toEqual([`swap ${open}: ${why}`])
      await mark()
      expect(await recent()).toEqual([])
      const next = await ended(2)
      await place.exec(`DELETE FROM attempt WHERE swap_id = '${next}'`)
      expect(await recent()).toEqual([`swap ${next}: signed bytes are gone from the table`])
    })

    test('a swap that the log never had, and one that the table lost', async () => {
      await mark()
      const swapId = await ended(0)
      await place.exec(
        `INSERT INTO swap (id, key, strategy, chain_id, wallet, plan, sell_token, amount_in, state, version, reason,
           created_at, updated_at)
         SELECT 'forged', 'forged', strategy, chain_id, wallet, plan, sell_token, amount_in, 'REJECTED', 1, 'x',
           created_at, updated_at FROM swap`,
      )
      const forged = ['swap forged: the table has it, and the log never did']
      expect([await recent(), await all()]).toEqual([forged, forged])
      await place.exec(`DELETE FROM attempt; DELETE FROM quote; DELETE FROM swap`)
      const lost = [`swap ${swapId}: the log has it, and it is gone from the table`]
      expect(await recent()).toEqual([
        ...lost,
        `swap ${swapId}: signed bytes are gone from the table`,
      ])
      expect(await all()).toEqual(lost)
    })
  })

  test('what the journal keeps count of an allowance by is what its approvals and swaps add up to', async () => {
    const lately = { ...scope, since: 1 }
    const both = async () => [
      await journal.books.allowances(scope),
      await journal.books.allowances(lately),
    ]
    const approving = (planned: ReturnType<typeof samplePlan>, nonce: number, wei: bigint) => {
      const bytes = sampleBytes(planned, nonce, 'APPROVE')
      const data = encodeFunctionData({
        abi: erc20Abi,
        functionName: 'approve',
        args: [`0x${'3'.repeat(40)}`, wei],
      })
      return pass<Signed>({
        ...bytes,
        transaction: { ...bytes.transaction, to: weth.address, data },
      })
    }
    const receipt = { success: true, blockNumber: 7, blockHash: hash('b') }
    const mined = { ...receipt, gasUsed: 1n, gasPaid: 1n, logs: [] }
    const quoted = async () => {
      const planned = samplePlan()
      await journal.swaps.reserve(planned, () => {})
      return planned
    }
    const expectBoth = async (swapId: string, ...wei: readonly bigint[]) => {
      const [derived, kept] = await both()
      expect(kept).toEqual(derived)
      expect(kept).toMatchObject([{ token: { symbol: 'WETH' }, swapId, wei }])
    }

    const first = await quoted()
    const approval = approving(first, 0, 15n * 10n ** 17n)
    await journal.attempts.commitApproval(approval)
    // Mined or not: the first one is in the books from its signature on.
    await expectBoth(first.swapId, 0n, 15n * 10n ** 17n)
    await journal.attempts.closeApproval({
      hash: approval.hash,
      receipt: { ...mined, hash: approval.hash },
    })
    await expectBoth(first.swapId, 15n * 10n ** 17n)
    const signed = sampleBytes(first, 1)
    await journal.attempts.commitSwap(signed, sampleQuote(first))
    await expectBoth(first.swapId, 15n * 10n ** 17n, 5n * 10n ** 17n)
    await journal.attempts.include({
      swapId: first.swapId,
      receipt: { ...mined, hash: signed.hash },
    })
    await journal.attempts.settle({
      swapId: first.swapId,
      measured: {
        sold: first.intent.sell,
        received: { token: usdc, wei: 6n },
        gasUsed: 1n,
        gasPaid: 1n,
        agrees: true,
        short: false,
      },
    })
    await expectBoth(first.swapId, 5n * 10n ** 17n)
    const second = await quoted()
    await journal.attempts.commitApproval(approving(second, 2, 10n ** 18n))
    await expectBoth(first.swapId, 5n * 10n ** 17n, 10n ** 18n)
  })
})
