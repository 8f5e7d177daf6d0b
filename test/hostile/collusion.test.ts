import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { hostOf } from '../../src/core/hostOf.ts'
import { callCli } from '../cli/callCli.ts'
import { startBallast } from '../support/runBallast.ts'
import { bands, openCollusion } from './openCollusion.ts'

let market: Awaited<ReturnType<typeof openCollusion>>
beforeAll(async () => {
  market = await openCollusion()
  market.lie(true)
})
afterAll(async () => {
  await market.close()
})

async function sellOneWeth(config: string, ...more: readonly string[]) {
  const { code, stdout } = await callCli(
    ['swap', '--sell', '1 WETH', '--buy', 'USDC', '--live', '--json', '--config', config, ...more],
    { environment: market.env, cwd: market.fork.dataDir },
  )
  return { code, ...JSON.parse(stdout) }
}

describe('a node, the service and its makers offer 30 USDC for 1 WETH together', () => {
  test('a second node contradicts the first, and both values are named', async () => {
    const { code, error } = await sellOneWeth(market.witnessed(market.honest.url))
    expect({ code, error: error.code }).toEqual({ code: 3, error: 'REFERENCES_DISAGREE' })
    expect(Object.values(error.facts).sort()).toEqual([
      expect.stringMatching(
        /^30 USD per WETH at http.*, 3000 USD per WETH at http.* at block \d+$/,
      ),
      expect.stringMatching(/^30 USDC per WETH at http.*, 3000 USDC per WETH at http.*/),
    ])
  })

  test('a price of theirs alone is not asked for', async () => {
    const asked = market.node.seen.length
    const { code, error } = await sellOneWeth(market.unbound())
    expect({ code, error: error.code }).toEqual({ code: 2, error: 'PRICE_UNWITNESSED' })
    expect(error.message).toBe(
      `The price of this swap rests on one endpoint, ${hostOf(market.node.url)}: set chain.witness to a node on another host, give --floor, the least to receive, or write policy.bands for WETH and USDC.`,
    )
    expect(market.node.seen.length).toBe(asked)
  })

  test('a run refuses a strategy without a price of a person, and begins one with it', async () => {
    const dca = '{ sell: 1 WETH, buy: USDC, cron: "0 0 1 1 *", timeZone: UTC, tolerance: 50 bps'
    const use = (params: string) =>
      market.written(
        'run.yaml',
        bands,
        `strategies:\n  - { name: weekly, use: dca, params: ${params} } }\n`,
      )
    const start = (config: string) =>
      startBallast(['run', '--port', '0', '--config', config], {
        env: market.env,
        cwd: market.fork.dataDir,
      })
    const { code, stderr } = await start(use(dca)).ended
    expect(code).toBe(2)
    expect(stderr).toContain('The price of strategy weekly rests on one endpoint')
    const priced = start(use(`${dca}, price: 2900 USDC per WETH`))
    await priced.says('BALLAST treasury')
    priced.child.kill('SIGTERM')
    expect((await priced.ended).code).toBe(0)
  })

  test('bands that a person wrote hold, though every source agrees with the quote', async () => {
    const { code, results } = await sellOneWeth(market.fork.ready.config)
    expect({ code, outcome: results[0].outcome }).toEqual({ code: 3, outcome: 'refused' })
    expect(JSON.stringify(results[0])).toContain('policy.worth-within-band')
  })

  test('a floor that a person wrote holds', async () => {
    const { code, results } = await sellOneWeth(market.unbound(), '--floor', '2950 USDC')
    expect(code).toBe(3)
    expect(results[0].outcome).toBe('refused')
    expect(JSON.stringify(results[0])).toContain('verify.floor')
  })
})
