import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { openJournal } from '../../../src/bot/journal/openJournal.ts'
import { openPaperJournal, type PaperJournal } from '../../../src/bot/journal/openPaperJournal.ts'
import { drivePaper, resumePaper } from '../../../src/bot/life/drivePaper.ts'
import { type Planned, pass, type Reading, type Simulated } from '../../../src/bot/stages.ts'
import { createChecklist } from '../../../src/core/check.ts'
import { BallastError } from '../../../src/core/errors.ts'
import { nativeAddress } from '../../../src/core/token.ts'
import { type Place, places } from '../../support/journals.ts'
import { samplePlan, sampleQuote, usdc, wallet, weth } from '../journal/sampleSwap.ts'

const chainId = 31_337
const eth = { chainId, address: nativeAddress, symbol: 'ETH', decimals: 18 }
const coin = { native: eth, wrapped: weth }
const oneWeth = 10n ** 18n
const held = [
  { token: eth, wei: 1_000n },
  { token: weth, wei: 2n * oneWeth },
  { token: usdc, wei: 50n },
]
const owner = { chainId, wallet }

describe.each(places)('$dialect', ({ make }) => {
  let now = 1_000
  let place: Place
  let journal: PaperJournal
  const clock = { now: () => now, sleep: async () => {} }
  const open = () => openPaperJournal({ ...place, clock, coin })

  beforeEach(async () => {
    now = 1_000
    place = await make()
    journal = await open()
  })
  afterEach(async () => {
    await journal.shut()
    await place.remove()
  })

  const begin = (given?: typeof held) => journal.paper.open({ ...owner, held, given })
  const quoted = (planned: Planned, gas: Partial<Simulated['simulation']> = {}): Simulated => {
    const quote = sampleQuote(planned)
    const simulation = { ...quote.simulation, gas: 20n, approvalGas: 5n, gasPrice: 3n, ...gas }
    return pass<Simulated>({ ...quote, simulation })
  }
  async function fill(changes: Partial<Planned> = {}) {
    now += 1
    const planned = samplePlan(changes)
    await journal.swaps.reserve(planned, () => {})
    await journal.paper.settle(quoted(planned))
    return planned
  }
  const have = async () => Object.fromEntries((await journal.paper.money(owner)).balances)
  const codeOf = (error: unknown) => (error instanceof BallastError ? error.code : String(error))
  const codeFrom = (work: Promise<unknown>) => work.then(() => 'none', codeOf)

  test('a fill: planned, verified and settled in one commit, booked as it was simulated, approvals charged', async () => {
    await begin()
    const { swapId } = await fill()
    expect(await journal.swaps.record(swapId)).toMatchObject({
      state: 'SETTLED',
      sold: { wei: oneWeth.toString() },
      received: { wei: '3000' },
      gasUsed: '20',
      gasPaidWei: '75',
      gasPaidInAllWei: '75',
      agrees: null,
      txHash: null,
      block: 1,
      attempts: [],
    })
    expect(await have()).toEqual({
      [eth.address.toLowerCase()]: 925n,
      [weth.address]: oneWeth,
      [usdc.address]: 3_050n,
    })
    const rows = await place.rows(
      "SELECT type FROM event WHERE swap_id LIKE 'sample-%' ORDER BY seq",
    )
    expect(rows.map(({ type }) => type)).toEqual(['PLANNED', 'VERIFIED', 'SETTLED'])
    const [row] = await place.rows('SELECT included_hash, included_block_hash FROM swap')
    // 66 characters of hex is what a transaction would have.
    expect(row).toEqual({
      included_hash: `paper:${swapId}`,
      included_block_hash: `paper:${swapId}`,
    })
  })

  test('the router has no allowance left of what was sold, and that is virtual money too', async () => {
    await begin()
    const planned = await fill()
    const { to } = sampleQuote(planned).call
    expect((await journal.paper.money(owner)).allowances).toEqual([
      { token: weth.address, spender: to, wei: 0n },
    ])
  })

  test('what swaps brought others is one sum for each account and token, read on where it stopped', async () => {
    await begin()
    const other = `0x${'b'.repeat(40)}` as const
    const sums = async () =>
      (await journal.paper.sentOn()).map(({ account, held }) => [account, held.wei])
    const part = { sell: { token: weth, wei: oneWeth / 4n }, buy: usdc } as const
    const intent = { ...samplePlan().intent, ...part }
    await fill({ intent, recipient: other })
    expect(await sums()).toEqual([[other, 3_000n]])
    await fill({ intent })
    await fill({ intent, recipient: other })
    await fill({ intent, recipient: nativeAddress })
    expect(await sums()).toEqual([
      [other, 6_000n],
      [nativeAddress, 3_000n],
    ])
  })

  test('limits, totals, standing, breakers and the log know it as any other swap', async () => {
    await begin()
    const { swapId } = await fill()
    expect(await journal.limits.spent(samplePlan())).toMatchObject({ sold: oneWeth, lastAt: now })
    const { fills, totals } = await journal.decisions.inputs('test', {})
    expect([fills.length, totals.map(({ swaps }) => swaps)]).toEqual([1, [1]])
    expect(await journal.breakers.endFacts({ swapId })).toMatchObject({
      swap: { state: 'SETTLED', received: 3_000n },
      gasPaid: [{ wei: 75n }],
    })
    expect(await journal.log.verify(undefined)).toMatchObject({ swaps: [], locks: [] })
    expect((await journal.log.verify(undefined)).broken).toBe(undefined)
    await journal.log.assertConsistent()
  })

  test('the ledger of the log agrees with the balances after each fill, and misses what was taken', async () => {
    await begin()
    const look = async () => {
      const { balances } = await journal.paper.money(owner)
      const amounts = held.map(({ token }) => ({
        token,
        wei: balances.get(token.address.toLowerCase()) ?? 0n,
      }))
      return journal.wallet.balanceLedger({ ...owner, balances: amounts, block: 10 })
    }
    expect(await look()).toEqual([])
    await fill()
    expect(await look()).toEqual([])
    await place.exec(`UPDATE paper_balance SET wei = '7' WHERE token = '${usdc.address}'`)
    expect(await look()).toMatchObject([{ token: usdc, wei: 3_043n }])
  })

  test('what is not there is not spent, and nothing of the swap stays', async () => {
    await begin([
      { token: eth, wei: 1_000n },
      { token: weth, wei: oneWeth - 1n },
    ])
    const planned = samplePlan()
    await journal.swaps.reserve(planned, () => {})
    expect(await codeFrom(journal.paper.settle(quoted(planned)))).toBe('PAPER_OVERDRAWN')
    const poor = quoted(planned, { gasPrice: 1_000n })
    expect(await codeFrom(journal.paper.settle(poor))).toBe('PAPER_OVERDRAWN')
    expect((await journal.swaps.record(planned.swapId))?.state).toBe('PLANNED')
    expect(await place.rows('SELECT * FROM quote')).toEqual([])
    expect(await have()).toMatchObject({ [weth.address]: oneWeth - 1n, [usdc.address]: 0n })
    // The database itself has no balance below zero.
    await expect(place.exec("UPDATE paper_balance SET wei = '-1'")).rejects.toThrow()
  })

  test('a lock at the moment of booking forbids it', async () => {
    await begin()
    const planned = samplePlan()
    await journal.swaps.reserve(planned, () => {})
    await journal.locks.open({
      kind: 'pause',
      scope: 'all',
      code: 'BY_OPERATOR',
      reason: 'a test',
      expiresAt: undefined,
    })
    expect(await codeFrom(journal.paper.settle(quoted(planned)))).toBe('LOCKED')
    expect(await have()).toMatchObject({ [weth.address]: 2n * oneWeth })
  })

  test('opening balances: once, and continued; what is configured later opens as the others did', async () => {
    await begin()
    await fill()
    await journal.shut()
    journal = await open()
    const dai = { chainId, address: `0x${'5'.repeat(40)}`, symbol: 'DAI', decimals: 18 } as const
    await journal.paper.open({
      ...owner,
      held: [...held, { token: dai, wei: 9n }],
      given: undefined,
    })
    expect(await have()).toMatchObject({ [weth.address]: oneWeth, [dai.address]: 9n })
    expect(await codeFrom(begin(held))).toBe('PAPER_BEGUN')
  })

  test('a token configured after balances were given opens with nothing', async () => {
    await begin([{ token: weth, wei: 5n }])
    const dai = { chainId, address: `0x${'5'.repeat(40)}`, symbol: 'DAI', decimals: 18 } as const
    const later = [...held, { token: dai, wei: 9n }]
    await journal.paper.open({ ...owner, held: later, given: undefined })
    expect(await have()).toMatchObject({ [weth.address]: 5n, [dai.address]: 0n })
  })

  test('kinds: either refuses the other, an old journal is live, and bytes have no place on paper', async () => {
    expect(await codeFrom(openJournal({ ...place, clock }))).toBe('JOURNAL_IS_PAPER')
    expect(Object.keys(journal).filter((name) => /commit|note(?:Sent)|settle$/.test(name))).toEqual(
      [],
    )
    await journal.locks.open({
      kind: 'pause',
      scope: 'all',
      code: 'BY_OPERATOR',
      reason: 'an entry',
      expiresAt: undefined,
    })
    // As a journal was before there were kinds.
    await place.exec('DELETE FROM journal_kind')
    expect(await codeFrom(open())).toBe('JOURNAL_IS_LIVE')
    expect(await codeFrom(begin())).toBe('JOURNAL_IS_LIVE')
    expect(await codeFrom(journal.paper.settle(quoted(samplePlan())))).toBe('JOURNAL_IS_LIVE')
    await (await openJournal({ ...place, clock })).shut()
  })

  describe('drivePaper', () => {
    const reading = (simulate: (planned: Planned) => Simulated): Reading => {
      const on = async (value: unknown) => value as never
      return {
        fund: on,
        appraise: on,
        quote: on,
        verify: on,
        permit: on,
        simulate: async (permitted) => simulate(permitted as never),
      }
    }
    async function driven(
      simulate: (planned: Planned) => Simulated,
      signal = new AbortController().signal,
    ) {
      await begin()
      const planned = samplePlan()
      await journal.swaps.reserve(planned, () => {})
      const train = { reading: reading(simulate), journal, clock, simulationAgeMsMax: 2_000 }
      const code = await codeFrom(drivePaper(planned, train, signal))
      const record = await journal.swaps.record(planned.swapId)
      return { code, state: record?.state, kept: record?.code }
    }

    test('books what survives', async () => {
      expect(await driven((planned) => quoted(planned))).toEqual({
        code: 'none',
        state: 'SETTLED',
        kept: null,
      })
    })

    test('a quote past its deadline, or an old look, is no fill', async () => {
      const old = await driven((planned) => quoted(planned, { startedAt: now - 2_001 }))
      expect(old).toEqual({
        ...{ code: 'SIMULATION_STALE', kept: 'SIMULATION_STALE' },
        state: 'ABANDONED',
      })
      const setBack = await driven((planned) => quoted(planned, { startedAt: now + 1 }))
      expect(setBack).toEqual(old)
      const late = await driven((planned) => {
        now = 1_000_001
        return quoted(planned, { startedAt: now })
      })
      expect(late).toEqual({ code: 'QUOTE_EXPIRED', state: 'ABANDONED', kept: 'QUOTE_EXPIRED' })
      expect(await have()).toMatchObject({ [weth.address]: 2n * oneWeth })
    })

    test('a refusal is REJECTED with its checks, anything else ABANDONED with its code', async () => {
      const refused = await driven(() => {
        const checks = createChecklist('verify')
        checks.equal('floor', 1, 2)
        checks.conclude()
        throw new Error('not reached')
      })
      expect(refused).toEqual({ code: 'VERIFY_FLOOR', state: 'REJECTED', kept: 'VERIFY_FLOOR' })
      const stopped = await driven((planned) => quoted(planned), AbortSignal.abort())
      expect(stopped).toEqual({ code: 'INTERRUPTED', state: 'ABANDONED', kept: 'INTERRUPTED' })
    })

    test('what a process left planned is over at the next start', async () => {
      await begin()
      const { swapId } = samplePlan()
      await journal.swaps.reserve({ ...samplePlan(), swapId } as Planned, () => {})
      expect(await resumePaper(swapId, { journal })).toMatchObject({ state: 'ABANDONED' })
      expect(await journal.swaps.open()).toEqual([])
    })
  })
})
