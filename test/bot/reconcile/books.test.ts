import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type Journal, openJournal } from '../../../src/bot/journal/openJournal.ts'
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
    await journal.adoptWallet({ chainId: 31_337, wallet, nonceOfChain: 0 })
  })
  afterEach(async () => {
    await journal.shut()
    await place.remove()
  })

  test('a swap from its plan to its end, as it is compared with the chain', async () => {
    const planned = samplePlan()
    await journal.reserve(planned, () => {})
    await journal.commitQuote(sampleQuote(planned))
    const signed = sampleBytes(planned, 0)
    await journal.commitSwap(signed, 1_000)
    const receipt = {
      hash: signed.hash,
      success: true,
      blockNumber: 7,
      blockHash: hash('b'),
      gasUsed: 21_000n,
      gasPaid: 3n,
      logs: [],
    }
    await journal.include({ swapId: planned.swapId, receipt })
    expect(await journal.books.taken(scope)).toMatchObject([
      { amountIn: 10n ** 18n, sellToken: weth.address },
    ])
    await journal.settle({
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
    await journal.releaseWallet({ chainId: 31_337, wallet, nonceOfChain: 3, reason: 'by hand' })
    expect(await journal.books.adoption(scope)).toMatchObject({
      nextNonce: 3,
      releases: [{ from: 0, to: 3, reason: 'by hand' }],
    })

    const breaks = [{ key: 'I5 x', swapId: undefined, facts: { code: 'LEDGER_DIFFERS' } }]
    await journal.noteBroken({ ...scope, breaks })
    const before = await journal.lastEntry()
    await journal.noteBroken({ ...scope, breaks })
    expect(await journal.lastEntry()).toEqual(before)
    expect(await journal.books.accepted(scope)).toEqual(new Map())
    await journal.openLock({
      kind: 'halt',
      scope: `wallet ${wallet}`,
      code: 'LEDGER_BROKEN',
      reason: 'x',
      expiresAt: undefined,
    })
    await journal.releaseLocks({ id: undefined, reason: 'seen' })
    expect(await journal.books.accepted(scope)).toEqual(new Map([['I5 x', 'seen']]))

    const mark = { block: 7, seq: 9, hash: 'h', at: 1_700_000_000_000, limits: '{}' }
    await journal.markClean({ ...scope, mark: { ...mark, block: 6 } })
    await journal.markClean({ ...scope, mark })
    expect(await journal.cleanMark(scope)).toEqual(mark)
  })
})
