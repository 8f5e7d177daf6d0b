import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type Journal, openJournal } from '../../../src/bot/journal/openJournal.ts'
import type { Database, ServerDatabase } from '../../../src/bot/journal/store/database.ts'
import { type Planned, pass, type Simulated } from '../../../src/bot/stages.ts'
import type { Clock } from '../../../src/core/clock.ts'
import { hourMs } from '../../../src/core/spans.ts'
import { type Address, usdOf } from '../../../src/core/token.ts'
import { type Place, places } from '../../support/journals.ts'
import { sampleBytes, samplePlan, sampleQuote, wallet } from './sampleSwap.ts'

/** Limits over all wallets of a database. */

const chainId = 31_337
const usd = (whole: bigint) => {
  const token = usdOf(chainId)
  return { token, wei: whole * 10n ** BigInt(token.decimals) }
}
const treasury = { perHour: usd(500n), perDay: usd(1_000n) }
/** What the own limits of a wallet would say. */
const screen = () => {}
/** The first is the wallet of every sample. */
const accountOf = (nth: number): Address =>
  `0x${(Number(wallet) + nth - 1).toString(16).padStart(40, '0')}`
/** A swap of the nth wallet. */
const worth = (whole: bigint, nth = 1) =>
  samplePlan({ notional: usd(whole), wallet: accountOf(nth), recipient: accountOf(nth) })

describe.each(places)('$dialect', ({ dialect, make }) => {
  let place: Place
  let now = 0
  let undo: (() => Promise<unknown>)[] = []
  const clock = { now: () => now } as Clock

  beforeEach(async () => {
    place = await make()
    now = Date.UTC(2026, 10, 24)
  })
  afterEach(async () => {
    for (const each of undo.reverse()) await each()
    undo = []
    await place.remove()
  })

  /** The journal of the nth wallet. */
  const open = async (nth: number, limited = true) => {
    const schema = `wallet_${chainId}_${accountOf(nth).slice(2)}`
    const database: Database =
      dialect === 'postgres' ? { ...(place.database as ServerDatabase), schema } : place.database
    const { haltFile } = place
    const journal = await openJournal({
      database,
      haltFile,
      clock,
      treasury: limited ? treasury : undefined,
    })
    undo.push(() => journal.shut())
    await journal.wallet.adopt({ chainId, wallet: accountOf(nth), nonceOfChain: 0 })
    return journal
  }
  const sign = (journal: Journal, planned: Planned, notional = planned.notional) =>
    journal.attempts.commitSwap(
      sampleBytes(planned, 0),
      pass<Simulated>({ ...sampleQuote(planned), notional }),
    )
  const limit = { code: 'TREASURY_LIMIT', remedy: 'skip', fault: 'refused' }

  test('what is reserved counts, and what ended without a swap does not', async () => {
    const journal = await open(1)
    const first = worth(400n)
    expect(await journal.swaps.reserve(first, screen)).toBe(true)
    await expect(journal.swaps.reserve(worth(101n), screen)).rejects.toMatchObject(limit)
    expect(await journal.swaps.reserve(worth(100n), screen)).toBe(true)
    const why = { code: 'X', reason: 'x' }
    await journal.swaps.close({ swapId: first.swapId, as: 'ABANDONED', ...why })
    expect(await journal.swaps.reserve(worth(400n), screen)).toBe(true)
  })

  test('of an hour and of a day: what was signed stops counting then', async () => {
    const journal = await open(1)
    const first = worth(500n)
    await journal.swaps.reserve(first, screen)
    await sign(journal, first)
    // An open swap counts however old it is; a settled one as long as the limit looks back.
    await place.exec(dialect === 'postgres' ? settledOnServer(1) : settled)
    await expect(journal.swaps.reserve(worth(1n), screen)).rejects.toMatchObject(limit)
    now += hourMs + 1
    await expect(journal.swaps.reserve(worth(501n), screen)).rejects.toMatchObject(limit)
    expect(await journal.swaps.reserve(worth(500n), screen)).toBe(true)
  })
  const settled =
    "UPDATE swap SET state = 'SETTLED', sold = '1', received = '1', gas_used = '1', gas_paid = '1', agrees = 1, included_hash = '0x1', included_block = 1, included_block_hash = '0x1'"
  const settledOnServer = (nth: number) =>
    settled.replace('swap', `wallet_${chainId}_${accountOf(nth).slice(2)}.swap`)

  test('a swap that became worth more is not signed', async () => {
    const journal = await open(1)
    const [first, second] = [worth(250n), worth(250n)]
    await journal.swaps.reserve(first, screen)
    await journal.swaps.reserve(second, screen)
    await expect(sign(journal, second, usd(251n))).rejects.toMatchObject(limit)
    expect((await journal.swaps.load(second.swapId)).attempts).toEqual([])
    await sign(journal, second)
  })

  test('no wallet of a file without them is held to any', async () => {
    const journal = await open(1, false)
    expect(await journal.swaps.reserve(worth(5_000n), screen)).toBe(true)
  })

  test.runIf(dialect === 'postgres')(
    'what is shown as used is of every wallet of the server, whoever reads it',
    async () => {
      const [first, second] = await Promise.all([open(1), open(2)])
      const [one, other] = [worth(100n), worth(250n, 2)]
      await first.swaps.reserve(one, screen)
      await second.swaps.reserve(other, screen)
      const used = { hour: usd(350n).wei, day: usd(350n).wei }
      for (const journal of [first, second])
        expect(await journal.limits.ofAllWallets({ dialect })).toEqual(used)
      await sign(first, one)
      await place.exec(settledOnServer(1))
      now += hourMs + 1
      expect(await second.limits.ofAllWallets({ dialect })).toEqual({
        ...used,
        hour: usd(250n).wei,
      })
    },
  )

  test.runIf(dialect === 'postgres')(
    'wallets that plan at the same time share out one limit',
    async () => {
      const journals = await Promise.all([1, 2, 3, 4].map((nth) => open(nth)))
      const ends = await Promise.allSettled(
        Array.from({ length: 40 }, (_, index) =>
          (journals[index % journals.length] as Journal).swaps.reserve(
            worth(30n, (index % journals.length) + 1),
            screen,
          ),
        ),
      )
      const kept = ends.filter(({ status }) => status === 'fulfilled')
      // 16 of 30 are 480 of 500.
      expect(kept).toHaveLength(16)
      for (const end of ends) if (end.status === 'rejected') expect(end.reason).toMatchObject(limit)
    },
  )
})
