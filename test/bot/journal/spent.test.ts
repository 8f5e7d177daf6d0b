import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { appendEvent } from '../../../src/bot/journal/log/log.ts'
import { type Journal, openJournal } from '../../../src/bot/journal/openJournal.ts'
import { openDatabase } from '../../../src/bot/journal/schema/openDatabase.ts'
import { packed } from '../../../src/bot/journal/store/packed.ts'
import { type LimitEntry, spentOf } from '../../../src/bot/spent.ts'
import { finalStates, liveStates, openStates } from '../../../src/bot/state.ts'
import { nativeAddress, type Token } from '../../../src/core/token.ts'
import { type Place, places } from '../../support/journals.ts'
import { samplePlan, usdc, wallet, weth } from './sampleSwap.ts'

const at = 100 * 60 * 60 * 1_000
const hour = 60 * 60 * 1_000
const native: Token = { chainId: 31_337, address: nativeAddress, symbol: 'ETH', decimals: 18 }
const coin = { native, wrapped: weth }
const tokens = [weth, usdc, native]
const other = `0x${'b'.repeat(40)}` as const

const addressOf = ({ address }: Token) => address.toLowerCase()
const live: readonly string[] = liveStates
const unsigned = ['PLANNED', 'VERIFIED', 'REJECTED', 'ABANDONED']

/** Instants around the edges at which a limit ends to look back. */
const instant = fc.oneof(
  fc.constantFrom(at, at - hour, at - hour + 1, at - 24 * hour, at - 24 * hour + 1),
  fc.integer({ min: at - 60 * hour, max: at }),
)

const entry = fc
  .record({
    strategy: fc.constantFrom('test', 'another'),
    chainId: fc.constantFrom(31_337, 31_337, 1),
    wallet: fc.constantFrom<string>(wallet, wallet, other),
    state: fc.constantFrom(...openStates, ...finalStates, 'SETTLED', 'SETTLED'),
    pair: fc.shuffledSubarray(tokens, { minLength: 2, maxLength: 2 }),
    knowsBuy: fc.boolean(),
    amountIn: fc.bigInt({ min: 1n, max: 10n ** 21n }),
    notional: fc.bigInt({ min: 1n, max: 10n ** 12n }),
    unit: fc.constantFrom(addressOf(usdc), addressOf(usdc), addressOf(weth), undefined),
    signedAt: instant,
    createdAt: instant,
  })
  .map(({ pair: [sell = weth, buy = usdc], knowsBuy, ...one }) => ({
    ...one,
    sell: addressOf(sell),
    buy: knowsBuy ? addressOf(buy) : undefined,
    notional: one.unit === undefined ? 0n : one.notional,
    signedAt: unsigned.includes(one.state) ? undefined : one.signedAt,
  }))

/** As many as there may be: one wallet has signed bytes of one swap at a time. */
const entries = fc
  .array(entry, { maxLength: 25 })
  .map((all) =>
    all
      .map((one, index): LimitEntry => ({ ...one, swapId: `swap-${index}` }))
      .filter(
        (one, index, list) =>
          !live.includes(one.state) ||
          list.findIndex(
            (same) =>
              live.includes(same.state) &&
              same.wallet === one.wallet &&
              same.chainId === one.chainId,
          ) === index,
      ),
  )

const rowOf = (one: LimitEntry) => {
  const mined = ['INCLUDED', 'SETTLED', 'REVERTED', 'EXPIRED_DEAD'].includes(one.state)
  const settled = one.state === 'SETTLED' ? '1' : null
  return {
    id: one.swapId,
    key: one.swapId,
    strategy: one.strategy,
    chain_id: one.chainId,
    wallet: one.wallet,
    plan: packed('{}'),
    sell_token: one.sell,
    buy_token: one.buy ?? null,
    amount_in: one.amountIn.toString(),
    notional: one.unit === undefined ? null : one.notional.toString(),
    notional_unit: one.unit ?? null,
    state: one.state,
    version: 1,
    reason: 'x',
    nonce: one.signedAt === undefined ? null : 1,
    deadline: 1,
    signed_at: one.signedAt ?? null,
    included_hash: mined ? '0x1' : null,
    included_block: mined ? 1 : null,
    included_block_hash: mined ? '0x1' : null,
    sold: settled,
    received: settled,
    created_at: one.createdAt,
    updated_at: one.createdAt,
  }
}

describe.each(places)('$dialect', ({ dialect, make }) => {
  let place: Place
  let journal: Journal

  beforeEach(async () => {
    place = await make()
    journal = await openJournal({ ...place, coin, clock: { now: () => at, sleep: async () => {} } })
  })
  afterEach(async () => {
    await journal.shut()
    await place.remove()
  })

  test('a swap that is planned between two reads counts in the second', async () => {
    const mine = samplePlan()
    await journal.swaps.reserve(mine, () => {})
    expect((await journal.limits.spent(mine)).sold).toBe(0n)
    const other = samplePlan()
    await journal.swaps.reserve(other, () => {})
    expect((await journal.limits.spent(mine)).sold).toBe(other.intent.sell.wei)
    await journal.swaps.close({ swapId: other.swapId, as: 'ABANDONED', code: 'X', reason: 'x' })
    expect((await journal.limits.spent(mine)).sold).toBe(0n)
  })

  test('what the journal finds by its indexes is what the rule says of every swap there is', async () => {
    const db = await openDatabase(place.database)
    const plans = fc.record({
      pair: fc.shuffledSubarray(tokens, { minLength: 2, maxLength: 2 }),
      worth: fc.constantFrom(undefined, { token: usdc, wei: 1n }, { token: weth, wei: 1n }),
      swapId: fc.constantFrom('mine', 'swap-0'),
    })
    await fc.assert(
      fc.asyncProperty(
        entries,
        plans,
        async (all, { pair: [sell = weth, buy = usdc], worth, swapId }) => {
          await db.transaction().execute(async (trx) => {
            await trx.deleteFrom('swap').execute()
            for (const one of all) await trx.insertInto('swap').values(rowOf(one)).execute()
            // As every change of a swap does: rows that were read are good until the log moves on.
            const facts = { hash: '0x1', answers: [] } as const
            await appendEvent(trx, { of: 'swap-0', at, type: 'ANSWERED', facts })
          })
          const { intent } = samplePlan()
          const plan = samplePlan({
            swapId,
            notional: worth,
            intent: { ...intent, sell: { token: sell, wei: 1n }, buy },
          })
          expect(await journal.limits.spent(plan)).toEqual(spentOf(all, { plan, at, coin }))
        },
      ),
      { numRuns: dialect === 'sqlite' ? 150 : 40 },
    )
    await db.destroy()
  })
})
