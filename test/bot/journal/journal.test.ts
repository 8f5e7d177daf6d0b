import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type Journal, openJournal } from '../../../src/bot/journal/openJournal.ts'
import {
  type Planned,
  pass,
  type Signed,
  type Simulated,
  type Spent,
} from '../../../src/bot/stages.ts'
import { systemClock } from '../../../src/core/clock.ts'
import { type Address, nativeAddress, type Token, usdOf } from '../../../src/core/token.ts'
import { type Place, places } from '../../support/journals.ts'

const wallet: Address = '0x00000000000000000000000000000000000000aa'
const token = (symbol: string, digit: string): Token => ({
  chainId: 31_337,
  address: `0x${digit.repeat(40)}`,
  symbol,
  decimals: 18,
})
const weth = token('WETH', '1')
const usdc = token('USDC', '2')

let counter = 0
const plannedSwap = (changes: Partial<Planned> = {}): Planned => {
  counter += 1
  return pass<Planned>({
    swapId: `swap-${counter}`,
    key: `key-${counter}`,
    strategy: 'test',
    intent: {
      sell: { token: weth, wei: 10n ** 18n },
      buy: usdc,
      floor: { token: usdc, wei: 2_990n * 10n ** 6n },
      reason: 'because',
    },
    wallet,
    recipient: wallet,
    slippageBps: 10,
    expirySeconds: 30,
    indication: undefined,
    notional: undefined,
    ...changes,
  })
}
const simulated = (planned: Planned, quoteId = `0x${counter.toString(16).padStart(32, '0')}`) =>
  pass<Simulated>({
    ...planned,
    approvals: [],
    appraisal: {
      askedAt: 0,
      references: [],
      absent: [],
      notional: undefined,
      coin: undefined,
      pegs: [],
    },
    request: {} as never,
    quote: {} as never,
    body: '{}',
    requestedAt: 0,
    receivedAt: 0,
    call: { to: `0x${'3'.repeat(40)}`, data: '0x', value: 0n },
    swap: {} as never,
    orders: [],
    quoteId,
    authorization: `0x${'4'.repeat(64)}`,
    deadline: 1_000,
    amountOut: { token: usdc, wei: 3_000n },
    minimum: { token: usdc, wei: 2_990n },
    checks: [{ name: 'a', ok: true, expected: '1', actual: '1' }],
    fees: { gas: 1n, maxFeePerGas: 1n, maxPriorityFeePerGas: 1n },
    nonce: 0,
    simulation: {
      startedAt: 0,
      block: 1,
      spent: planned.intent.sell,
      received: { token: usdc, wei: 3_000n },
      gas: 1n,
      approvalGas: 0n,
      gasPrice: 1n,
      tip: 1n,
      feeMost: 100n,
      proof: 'unwitnessed',
    },
  })
const signed = (planned: Planned, nonce: number, kind: Signed['kind'] = 'SWAP') =>
  pass<Signed>({
    swapId: planned.swapId,
    kind,
    wallet,
    transaction: {
      to: wallet,
      data: '0x',
      value: 0n,
      gas: 1n,
      maxFeePerGas: 1n,
      maxPriorityFeePerGas: 1n,
      chainId: 31_337,
      nonce,
    },
    raw: '0x02',
    hash: `0x${Buffer.from(`${planned.swapId}${kind}`).toString('hex').padStart(64, '0').slice(-64)}`,
  })

describe.each(places)('journal in $dialect', ({ make }) => {
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
  const toSigned = async (planned: Planned, nonce: number) => {
    await journal.swaps.reserve(planned, () => {})
    return journal.attempts.commitSwap(signed(planned, nonce), simulated(planned))
  }

  test('default: what was committed is read back as it was', async () => {
    const planned = plannedSwap()
    await toSigned(planned, 0)
    const swap = await journal.swaps.load(planned.swapId)
    expect(swap).toMatchObject({ state: 'SIGNED', nonce: 0, deadline: 1_000 })
    expect(swap.plan.intent).toEqual(planned.intent)
    expect(swap.attempts.map(({ bytes }) => bytes.raw)).toEqual(['0x02'])
    expect(await journal.swaps.open()).toEqual([planned.swapId])
  })

  test('reserve: a slot is planned once', async () => {
    const planned = plannedSwap()
    expect(await journal.swaps.reserve(planned, () => {})).toBe(true)
    expect(await journal.swaps.reserve(plannedSwap({ key: planned.key }), () => {})).toBe(false)
  })

  test('reserve: two plans cannot spend one allowance', async () => {
    const seen: bigint[] = []
    const note = ({ sold }: Spent) => void seen.push(sold)
    await Promise.all([
      journal.swaps.reserve(plannedSwap(), note),
      journal.swaps.reserve(plannedSwap(), note),
      journal.swaps.reserve(plannedSwap(), note),
    ])
    expect(seen.sort()).toEqual([0n, 10n ** 18n, 2n * 10n ** 18n])
  })

  test('reserve: a plan that does not fit leaves nothing behind', async () => {
    const refuse = () => {
      throw new Error('over budget')
    }
    await expect(journal.swaps.reserve(plannedSwap(), refuse)).rejects.toThrow('over budget')
    expect(await journal.swaps.history({ limit: 10 })).toEqual([])
  })

  test('reserve: what ended without a swap may be spent again', async () => {
    const planned = plannedSwap()
    await journal.swaps.reserve(planned, () => {})
    const other = plannedSwap()
    expect(await journal.limits.spent(other)).toMatchObject({ sold: 10n ** 18n })
    await journal.swaps.close({ swapId: planned.swapId, as: 'REJECTED', code: 'X', reason: 'x' })
    expect(await journal.limits.spent(other)).toMatchObject({ sold: 0n, lastAt: undefined })
  })

  test('spent: the unit of account, by hour, day and strategy; another unit is not added up', async () => {
    const start = 1_800_000_000_000
    let now = start
    const clock = { now: () => now, sleep: async () => {} }
    const timed = await openJournal({ ...place, clock })
    const dollars = (wei: bigint) => ({ token: usdOf(31_337), wei })
    let nonce = 0
    const settledAt = async (minutes: number, changes: Partial<Planned>) => {
      now = start + minutes * 60_000
      const planned = plannedSwap(changes)
      await timed.swaps.reserve(planned, () => {})
      const { hash } = signed(planned, nonce)
      await timed.attempts.commitSwap(signed(planned, nonce++), simulated(planned))
      const receipt = {
        hash,
        success: true,
        blockNumber: 1,
        blockHash: hash,
        gasUsed: 1n,
        gasPaid: 1n,
        logs: [],
      }
      await timed.attempts.include({ swapId: planned.swapId, receipt })
      const measured = {
        sold: planned.intent.sell,
        received: { token: usdc, wei: 1n },
        gasUsed: 1n,
        gasPaid: 1n,
        agrees: true,
        short: false,
      }
      await timed.attempts.settle({ swapId: planned.swapId, measured })
    }
    await settledAt(0, { notional: dollars(1n) })
    await settledAt(23 * 60 + 1, { notional: dollars(10n), strategy: 'other' })
    await settledAt(23 * 60 + 30, { notional: dollars(100n) })
    await settledAt(23 * 60 + 40, { notional: { token: usdc, wei: 7n }, strategy: 'other' })
    const mine = plannedSwap({ notional: dollars(5n) })
    expect(await timed.limits.spent(mine)).toEqual({
      sold: 4n * 10n ** 18n,
      hour: 110n,
      day: 111n,
      strategy: 101n,
      otherUnit: 1,
      lastAt: start + (23 * 60 + 30) * 60_000,
    })
    now = start + 24 * 60 * 60_000
    expect(await timed.limits.spent(mine)).toMatchObject({ hour: 110n, day: 110n, strategy: 100n })
    await timed.shut()
  })

  test('spent: counts from the signature, and what is open counts however old its plan is', async () => {
    const start = 1_800_000_000_000
    let now = start
    const clock = { now: () => now, sleep: async () => {} }
    const timed = await openJournal({ ...place, clock })
    const notional = { token: usdOf(31_337), wei: 100n }
    const old = plannedSwap({ notional })
    await timed.swaps.reserve(old, () => {})
    const other = plannedSwap({ notional })
    const hours = (count: number) => start + count * 3_600_000
    now = hours(25)
    expect(await timed.limits.spent(other)).toMatchObject({
      hour: 100n,
      day: 100n,
      sold: 10n ** 18n,
    })
    // Its worth when it was quoted is what counts.
    const dearer = pass<Simulated>({
      ...simulated(old),
      notional: { token: usdOf(31_337), wei: 150n },
    })
    await timed.attempts.commitSwap(signed(old, 0), dearer)
    expect(await timed.limits.spent(other)).toMatchObject({ hour: 150n, day: 150n })
    await timed.shut()
  })

  test('spent: a cooldown counts what was begun, in either direction of the pair', async () => {
    const reversed = plannedSwap({
      intent: {
        sell: { token: usdc, wei: 1n },
        buy: weth,
        floor: { token: weth, wei: 1n },
        reason: '',
      },
    })
    await journal.swaps.reserve(reversed, () => {})
    expect((await journal.limits.spent(plannedSwap())).lastAt).toBeGreaterThan(0)
    await journal.swaps.close({ swapId: reversed.swapId, as: 'REJECTED', code: 'X', reason: 'x' })
    expect((await journal.limits.spent(plannedSwap())).lastAt).toBeUndefined()
  })

  test('spent: a cooldown counts the coin under both of its names', async () => {
    const eth = { ...weth, address: nativeAddress, symbol: 'ETH' }
    const own = await openJournal({
      ...place,
      clock: systemClock,
      coin: { native: eth, wrapped: weth },
    })
    const selling = (sold: Token, bought: Token) =>
      plannedSwap({
        intent: {
          sell: { token: sold, wei: 1n },
          buy: bought,
          floor: { token: bought, wei: 1n },
          reason: '',
        },
      })
    await own.swaps.reserve(selling(eth, weth), () => {})
    expect((await own.limits.spent(selling(weth, usdc))).lastAt).toBeUndefined()
    await own.swaps.reserve(selling(eth, usdc), () => {})
    expect((await own.limits.spent(selling(weth, usdc))).lastAt).toBeGreaterThan(0)
    expect((await own.limits.spent(selling(usdc, weth))).lastAt).toBeGreaterThan(0)
    await own.shut()
  })

  test('quoteSeen: a stored id is known to other swaps and not to its own', async () => {
    const planned = plannedSwap()
    await journal.swaps.reserve(planned, () => {})
    const taken = simulated(planned)
    await journal.attempts.commitQuote(taken)
    const ask = { chainId: 31_337, router: taken.call.to, quoteId: taken.quoteId }
    expect(await journal.swaps.quoteSeen({ ...ask, swapId: 'another' })).toBe(true)
    expect(await journal.swaps.quoteSeen({ ...ask, swapId: planned.swapId })).toBe(false)
  })

  test('[API-29] commit: a quote id is used once, for ever', async () => {
    const first = plannedSwap()
    const second = plannedSwap()
    await journal.swaps.reserve(first, () => {})
    await journal.swaps.reserve(second, () => {})
    await journal.attempts.commitQuote(simulated(first, '0xsame'))
    await expect(journal.attempts.commitQuote(simulated(second, '0xsame'))).rejects.toMatchObject({
      code: 'QUOTE_REUSED',
      fault: 'refused',
    })
    expect(await journal.swaps.load(second.swapId)).toMatchObject({ state: 'PLANNED' })
  })

  test('commit: one swap with signed bytes per wallet', async () => {
    await toSigned(plannedSwap(), 0)
    await expect(toSigned(plannedSwap(), 1)).rejects.toThrow(/unique/i)
  })

  test('commit: a nonce the journal would not give next is refused', async () => {
    await expect(toSigned(plannedSwap(), 5)).rejects.toMatchObject({ code: 'NONCE_DIVERGED' })
  })

  test('commit: nothing is signed for a swap that was refused, and its quote is not stored', async () => {
    const planned = plannedSwap()
    const { swapId } = planned
    await journal.swaps.reserve(planned, () => {})
    await journal.swaps.close({ swapId, as: 'REJECTED', code: 'X', reason: 'x' })
    await expect(
      journal.attempts.commitSwap(signed(planned, 0), simulated(planned)),
    ).rejects.toMatchObject({ code: 'SWAP_MOVED_ON' })
    expect((await journal.swaps.load(swapId)).attempts).toEqual([])
    expect(await journal.swaps.dossiers([swapId])).toMatchObject([{ quote: undefined }])
  })

  test('guards: the database refuses a state without what it stands for', async () => {
    const planned = plannedSwap()
    await journal.swaps.reserve(planned, () => {})
    for (const state of ['SIGNED', 'INCLUDED', 'SETTLED', 'REJECTED', 'NONSENSE'])
      await expect(place.exec(`UPDATE swap SET state = '${state}'`)).rejects.toThrow(/check/i)
  })

  test('[CHAIN-13] wallet: a foreign nonce and a lost one end the start', async () => {
    const adopt = (nonceOfChain: number) =>
      journal.wallet.adopt({ chainId: 31_337, wallet, nonceOfChain })
    await adopt(0)
    await expect(adopt(1)).rejects.toMatchObject({ code: 'NONCE_FOREIGN', fault: 'locked' })
    await toSigned(plannedSwap(), 0)
    await expect(adopt(0)).rejects.toMatchObject({ code: 'NONCE_LOST', fault: 'locked' })
  })

  test('history: newest first, in pages without gaps', async () => {
    const ids: string[] = []
    for (let index = 0; index < 7; index++) {
      const planned = plannedSwap()
      await journal.swaps.reserve(planned, () => {})
      ids.unshift(planned.swapId)
    }
    const all = (await journal.swaps.history({ limit: 10 })).map(({ id }) => id)
    expect(all).toHaveLength(7)
    const first = await journal.swaps.history({ limit: 3 })
    const second = await journal.swaps.history({ limit: 10, before: first.at(-1)?.id ?? '' })
    expect([...first, ...second].map(({ id }) => id)).toEqual(all)
  })
})
