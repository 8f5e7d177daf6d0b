import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type Journal, openJournal } from '../../../src/bot/journal/openJournal.ts'
import type { Context } from '../../../src/bot/stages.ts'
import type { Receipt } from '../../../src/chain/calls/getReceipt.ts'
import { type Address, nativeAddress } from '../../../src/core/token.ts'
import { type Place, places } from '../../support/journals.ts'
import { sampleBytes, samplePlan, sampleQuote, usdc, wallet, weth } from './sampleSwap.ts'

const chainId = 31_337
const eth = { chainId, address: nativeAddress, symbol: 'ETH', decimals: 18 }
describe.each(places)('$dialect', ({ make }) => {
  let now = 1_000_000
  let place: Place
  let journal: Journal
  let nonce = 0

  beforeEach(async () => {
    now = 1_000_000
    nonce = 0
    place = await make()
    journal = await openJournal({ ...place, clock: { now: () => now, sleep: async () => {} } })
    await journal.wallet.adopt({ chainId, wallet, nonceOfChain: 0 })
  })
  afterEach(async () => {
    await journal.shut()
    await place.remove()
  })

  const receipt = (success = true): Receipt =>
    ({
      hash: `0x${'a'.repeat(64)}`,
      blockNumber: 7,
      blockHash: `0x${'b'.repeat(64)}`,
      success,
      gasUsed: 100n,
      gasPaid: 300n,
      logs: [],
    }) as unknown as Receipt

  const oneWeth = 10n ** 18n
  /** Paid for gas by every transaction here. */
  const gas = 300n

  async function sign(recipient: Address = wallet, strategy = 'test') {
    now += 1
    const planned = samplePlan({ recipient, strategy })
    await journal.swaps.reserve(planned, () => {})
    await journal.attempts.commitSwap(sampleBytes(planned, nonce), sampleQuote(planned))
    nonce += 1
    await journal.attempts.include({ swapId: planned.swapId, receipt: receipt() })
    return planned
  }

  async function settle({
    received = 3_000n,
    recipient = wallet,
  }: {
    received?: bigint
    recipient?: Address
  } = {}) {
    const { swapId } = await sign(recipient)
    const measured = {
      sold: { token: weth, wei: oneWeth },
      received: { token: usdc, wei: received },
      gasUsed: 100n,
      gasPaid: gas,
      agrees: false,
      short: true,
    }
    await journal.attempts.settle({ swapId, measured })
    return swapId
  }

  async function revert() {
    const { swapId } = await sign()
    const end = { as: 'REVERTED', code: 'REVERTED', reason: 'x', receipt: receipt(false) } as const
    await journal.attempts.close({ swapId, ...end })
    return swapId
  }

  const look = async (held: { weth: bigint; usdc: bigint; eth: bigint }, block = 100) => {
    const missing = await journal.wallet.balanceLedger({
      chainId,
      wallet,
      balances: [
        { token: eth, wei: held.eth },
        { token: weth, wei: held.weth },
        { token: usdc, wei: held.usdc },
      ],
      block,
    })
    return missing.map(({ token, wei }) => [token.symbol, wei])
  }
  const paidIn = async () => {
    const rows = await place.rows(`SELECT facts FROM event WHERE type = 'PAID_IN'`)
    return rows.map(({ facts }) => JSON.parse(String(facts)))
  }
  const start = { weth: 10n * oneWeth, usdc: 0n, eth: 1_000_000n }

  describe('balanceLedger', () => {
    test('a settled swap explains what left and what arrived, to the wei', async () => {
      expect(await look(start)).toEqual([])
      await settle()
      const after = { weth: 9n * oneWeth, usdc: 3_000n, eth: start.eth - gas }
      expect(await look({ ...after, usdc: 2_999n })).toEqual([['USDC', 1n]])
      expect(await look({ ...after, weth: after.weth - 1n })).toEqual([['WETH', 1n]])
      expect(await look({ ...after, eth: after.eth - 1n })).toEqual([['ETH', 1n]])
      expect(await look(after)).toEqual([])
      await settle()
      expect(await look(after)).toEqual([['USDC', 3_000n]])
      expect(await look({ weth: 8n * oneWeth, usdc: 6_000n, eth: after.eth - gas })).toEqual([])
    })

    test('another chain has a ledger of its own, with its own payments and swaps', async () => {
      const there = async (usdcHeld: bigint, block: number) => {
        const balances = [{ token: { ...usdc, chainId: 10 }, wei: usdcHeld }]
        const missing = await journal.wallet.balanceLedger({ chainId: 10, wallet, balances, block })
        return missing.map(({ wei }) => wei)
      }
      expect(await look(start)).toEqual([])
      expect(await there(5_000n, 300_000_000)).toEqual([])
      expect(await there(9_000n, 300_000_001)).toEqual([])
      expect((await paidIn()).map((one) => one.chainId)).toEqual([10])
      // Its blocks are no bound for the lower ones of this chain.
      expect(await look({ ...start, weth: oneWeth })).toEqual([['WETH', 9n * oneWeth]])
      expect(await look(start)).toEqual([])
      // What a swap moved here is missing there, and explains nothing.
      await settle()
      expect(await there(9_000n, 300_000_002)).toEqual([])
      expect(await there(8_000n, 300_000_003)).toEqual([1_000n])
    })

    test('of a token that the configuration has no more nothing is read, and later it is compared all the same', async () => {
      const of = (amounts: readonly { token: typeof eth; wei: bigint }[], block: number) =>
        journal.wallet.balanceLedger({ chainId, wallet, balances: amounts, block })
      const two = (held: { weth: bigint; eth: bigint }) => [
        { token: eth, wei: held.eth },
        { token: weth, wei: held.weth },
      ]
      await look(start)
      await settle()
      const after = { weth: 9n * oneWeth, usdc: 3_000n, eth: start.eth - gas }
      expect(await of(two(after), 100)).toEqual([])
      // What lies before the last look is not read: it would not be readable.
      const [old] = await place.rows<{ facts: unknown; seq: number }>(
        "SELECT seq, CAST(facts AS TEXT) AS facts FROM event WHERE type = 'SETTLED'",
      )
      const isServer = place.database.dialect === 'postgres'
      const facts = (text: unknown) => (isServer ? `convert_to('${text}', 'UTF8')` : `'${text}'`)
      const kept = 'CREATE TABLE kept AS SELECT seq, facts FROM event'
      await place.exec(kept)
      await place.exec(`UPDATE event SET facts = ${facts('no facts')} WHERE seq = ${old?.seq}`)
      expect(await of(two(after), 100)).toEqual([])
      await place.exec(
        'UPDATE event SET facts = (SELECT facts FROM kept WHERE kept.seq = event.seq)',
      )
      // It is in the file again: what its swaps brought meanwhile is known.
      expect(await look({ ...after, usdc: 2_999n })).toEqual([['USDC', 1n]])
      expect(await look(after)).toEqual([])
    })

    test('more swaps than a statement may have parameters lie behind a token that comes back', async () => {
      await look(start)
      await settle()
      const isServer = place.database.dialect === 'postgres'
      const numbers = isServer
        ? 'SELECT generate_series(1, 66000) AS n'
        : 'WITH RECURSIVE many(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM many WHERE n < 33000) SELECT n FROM many'
      // Entries of swaps that the journal does not have: they move nothing.
      await place.exec(`INSERT INTO event (seq, at, swap_id, type, facts, prev, hash)
        SELECT 1000 + n, 0, 'swap ' || n, 'SETTLED', facts, prev, hash
        FROM event, (${numbers}) AS numbers WHERE type = 'SETTLED'`)
      const after = { weth: 9n * oneWeth, usdc: 3_000n, eth: start.eth - gas }
      expect(await look({ ...after, usdc: 2_999n })).toEqual([['USDC', 1n]])
      expect(await look(after)).toEqual([])
    })

    test('a reverted swap and an approval explain their gas, a recipient what did not arrive here', async () => {
      await look(start)
      await revert()
      expect(await look({ ...start, eth: start.eth - gas - 1n })).toEqual([['ETH', 1n]])
      expect(await look({ ...start, eth: start.eth - gas })).toEqual([])
      await settle({ recipient: `0x${'9'.repeat(40)}` })
      const after = { weth: 9n * oneWeth, usdc: 0n, eth: start.eth - 2n * gas }
      expect(await look(after)).toEqual([])
    })

    test('what a balance earns with each block is noted together, once an hour; a payment at once', async () => {
      await look(start)
      let earned = 0n
      const seenAt = (block: number) => look({ ...start, weth: start.weth + earned }, block)
      for (let block = 101; block <= 200; block += 1) {
        earned += 1n
        now += 12_000
        expect(await seenAt(block)).toEqual([])
      }
      expect(await paidIn()).toEqual([])
      // It is still known what was there: what leaves is missing, however little was earned.
      expect(await look({ ...start, weth: start.weth - 1n }, 201)).toEqual([['WETH', 1n]])
      now += 3_600_000
      expect(await seenAt(202)).toEqual([])
      expect(await paidIn()).toMatchObject([{ token: 'WETH', wei: '100' }])
      // More than a basis point is no interest of an hour.
      earned += start.weth / 9_000n
      expect(await seenAt(203)).toEqual([])
      expect((await paidIn()).map(({ wei }) => wei)).toEqual(['100', String(start.weth / 9_000n)])
    })

    test('what is missing goes on missing, over restarts, until a person resumes', async () => {
      await look(start)
      const less = { ...start, usdc: 0n, weth: start.weth - 5n }
      expect(await look(less)).toEqual([['WETH', 5n]])
      expect(await look(less)).toEqual([['WETH', 5n]])
      await journal.locks.open({
        kind: 'breaker',
        scope: `wallet ${wallet}`,
        code: 'LEDGER_DRIFT',
        reason: 'x',
        expiresAt: undefined,
      })
      await journal.locks.release({ id: undefined, reason: 'it was us' })
      expect(await look(less)).toEqual([])
      expect(await look(less)).toEqual([])
    })

    test('what is on top was paid in: noted once, and counts from then on', async () => {
      await look(start)
      const more = { ...start, usdc: 500n }
      expect(await look(more)).toEqual([])
      expect(await look(more)).toEqual([])
      expect(await paidIn()).toMatchObject([{ token: 'USDC', wei: '500', block: 100 }])
      expect(await look(start)).toEqual([['USDC', 500n]])
    })

    test('a node that lags behind a look that showed a swap or a deposit tells nothing, and nothing is paid in by it', async () => {
      await look(start, 6)
      await settle()
      const after = { weth: 9n * oneWeth, usdc: 3_000n, eth: start.eth - gas }
      expect(await look(after, 7)).toEqual([])
      expect(await look(start, 6)).toEqual([])
      const rich = { ...after, usdc: 4_000n }
      expect(await look(rich, 9)).toEqual([])
      expect(await look(after, 8)).toEqual([])
      expect(await paidIn()).toMatchObject([{ token: 'USDC', wei: '1000', block: 9 }])
      expect(await look({ ...rich, usdc: 3_999n }, 10)).toEqual([['USDC', 1n]])
    })

    test('a surplus beside what is missing is noted once that is explained', async () => {
      await look(start)
      expect(await look({ ...start, weth: start.weth - 5n, usdc: 7n })).toEqual([['WETH', 5n]])
      expect(await look({ ...start, weth: start.weth - 5n, usdc: 7n })).toEqual([['WETH', 5n]])
      expect(await paidIn()).toEqual([])
      expect(await look({ ...start, usdc: 7n })).toEqual([])
      expect(await paidIn()).toMatchObject([{ token: 'USDC', wei: '7' }])
    })

    test('silent while a swap is under way, and at a block older than the last swap', async () => {
      await look(start)
      const gone = { weth: 0n, usdc: 0n, eth: 0n }
      await settle()
      expect(await look(gone, 6)).toEqual([])
      expect(await look(gone, 7)).not.toEqual([])
      await sign()
      expect(await look(gone)).toEqual([])
    })
  })

  describe('endFacts', () => {
    test('ends newest first, gas, minimum; nothing for a swap under way', async () => {
      const lost = await revert()
      const won = await settle({ received: 2_000n })
      const { swapId: open } = await sign()
      expect(await journal.breakers.endFacts({ swapId: open })).toBeUndefined()
      expect(await journal.breakers.endFacts({ swapId: won })).toMatchObject({
        id: won,
        strategy: 'test',
        swap: {
          state: 'SETTLED',
          received: 2_000n,
          minimum: 2_990n,
          short: true,
          failedChecks: [],
        },
        strategyEnds: [{ state: 'SETTLED' }, { state: 'REVERTED' }],
        walletEnds: [{ state: 'SETTLED' }, { state: 'REVERTED' }],
        gasPaid: [{ wei: gas }, { wei: gas }],
      })
      expect((await journal.breakers.endFacts({ swapId: lost }))?.swap.state).toBe('REVERTED')
    })

    test('a refusal brings the names of its failed checks; what was abandoned brings its gas', async () => {
      const refused = samplePlan()
      await journal.swaps.reserve(refused, () => {})
      const checks = ['simulate.witness-head', 'verify.a'].map((name, index) => {
        return { name, ok: index === 1, expected: '', actual: '' }
      })
      const { swapId } = refused
      const end = { code: 'SIMULATE_WITNESS_HEAD', reason: 'x' }
      await journal.swaps.close({ swapId, as: 'REJECTED', ...end, checks })
      expect((await journal.breakers.endFacts({ swapId }))?.swap.failedChecks).toEqual([
        'simulate.witness-head',
      ])
      const left = samplePlan()
      await journal.swaps.reserve(left, () => {})
      const { hash } = await journal.attempts.commitApproval(sampleBytes(left, 0, 'APPROVE'))
      await journal.attempts.closeApproval({ hash, receipt: receipt(true) })
      await journal.swaps.close({
        swapId: left.swapId,
        as: 'ABANDONED',
        code: 'LOCKED',
        reason: 'x',
      })
      expect(await journal.breakers.endFacts({ swapId: left.swapId })).toMatchObject({
        swap: { state: 'ABANDONED', failedChecks: [] },
        strategyEnds: [{ state: 'REJECTED' }],
        walletEnds: [],
        gasPaid: [{ wei: gas }],
      })
    })

    test('what its approvals cost is counted with the last ten ends of the wallet', async () => {
      const approve = async (plan: ReturnType<typeof samplePlan>) => {
        const bytes = sampleBytes(plan, nonce, 'APPROVE')
        nonce += 1
        const { hash } = await journal.attempts.commitApproval(bytes)
        await journal.attempts.closeApproval({ hash, receipt: receipt(true) })
      }
      const leave = async (code: string, as: 'ABANDONED' | 'REJECTED' = 'ABANDONED') => {
        now += 1
        const plan = samplePlan()
        await journal.swaps.reserve(plan, () => {})
        if (code !== 'UNSIGNED') await approve(plan)
        now += 1
        const end = { code, reason: 'x', ...(as === 'REJECTED' ? { checks: [] } : {}) }
        await journal.swaps.close({ swapId: plan.swapId, as, ...end })
        return { plan, facts: await journal.breakers.endFacts({ swapId: plan.swapId }) }
      }
      const { facts: first } = await leave('UPSTREAM')
      expect(first).toMatchObject({
        swap: { onlyCostGas: true },
        walletEnds: [{ state: 'ABANDONED', code: 'UPSTREAM' }],
      })
      await settle()
      const { facts: refused } = await leave('VERIFY_X', 'REJECTED')
      expect(refused?.swap.onlyCostGas).toBe(true)
      // A success between them is one of the last ten like the others.
      const states = ['REJECTED', 'SETTLED', 'ABANDONED']
      expect(refused?.walletEnds.map(({ state }) => state)).toEqual(states)
      for (const code of ['INTERRUPTED', 'LOCKED', 'REVOKED', 'RECOVERED', 'UNSIGNED']) {
        const { facts } = await leave(code)
        expect([facts?.swap.onlyCostGas, facts?.walletEnds.length]).toEqual([false, 3])
      }
      // A person has looked; what is taken back later, in the name of an old swap, brings none of them back.
      now += 1
      const lock = { kind: 'breaker', code: 'FAILURES', reason: 'x', expiresAt: undefined } as const
      await journal.locks.open({ ...lock, scope: `wallet ${wallet}` })
      await journal.locks.release({ id: undefined, reason: 'looked' })
      const { plan, facts } = await leave('UNSIGNED')
      expect(facts?.walletEnds).toEqual([])
      now += 1
      await approve(plan)
      const later = await journal.breakers.endFacts({ swapId: plan.swapId })
      expect([later?.swap.onlyCostGas, later?.walletEnds]).toEqual([false, []])
      expect((await leave('UPSTREAM')).facts?.walletEnds).toHaveLength(1)
      // One that was approved before the release and ended after it was not looked at.
      now += 1
      const late = samplePlan()
      await journal.swaps.reserve(late, () => {})
      await approve(late)
      now += 1
      await journal.locks.open({ ...lock, scope: `wallet ${wallet}` })
      await journal.locks.release({ id: undefined, reason: 'looked' })
      now += 1
      const end = { as: 'ABANDONED', code: 'UPSTREAM', reason: 'x' } as const
      await journal.swaps.close({ swapId: late.swapId, ...end })
      const ended = await journal.breakers.endFacts({ swapId: late.swapId })
      expect([ended?.swap.onlyCostGas, ended?.walletEnds.length]).toEqual([true, 1])
    })

    test('gas of an approval counts from when it was mined, not from when it was signed', async () => {
      const plan = samplePlan()
      await journal.swaps.reserve(plan, () => {})
      for (const gasPaid of [300n, 40n]) {
        now += 1
        const bytes = { ...sampleBytes(plan, nonce, 'APPROVE'), hash: `0x${gasPaid}` as const }
        nonce += 1
        const { hash } = await journal.attempts.commitApproval(bytes)
        now += 10
        await journal.attempts.closeApproval({ hash, receipt: { ...receipt(true), gasPaid } })
      }
      for (const [before, wei] of [
        [0, []],
        [5, [40n]],
        [11, [40n]],
        [12, [300n, 40n]],
        [22, [300n, 40n]],
      ] as const) {
        const span = { chainId, wallet, since: now - before }
        const { gasPaidWei } = await journal.countBooks(span)
        expect(gasPaidWei).toBe(wei.reduce<bigint>((sum, one) => sum + one, 0n))
        const paid = await journal.breakers.gasPaid(span)
        expect(paid.map((one) => one.wei).sort()).toEqual([...wei].sort())
      }
      const paid = await journal.breakers.gasPaid({ chainId, wallet, since: 0 })
      expect(paid.map(({ at }) => at).sort()).toEqual([now - 11, now])
    })

    test('history: what takes an allowance back later is no cost of the swap', async () => {
      const swapId = await revert()
      const paid = async () => (await journal.swaps.record(swapId))?.gasPaidInAllWei
      const before = await paid()
      expect(Number(before)).toBeGreaterThan(0)
      now += 1
      const bytes = sampleBytes({ ...samplePlan(), swapId }, nonce, 'APPROVE')
      nonce += 1
      const { hash } = await journal.attempts.commitApproval(bytes)
      await journal.attempts.closeApproval({ hash, receipt: receipt(true) })
      expect(await paid()).toBe(before)
    })

    test('what an approval cost is the cost of its swap, also where it was outbid behind the end', async () => {
      const approved = async (isOutbid: boolean) => {
        now += 1
        const plan = samplePlan()
        const { swapId } = plan
        await journal.swaps.reserve(plan, () => {})
        const bytes = sampleBytes(plan, nonce, 'APPROVE')
        nonce += 1
        let { hash } = await journal.attempts.commitApproval(bytes)
        const paid = { ...receipt(true), tipPaid: 5n, basePaid: 7n }
        if (!isOutbid) await journal.attempts.closeApproval({ hash, receipt: paid })
        now += 1
        const end = { swapId, code: 'VERIFY_X', reason: 'x', checks: [] }
        await journal.swaps.close({ ...end, as: 'REJECTED' })
        now += 1
        if (isOutbid) {
          const dearer = { ...bytes, hash: `0x${'9'.repeat(64)}` as const }
          hash = (await journal.attempts.commitBump(dearer, hash)).hash
          await journal.attempts.closeApproval({ hash, receipt: paid })
        }
        return swapId
      }
      for (const isOutbid of [false, true]) {
        const swapId = await approved(isOutbid)
        expect(await journal.swaps.record(swapId)).toMatchObject({
          ...{ gasPaidWei: null, gasPaidInAllWei: '300', gasTipInAllWei: '5' },
        })
        expect(await journal.swaps.dossiers([swapId])).toMatchObject([
          { gasPaidInAll: 300n, tipPaidInAll: 5n, basePaidInAll: 7n },
        ])
        const ended = await journal.breakers.endFacts({ swapId })
        expect(ended?.swap.onlyCostGas).toBe(true)
      }
    })

    test('after a person has looked, the row is counted anew', async () => {
      await revert()
      await journal.locks.open({
        kind: 'breaker',
        scope: `wallet ${wallet}`,
        code: 'FAILURES',
        reason: 'x',
        expiresAt: undefined,
      })
      await journal.locks.release({ id: undefined, reason: 'looked' })
      const swapId = await revert()
      expect((await journal.breakers.endFacts({ swapId }))?.walletEnds).toHaveLength(1)
    })
  })

  test('lastLook: the prices a strategy saw, nothing where there was none', async () => {
    expect(await journal.breakers.lastLook({ strategy: 'dca' })).toBeUndefined()
    const price = { sold: { token: weth, wei: 1n }, bought: { token: usdc, wei: 2n } }
    const context = {
      indications: [{ ...price, route: [] }, undefined],
    } as unknown as Context<unknown>
    const decision = { kind: 'wait', reason: 'x' } as const
    await journal.decisions.record({ strategy: 'dca', slot: 1, at: 5, context, decision })
    expect(await journal.breakers.lastLook({ strategy: 'dca' })).toEqual({
      at: 5,
      prices: [price, undefined],
    })
  })

  describe('prices of the last day', () => {
    const hour = 3_600_000
    const scope = 'pair WETH/USDC'
    const priceOf = (wei: bigint) => ({
      sold: { token: weth, wei: oneWeth },
      bought: { token: usdc, wei },
    })
    const see = async (wei: bigint) => {
      const price = priceOf(wei)
      const { before, hasHour } = await journal.breakers.pricesOfDay({ price, scope })
      if (!hasHour) await journal.breakers.notePrice({ price })
      return before.map(({ bought }) => bought.wei)
    }

    test('the first of each hour, oldest first, back to the same hour of yesterday', async () => {
      now = 100 * hour
      expect(await see(1n)).toEqual([])
      expect(await see(2n)).toEqual([1n])
      now = 101 * hour - 1
      expect(await see(3n)).toEqual([1n])
      now += 1
      expect(await see(4n)).toEqual([1n])
      now = 125 * hour - 1
      expect(await see(5n)).toEqual([1n, 4n])
      now += 1
      expect(await see(6n)).toEqual([4n, 5n])
    })
    test('another pair and another chain have their own', async () => {
      await see(1n)
      const price = { sold: { token: usdc, wei: 1n }, bought: { token: weth, wei: 1n } }
      expect((await journal.breakers.pricesOfDay({ price, scope })).before).toEqual([])
      const there = { ...priceOf(1n), sold: { token: { ...weth, chainId: 1 }, wei: 1n } }
      expect((await journal.breakers.pricesOfDay({ price: there, scope })).before).toEqual([])
    })
    test('what a person released is looked at: the next price begins a new day', async () => {
      await see(1n)
      now += 1
      const drift = { kind: 'breaker', scope, reason: 'x', expiresAt: now + 1 } as const
      await journal.locks.open({ ...drift, code: 'PRICE_JUMP' })
      await journal.locks.release({ id: undefined, reason: 'another lock' })
      expect(await see(2n)).toEqual([1n])
      await journal.locks.open({ ...drift, code: 'PRICE_DRIFT', expiresAt: undefined })
      await journal.locks.release({ id: undefined, reason: 'it really fell' })
      now += 1
      expect(await see(3n)).toEqual([])
      expect(await see(4n)).toEqual([3n])
    })
  })
})
