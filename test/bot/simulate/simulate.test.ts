import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { draft } from '../../../src/bot/policy/checkPlan.ts'
import type { SimulationBounds } from '../../../src/bot/simulate/bounds.ts'
import { createSimulate } from '../../../src/bot/simulate/simulate.ts'
import { type Permitted, pass } from '../../../src/bot/stages.ts'
import type { Hex } from '../../../src/chain/calls/fields.ts'
import { simulate as simulateV1 } from '../../../src/chain/calls/simulate.ts'
import type { Refused } from '../../../src/core/check.ts'
import { systemClock } from '../../../src/core/clock.ts'
import { planOf } from '../../../src/engine/planOf.ts'
import { anvilCalls } from '../../../src/sandbox/startAnvil.ts'
import { type Fork, forkOrigin } from '../../support/forkOrigin.ts'
import { openBot } from '../../support/openBot.ts'
import { nothingSpent } from '../../support/planned.ts'

let fork: Fork
let bot: Awaited<ReturnType<typeof openBot>>
let permitted: Permitted

beforeAll(async () => {
  fork = await forkOrigin({ mining: 'auto' })
  bot = await openBot(fork)
})
afterAll(async () => {
  await bot.close()
  await fork.close()
})
/** A real firm quote, verified and permitted, for each test to bend. */
beforeEach(async () => {
  const { config, train } = bot
  const { bySymbol } = config.tokens
  const token = (symbol: string) => {
    const found = bySymbol.get(symbol)
    if (found === undefined) throw new Error(`no ${symbol}`)
    return found
  }
  const intent = {
    sell: { token: token('WETH'), wei: 10n ** 18n },
    buy: token('USDC'),
    floor: { token: token('USDC'), wei: 2_990_000_000n },
    reason: 'a test',
  }
  const { plan, rules } = await planOf(bot, { strategy: 'test', intent, indication: undefined })
  const planned = draft(plan, { ...rules, spent: nothingSpent, now: systemClock.now() })
  const { fund, appraise, quote, verify, permit } = train.reading
  permitted = await permit(await verify(await quote(await appraise(await fund(planned)))))
})

const bounds = (changes: Partial<SimulationBounds> = {}): SimulationBounds => ({
  chainId: 31_337,
  routerCodeHash: bot.config.service.routerCodeHash,
  executor: fork.ready.executor,
  watched: [...bot.config.tokens.bySymbol.values()],
  wrapped: bot.config.tokens.wrapped,
  untraced: [],
  gasPriceMax: bot.config.policy.gasPriceMax,
  tipMax: bot.config.policy.tipMax,
  blockTimeMs: 1_000,
  gasMax: bot.config.policy.gasMax,
  gasCostBpsMax: 10_000,
  timeToDeadlineSecondsMin: 8,
  headAgeSecondsMax: 600,
  ...changes,
})
const simulate = (
  changes: Partial<Permitted> = {},
  bent: Partial<SimulationBounds> = {},
  now?: number,
) =>
  createSimulate({
    endpoint: bot.market,
    witness: undefined,
    bounds: bounds(bent),
    clock: now === undefined ? systemClock : { ...systemClock, now: () => now },
  })(pass<Permitted>({ ...permitted, ...changes }))

async function failedChecks(simulation: Promise<unknown>): Promise<string[]> {
  const refusal = await simulation.then(
    () => expect.unreachable('was accepted'),
    (error: Refused) => error,
  )
  expect(refusal).toMatchObject({ name: 'Refused', stage: 'simulate' })
  return refusal.checks
    .filter(({ ok, name }) => !ok && name.startsWith('simulate.'))
    .map(({ name }) => name.slice('simulate.'.length))
}

describe('simulate', () => {
  test('default: the approval and the swap, as one sequence, to the wei', async () => {
    expect(permitted.approvals).toHaveLength(1)
    const { simulation, checks, nonce, fees } = await simulate()
    expect(simulation).toMatchObject({
      spent: permitted.intent.sell,
      received: permitted.amountOut,
    })
    expect(checks.filter(({ ok }) => !ok)).toEqual([])
    expect(nonce).toBe(0)
    expect(fees.gas).toBeGreaterThan(simulation.gas)
  })

  test('[CHAIN-22] router-code: another contract at the address', async () => {
    expect(await failedChecks(simulate({}, { routerCodeHash: `0x${'0'.repeat(64)}` }))).toEqual([
      'router-code',
    ])
  })

  test('[RPC-23] swap: a call that reverts', async () => {
    const data = `${permitted.call.data.slice(0, -2)}ff` as Hex
    const bad = { ...permitted.call, data }
    expect(await failedChecks(simulate({ call: bad }))).toContain('swap')
  })

  test('approvals: without the approval nothing is spent', async () => {
    expect(await failedChecks(simulate({ approvals: [] }))).toEqual(
      expect.arrayContaining(['swap', 'spent', 'received']),
    )
  })

  test('approvals: one that reverts', async () => {
    const [approve] = permitted.approvals
    const broken = { to: approve?.to ?? '0x', data: '0xdeadbeef', value: 0n } as const
    expect(await failedChecks(simulate({ approvals: [broken, ...permitted.approvals] }))).toContain(
      'approvals',
    )
  })

  test('swap-after-deadline: a swap that still works a second after its deadline', async () => {
    const deadline = permitted.deadline - 15
    expect(await failedChecks(simulate({ deadline }))).toEqual(['swap-after-deadline'])
  })

  test('spent: more leaves the wallet than the intent sells', async () => {
    const { intent } = permitted
    const less = { ...intent, sell: { ...intent.sell, wei: intent.sell.wei - 1n } }
    expect(await failedChecks(simulate({ intent: less }))).toEqual(['spent'])
  })

  test('received: one unit less arrives from a maker than was quoted', async () => {
    const { amountOut } = permitted
    const more = { ...amountOut, wei: amountOut.wei + 1n }
    expect(await failedChecks(simulate({ amountOut: more }))).toEqual(['received'])
  })

  test('nothing-else-moves: money arrives where it was not sent', async () => {
    const recipient = '0x00000000000000000000000000000000000000dd'
    expect(await failedChecks(simulate({ recipient }))).toEqual([
      'swap-at-deadline',
      'received',
      'nothing-else-moves',
    ])
  })

  test('[RPC-22] gas-limit, gas-price, deadline-on-chain, head-age: each bound refuses', async () => {
    expect(await failedChecks(simulate({}, { gasMax: 100_000n }))).toEqual(['gas-limit'])
    expect(await failedChecks(simulate({}, { gasPriceMax: 1n }))).toEqual(['gas-price'])
    expect(await failedChecks(simulate({}, { timeToDeadlineSecondsMin: 3_600 }))).toEqual([
      'deadline-on-chain',
    ])
    const later = Date.now() + 3_600_000
    expect(await failedChecks(simulate({}, {}, later))).toEqual(['head-age'])
  })

  test('[TOKEN-22] native-balance: a wallet that could not pay for the gas', async () => {
    const { address } = bot.config.wallet
    await fork.rpc.request(anvilCalls.setBalance(address, 10n ** 12n))
    expect(await failedChecks(simulate())).toEqual(['native-balance'])
    await fork.rpc.request(anvilCalls.setBalance(address, 10n ** 19n))
  })

  test('an endpoint that cannot simulate is a missing read, not a passed check', async () => {
    const rpc = {
      ...bot.market.rpc,
      batch: async (calls: readonly { method: string }[]) => {
        const outcomes: readonly unknown[] = await bot.market.rpc.batch(calls as never)
        return outcomes.map((outcome, index) =>
          calls[index]?.method === 'eth_simulateV1'
            ? { ok: false, error: new Error('method not found') }
            : outcome,
        )
      },
    }
    const blind = createSimulate({
      endpoint: { rpc: rpc as never, play: simulateV1 },
      witness: undefined,
      bounds: bounds(),
      clock: systemClock,
    })
    await expect(blind(permitted)).rejects.toMatchObject({
      code: 'SIMULATION_UNAVAILABLE',
      fault: 'upstream',
    })
  })
})
