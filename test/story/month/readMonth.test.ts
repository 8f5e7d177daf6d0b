import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { encodeFunctionData, keccak256, serializeTransaction } from 'viem'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { archiveJournal } from '../../../src/bot/journal/archiveJournal.ts'
import { copyWhole } from '../../../src/bot/journal/copies.ts'
import { readJournal } from '../../../src/bot/journal/readJournal.ts'
import type { Database } from '../../../src/bot/journal/store/database.ts'
import { type Planned, pass, type Signed, type Simulated } from '../../../src/bot/stages.ts'
import { erc20Abi } from '../../../src/chain/abi/contracts.ts'
import { dayMs, minuteMs } from '../../../src/core/spans.ts'
import type { Address } from '../../../src/core/token.ts'
import { monthPage } from '../../../src/story/month/monthPage.ts'
import { monthSpan } from '../../../src/story/month/monthSpan.ts'
import { monthText } from '../../../src/story/month/monthText.ts'
import { readMonth } from '../../../src/story/month/readMonth.ts'
import { sampleBytes, samplePlan, sampleQuote } from '../../bot/journal/sampleSwap.ts'
import { goodYaml } from '../../config/goodYaml.ts'
import { type Place, places } from '../../support/journals.ts'
import { december, openMonth } from './tradedMonth.ts'

const ofDialect: string[] = []

/** The same bytes for another wallet on another chain. */
const onChain = (
  signed: Signed,
  { wallet, chainId }: { readonly wallet: Address; readonly chainId: number },
): Signed =>
  pass<Signed>({
    ...{ ...signed, wallet, transaction: { ...signed.transaction, chainId } },
  } as never)

describe.each(places)('$dialect', ({ make }) => {
  let place: Place
  let cwd: string
  let traded: Awaited<ReturnType<typeof openMonth>>
  beforeEach(async () => {
    place = await make()
    cwd = mkdtempSync(join(tmpdir(), 'ballast-month-'))
    writeFileSync(join(cwd, 'ballast.yaml'), goodYaml)
    traded = await openMonth(cwd, { database: place.database })
  })
  afterEach(async () => {
    await traded.journal.shut()
    await place.remove()
    rmSync(cwd, { recursive: true })
  })

  /** Text, document and page of a month, from any journal. */
  async function told(database: Database, name = '2026-11'): Promise<string> {
    const { clock, config } = traded
    const journal = await readJournal({ database, clock, haltFile: place.haltFile })
    try {
      const month = await readMonth(journal, config, monthSpan(name, 'Europe/Berlin'))
      const head = { wallet: 'treasury', address: '0x', chain: 'local', labels: [] }
      return [JSON.stringify(month), monthText(month), monthPage(month, head)].join('\n')
    } finally {
      await journal.shut()
    }
  }

  test('of a run of missed slots over the end of a month each month has its part', async () => {
    const { journal, clock, config } = traded
    const missed = { calendar: '', state: 'missed', reason: 'the bot was down' } as const
    const run = (strategy: string, [slot, upto]: readonly [number, number], slots: number) =>
      journal.slots.close({ ...missed, strategy, slot, upto, slots })
    await run('daily', [Date.UTC(2026, 9, 31, 8), Date.UTC(2026, 11, 1, 8)], 32)
    // The first instant of a month in Berlin is its own.
    await run('midnight', [Date.UTC(2026, 10, 28, 23), Date.UTC(2026, 11, 2, 23)], 5)
    const { database } = place
    const books = await readJournal({ database, clock, haltFile: place.haltFile })
    const missedIn = async (name: string) => {
      const { events } = await readMonth(books, config, monthSpan(name, 'Europe/Berlin'))
      return ['daily', 'midnight'].map(
        (strategy) => events.slots.counts.find((one) => one.strategy === strategy)?.missed,
      )
    }
    const months = ['2026-10', '2026-11', '2026-12']
    expect(await Promise.all(months.map(missedIn))).toEqual([
      [1, undefined],
      [30, 2],
      [1, 3],
    ])
    await books.shut()
  })

  test('of the slots that were not done the newest are listed, whatever their strategies are called', async () => {
    const { journal } = traded
    const close = (strategy: string, slot: number) =>
      journal.slots.close({
        ...{ strategy, slot, upto: slot, slots: 1, calendar: '', state: 'missed' },
        reason: `${strategy} was down`,
      })
    for (let index = 0; index < 200; index += 1)
      await close('zulu', Date.UTC(2026, 10, 1) + index * minuteMs)
    for (let index = 0; index < 50; index += 1)
      await close('alpha', Date.UTC(2026, 10, 28) + index * minuteMs)
    const text = await told(place.database)
    const [, page = ''] = text.split('<!doctype html>')
    expect(page).toContain('The newest 200 of 251; --json and the export have all.')
    const listed = (strategy: string) => page.split(`${strategy} was down`).length - 1
    // One row is of the strategy that the journal has anyway.
    expect([listed('alpha'), listed('zulu')]).toEqual([50, 149])
    expect(text).toContain('and 211 before: --json')
  })

  test('month: the same to the byte from a copy, after archiving, and when all but one valuation an hour are gone', async () => {
    const { journal, value, held, clock, waitUntil, lock } = traded
    // Not the first of its hour: what came by then and left again is soon seen by nobody.
    held.usdc += 5n
    await value(Date.UTC(2026, 10, 27, 12, 10))
    held.usdc -= 5n
    const before = await told(place.database)
    expect(before).toContain('"result":{"token":"USD"')
    // Beside the cost the swaps that it is of.
    expect(before).toMatch(/>Measured<[\s\S]*>\d of \d(?:;[^<]*)?</)
    ofDialect.push(before)

    const copy = join(cwd, 'copy.db')
    await copyWhole({ database: place.database, clock }, copy)
    expect(await told({ dialect: 'sqlite', path: copy })).toBe(before)

    // Later: other valuations of the hours, which are thinned; a lock that is released; an archive that is taken away.
    for (let nth = 1; nth < 4; nth += 1) await value(december + nth * 5 * minuteMs)
    expect(await told(place.database)).toBe(before)
    waitUntil(december + 5 * dayMs)
    await value(december + 5 * dayMs)
    await journal.locks.release({ id: lock.id, reason: 'looked at' })
    expect(await told(place.database)).toBe(before)
    const archives = join(cwd, 'archives')
    const { freed } = await archiveJournal(
      { journal, database: place.database, folder: archives, clock },
      december + dayMs,
    )
    expect(freed).toBeGreaterThan(0)
    rmSync(archives, { recursive: true })
    expect(await told(place.database)).toBe(before)
  })

  test('month: another unit of account an hour behind its end changes nothing', async () => {
    const { journal, config } = traded
    const before = await told(place.database)
    const [coin] = config.tokens.bySymbol.values()
    const unit = config.tokens.bySymbol.get('USDC') ?? coin
    if (unit === undefined) throw new Error('it has tokens')
    const { chainId } = config.tokens.native
    await journal.valuations.record({
      ...{ chainId, wallet: config.wallet.address, at: december + 65 * minuteMs, unit },
      holdings: [],
    })
    expect(await told(place.database)).toBe(before)
  })

  test('month: its line of values has one unit, that of its closing', async () => {
    const { journal, config, value } = traded
    const weth = config.tokens.bySymbol.get('WETH')
    if (weth === undefined) throw new Error('it has WETH')
    const { chainId } = config.tokens.native
    const middle = december + 15 * dayMs
    await journal.valuations.record({
      ...{ chainId, wallet: config.wallet.address, at: middle, unit: weth },
      holdings: [{ held: { token: weth, wei: 1n }, worth: { token: weth, wei: 1n }, sources: [] }],
    })
    await value(Date.UTC(2026, 11, 31, 23) + 3_000)
    const [json = ''] = (await told(place.database, '2026-12')).split('\n')
    const { series } = JSON.parse(json)
    expect(new Set(series.map(({ total }: { total: { token: string } }) => total.token))).toEqual(
      new Set(['USD']),
    )
  })

  test('month: what is known later changes nothing', async () => {
    const { value, held } = traded
    const january = Date.UTC(2026, 11, 31, 23)
    // The coin has one price under both of its names.
    Object.assign(held, { eth: 0n, weth: 0n })
    await value(january + 3_000)
    const before = await told(place.database, '2026-12')
    expect(before).toContain('"worth":{"token":"USD","wei":"3100000000000"')
    // A price that is nearer to the withdrawal than the last one of its month.
    Object.assign(held, { weth: 10n ** 18n, price: 9_000n })
    await value(january + 60 * minuteMs)
    expect(await told(place.database, '2026-12')).toBe(before)
  })

  test('month: an allowance that is taken back later changes no month but its own', async () => {
    const { journal, held, value, waitUntil, lock, weth, wallet, config } = traded
    for (let day = 1; day < 15; day += 1) await value(december + day * dayMs)
    const before = await told(place.database)
    const [first] = await journal.swaps.page({ limit: 1 })
    if (first === undefined) throw new Error('November has swaps')
    waitUntil(Date.UTC(2026, 11, 15, 12))
    await journal.locks.release({ id: lock.id, reason: 'looked at' })
    const sample = sampleBytes(pass<Planned>(first.plan as never), 2)
    const hash = `0x${'7'.repeat(64)}` as const
    const call = { functionName: 'approve', args: [config.service.router, 0n] } as const
    const data = encodeFunctionData({ abi: erc20Abi, ...call })
    await journal.attempts.commitApproval(
      pass<Signed>({
        ...{ ...sample, wallet, kind: 'APPROVE', hash },
        transaction: { ...sample.transaction, to: weth.address, data },
      } as never),
    )
    const gasPaid = 50_000_000_000_000n
    await journal.attempts.closeApproval({
      hash,
      receipt: {
        ...{ hash, blockNumber: 999, blockHash: `0x${'c'.repeat(64)}`, success: true },
        ...{ gasUsed: 40_000n, gasPaid, tipPaid: 5n, basePaid: 7n, logs: [] },
      },
    })
    held.eth -= gasPaid
    expect(await told(place.database)).toBe(before)
    for (let day = 15; day < 32; day += 1) await value(december + day * dayMs - 50 * minuteMs)
    const after = await told(place.database, '2026-12')
    expect(after).toContain('"gas":{"total":{"token":"ETH","wei":"50000000000000"')
    expect(after).toContain('"partsUnknown":1')
    expect(after).toContain('"flows":[]')
  })

  test('month: swaps of the wallet before this one are none of its own', async () => {
    const { journal, config, usdc } = traded
    const address = `0x${'be'.repeat(20)}` as const
    const unit = config.policy.notional.perSwap.token
    const { chainId } = config.tokens.native
    for (const at of [Date.UTC(2026, 9, 31, 23, 0, 5), december + 5_000])
      await journal.valuations.record({
        ...{ chainId, wallet: address, at, unit },
        holdings: [
          { held: { token: usdc, wei: 5n }, worth: { token: unit, wei: 500n }, sources: [] },
        ],
      })
    const own = { ...config, wallet: { ...config.wallet, address } }
    const span = monthSpan('2026-11', 'Europe/Berlin')
    const { clock } = traded
    const reader = await readJournal({ database: place.database, clock, haltFile: place.haltFile })
    const { settled, execution, events } = await readMonth(reader, own, span)
    await reader.shut()
    expect({ settled, execution, stopped: events.stopped }).toEqual({
      ...{ settled: 0, execution: [], stopped: [] },
    })
  })

  test('month: swaps of the wallet on another chain are none of this one', async () => {
    const { journal, config, wallet, weth, usdc, value, waitUntil, lock } = traded
    const begin = december + dayMs
    await value(begin)
    await journal.locks.release({ id: lock.id, reason: 'looked at' })
    const [chainId, nonceOfChain] = [137, 0]
    await journal.wallet.adopt({ chainId, wallet, nonceOfChain })
    waitUntil(begin + minuteMs)
    // The same addresses, as a chain that was forked from another has them.
    const sold = { token: { ...weth, chainId }, wei: 10n ** 18n }
    const received = { token: { ...usdc, chainId }, wei: 3_000_000_000n }
    const intent = { sell: sold, buy: received.token, floor: received, reason: 'because' }
    const planned = samplePlan({ wallet, recipient: wallet, intent })
    const { swapId } = planned
    await journal.swaps.reserve(planned, () => {})
    const approval = onChain(sampleBytes(planned, 0, 'APPROVE'), { wallet, chainId })
    const mined = {
      ...{ blockNumber: 900, blockHash: `0x${'c'.repeat(64)}` as const, success: true, logs: [] },
      ...{ gasUsed: 40_000n, gasPaid: 3n * 10n ** 18n, tipPaid: 5n, basePaid: 7n },
    } as const
    await journal.attempts.commitApproval(approval)
    await journal.attempts.closeApproval({
      hash: approval.hash,
      receipt: { ...mined, hash: approval.hash },
    })
    const quote = sampleQuote(planned)
    const bytes = await journal.attempts.commitSwap(
      onChain(sampleBytes(planned, 1), { wallet, chainId }),
      pass<Simulated>({
        ...{ ...quote, deadline: begin / 1_000 + 600, amountOut: received, minimum: received },
        simulation: { ...quote.simulation, received },
      } as never),
    )
    waitUntil(begin + 2 * minuteMs)
    await journal.attempts.include({ swapId, receipt: { ...mined, hash: bytes.hash } })
    waitUntil(begin + 3 * minuteMs)
    const { gasUsed, gasPaid } = mined
    await journal.attempts.settle({
      swapId,
      measured: { sold, received, gasUsed, gasPaid, agrees: true, short: false },
    })
    await value(begin + 60 * minuteMs)
    await value(begin + dayMs)
    const { clock } = traded
    const reader = await readJournal({ database: place.database, clock, haltFile: place.haltFile })
    const month = await readMonth(reader, config, monthSpan('2026-12', 'Europe/Berlin'))
    await reader.shut()
    expect(month).toMatchObject({
      ...{ settled: 0, execution: [], swaps: [], flows: [] },
      gas: { transactions: 0, total: { wei: '0' } },
    })
  })

  /** How many swaps the statement of a month has, by its execution and by its table. */
  async function swapsIn(name: string) {
    const { clock, config } = traded
    const { database } = place
    const books = await readJournal({ database, clock, haltFile: place.haltFile })
    const month = await readMonth(books, config, monthSpan(name, 'Europe/Berlin'))
    await books.shut()
    const { settled, execution, swaps } = month
    return [settled, execution.reduce((sum, one) => sum + one.swaps, 0), swaps.length]
  }

  test('month: a swap is of the month whose books it moved, also where it was planned before its end', async () => {
    const { journal, held, value, sell, lock } = traded
    const january = Date.UTC(2026, 11, 31, 23)
    await journal.locks.release({ id: lock.id, reason: 'looked at' })
    const sold = sell({
      ...{ slot: january, indicated: '3000', decided: '3000', firm: '3000', received: '3000' },
    })
    await value(january + 30)
    await sold
    held.weth -= 10n ** 18n
    held.usdc += 3_000_000_000n
    held.eth -= 200_000_000_000_000n
    await value(january + 60 * minuteMs)
    await value(january + 31 * dayMs)
    expect(await swapsIn('2026-12')).toEqual([0, 0, 0])
    expect(await swapsIn('2027-01')).toEqual([1, 1, 1])
  })

  test('month: a swap that is recovered changes no month before the one that booked it', async () => {
    const { journal, held, value, waitUntil, wallet, weth, usdc, config } = traded
    const before = await told(place.database)
    await value(december + dayMs)
    waitUntil(december + 2 * dayMs)
    const [sell, received] = [
      { token: weth, wei: 10n ** 18n },
      { token: usdc, wei: 3_000_000_000n },
    ]
    const intent = { sell, buy: usdc, floor: received, reason: 'because' }
    const { swapId, ...plan } = samplePlan({ wallet, recipient: wallet, intent })
    const minedAt = Date.UTC(2026, 10, 28)
    await journal.recovered.plan({ ...plan, swapId }, minedAt)
    const raw = serializeTransaction(
      { type: 'eip1559', chainId: weth.chainId, nonce: 2, to: config.service.router, gas: 1n },
      { r: `0x${'1'.repeat(64)}`, s: `0x${'2'.repeat(64)}`, yParity: 0 },
    )
    const bytes = { raw, hash: keccak256(raw), nonce: 2, minedAt }
    await journal.recovered.swap(swapId, bytes, {
      ...{ router: config.service.router, quoteId: '0x1', deadline: minedAt / 1_000 + 30 },
      ...{ minimum: 1n, permit: undefined, authorization: `0x${'4'.repeat(64)}` as const },
    })
    const mined = { gasUsed: 1n, gasPaid: 7n }
    await journal.attempts.include({
      swapId,
      receipt: {
        ...{ ...mined, hash: bytes.hash, blockNumber: 900, blockHash: bytes.hash },
        ...{ success: true, logs: [] },
      },
    })
    const measured = { ...mined, sold: sell, received, agrees: true, short: false }
    await journal.attempts.settle({ swapId, measured })
    held.weth -= sell.wei
    held.usdc += received.wei
    held.eth -= mined.gasPaid
    await value(december + 3 * dayMs)
    await value(december + 31 * dayMs)
    expect(await told(place.database)).toBe(before)
    expect(await swapsIn('2026-11')).toEqual([2, 2, 2])
    expect(await swapsIn('2026-12')).toEqual([1, 1, 1])
  })

  test('month: a swap before the first valuation is of the month that settled it', async () => {
    const { clock, config } = traded
    const { database } = place
    await place.exec('DELETE FROM valuation')
    const books = await readJournal({ database, clock, haltFile: place.haltFile })
    const { settled, execution, notes } = await readMonth(
      books,
      config,
      monthSpan('2026-11', 'Europe/Berlin'),
    )
    await books.shut()
    expect(notes).toHaveLength(1)
    expect([settled, execution[0]?.swaps]).toEqual([2, 2])
  })

  test('month: what changes the past changes it', async () => {
    const before = await told(place.database)
    await traded.value(Date.UTC(2026, 10, 28))
    expect(await told(place.database)).not.toBe(before)
  })
})

test('month: the same to the byte from a file and from a server', () => {
  expect(ofDialect).toHaveLength(2)
  expect(ofDialect[0]).toBe(ofDialect[1])
})
