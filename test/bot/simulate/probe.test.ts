import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { scenarioProbeCode } from '../../../contracts/abi/scenarioProbe.ts'
import { type Scenario, simulate } from '../../../src/chain/calls/simulate.ts'
import { simulateByProbe } from '../../../src/chain/calls/simulateByProbe.ts'
import { anvilCalls } from '../../../src/sandbox/startAnvil.ts'
import { type Fork, forkOrigin } from '../../support/forkOrigin.ts'
import { type Lies, startLyingNode } from '../../support/lyingNode.ts'
import { placeMoodyToken } from '../../support/moodyToken.ts'
import { openBotAt } from '../../support/openBotAt.ts'

let fork: Fork
let node: Awaited<ReturnType<typeof startLyingNode>>
let bot: Awaited<ReturnType<typeof openBotAt>>
let token: Awaited<ReturnType<typeof placeMoodyToken>>

const refuses = (method: string): Lies => ({
  bend: (asked, answer) =>
    asked.method === method
      ? { jsonrpc: '2.0', id: answer.id, error: { code: -32_601, message: 'Method not found' } }
      : answer,
})

beforeAll(async () => {
  fork = await forkOrigin()
  node = await startLyingNode(fork.ready.rpcUrl, refuses('eth_simulateV1'))
  token = await placeMoodyToken(fork, 'USDC')
  bot = await openBotAt(fork, node.url)
})
afterAll(async () => {
  await bot.close()
  await node.close()
  await fork.close()
})
beforeEach(async () => {
  await token.feel('good')
  bot.signed.length = 0
  node.seen.length = 0
})

const swap = (wish: { sell: string; buy: string; floor: string }) =>
  bot.swap(wish, { signer: bot.signer })

describe('a node without eth_simulateV1', () => {
  test('is found out when the market is opened, and never asked again', async () => {
    expect(bot.market.play).toBe(simulateByProbe)
    const { simulation } = await bot.preview({ sell: '1 WETH', buy: 'USDC', floor: '2900 USDC' })
    expect(simulation.received.wei).toBe(3_000_000_000n)
    expect(node.count('eth_simulateV1')).toBe(0)
    const probes = node.seen.filter(({ params }) =>
      JSON.stringify(params).includes(scenarioProbeCode.slice(2)),
    )
    expect(probes).toHaveLength(3)
  })

  test.for([
    ['1 ETH', 'USDC', '2900 USDC'],
    ['1000 USDC', 'ETH', '0.3 ETH'],
  ])('%s for %s: settles', async ([sell = '', buy = '', floor = '']) => {
    const { record, failure } = await swap({ sell, buy, floor })
    expect(failure).toBeUndefined()
    expect(record).toMatchObject({ state: 'SETTLED', agrees: true })
  })

  test.for([
    // To the token the wallet looks like a contract here, and is paid; the trace has no such disguise.
    ['two-faced', 'simulate.storage-writes'],
    ['burns extra', 'simulate.spent'],
    ['expires', 'simulate.swap-at-deadline'],
    ['bomb', 'simulate.swap'],
  ] as const)('a token that is %s: is refused as well', async ([mood, check]) => {
    await token.expire(Math.floor(Date.now() / 1_000) + 10)
    await token.feel(mood)
    const { failure } = await swap(
      mood === 'burns extra'
        ? { sell: '1000 USDC', buy: 'WETH', floor: '0.3 WETH' }
        : { sell: '1 WETH', buy: 'USDC', floor: '2900 USDC' },
    )
    const { checks } = failure as { checks: { name: string; ok: boolean }[] }
    expect(checks.filter(({ ok }) => !ok).map(({ name }) => name)).toContain(check)
    expect(bot.signed).toEqual([])
    expect(node.count('eth_sendRawTransaction')).toBe(0)
  })
})

describe('both ways to play a scenario', () => {
  test('give the same, call for call: success, answers, balances, and where they stand', async () => {
    const scenarios: Scenario[] = []
    const spy = { ...bot.market, play: simulateByProbe }
    const play = (scenario: Scenario) => {
      scenarios.push(scenario)
      return spy.play(scenario)
    }
    const { createSimulate } = await import('../../../src/bot/simulate/simulate.ts')
    const { fund, appraise, quote, verify, permit } = bot.train.reading
    for (const sell of ['1 WETH', '1 ETH', '1000 USDC']) {
      const buy = sell.endsWith('USDC') ? 'ETH' : 'USDC'
      const planned = await bot.planned({
        sell,
        buy,
        floor: buy === 'ETH' ? '0.3 ETH' : '2900 USDC',
      })
      const permitted = await permit(await verify(await quote(await appraise(await fund(planned)))))
      await createSimulate({
        endpoint: { rpc: bot.market.rpc, play },
        witness: undefined,
        bounds: boundsOf(),
        clock: bot.train.clock,
      })(permitted)
    }
    expect(scenarios).toHaveLength(9)
    // A block between the calls of a batch would be another base.
    await fork.rpc.request(anvilCalls.mineEvery(0))
    for (const scenario of scenarios) {
      const [one, other, block] = await fork.rpc.batch([
        simulate(scenario),
        simulateByProbe(scenario),
        { method: 'eth_blockNumber', params: [], parse: Number } as never,
      ])
      if (!one.ok || !other.ok || !block.ok) throw new Error('the chain answers')
      const outcome = ({ results }: typeof one.value) =>
        results.map(({ success, data }) => ({ success, data }))
      expect(outcome(other.value)).toEqual(outcome(one.value))
      expect(other.value.base.number).toBe(one.value.base.number)
      // Refunds are not in the probe's estimate: it is never below, and never far from it.
      for (const [index, { gasUsed }] of one.value.results.entries()) {
        const estimate = other.value.results[index]?.gasUsed ?? 0n
        expect(estimate >= gasUsed - 5_000n && estimate < gasUsed + 60_000n, `${index}`).toBe(true)
      }
    }
    await fork.rpc.request(anvilCalls.mineEvery(1))
  })

  const boundsOf = () => {
    const { service, tokens, policy } = bot.config
    return {
      chainId: 31_337,
      routerCodeHash: service.routerCodeHash,
      executor: fork.ready.executor,
      watched: [...tokens.bySymbol.values()],
      wrapped: tokens.wrapped,
      untraced: [],
      gasPriceMax: policy.gasPriceMax,
      tipMax: policy.tipMax,
      blockTimeMs: 1_000,
      gasMax: policy.gasMax,
      gasCostBpsMax: 10_000,
      timeToDeadlineSecondsMin: 8,
      headAgeSecondsMax: 60,
    }
  }
})

describe('a node that cannot trace', () => {
  const open = (chain: string) => openBotAt(fork, node.url, chain)
  test('is refused in one sentence that names the key', async () => {
    await bot.close()
    node.lie(refuses('debug_traceCall'))
    await expect(open('')).rejects.toMatchObject({
      code: 'TRACING_UNAVAILABLE',
      fault: 'usage',
      summary: expect.stringMatching(/debug_traceCall.*tracing: unavailable at .*yaml:\d+:\d+/),
    })
  })

  test('is accepted where the configuration says so, and asked for no trace', async () => {
    node.lie(refuses('debug_traceCall'))
    bot = await open('tracing: unavailable')
    node.seen.length = 0
    const { checks } = await bot.preview({ sell: '1 WETH', buy: 'USDC', floor: '2900 USDC' })
    expect(checks.some(({ name }) => name.includes('storage'))).toBe(false)
    expect(node.count('debug_traceCall')).toBe(0)
  })
})
