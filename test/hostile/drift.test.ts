import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { assertStrategyPriced } from '../../src/app/livePrices.ts'
import { openMarket } from '../../src/app/openMarket.ts'
import { openTrain } from '../../src/app/openTrain.ts'
import { drive, resume } from '../../src/bot/life/drive.ts'
import { createLog } from '../../src/bot/report/createLog.ts'
import { loadStrategies } from '../../src/bot/strategy/load.ts'
import { getTransactionCount } from '../../src/chain/calls/account.ts'
import { loadConfig } from '../../src/config/loadConfig.ts'
import { systemClock } from '../../src/core/clock.ts'
import { hourMs } from '../../src/core/spans.ts'
import { createBreakers } from '../../src/engine/createBreakers.ts'
import { createJournaledWorld } from '../../src/engine/createJournaledWorld.ts'
import { openLook } from '../../src/engine/look.ts'
import { turn } from '../../src/engine/turn.ts'
import { callCli } from '../cli/callCli.ts'
import { openCollusion } from './openCollusion.ts'

const clock = systemClock
const never = new AbortController().signal

let market: Awaited<ReturnType<typeof openCollusion>>
beforeAll(async () => {
  market = await openCollusion()
})
afterAll(async () => {
  await market.close()
})

const hourAt = (hours: number) => (Math.floor(clock.now() / hourMs) + hours) * hourMs
const instant = (hours: number) => new Date(hourAt(hours)).toISOString().replace('.000Z', 'Z')

/** They sell at about the market, without a price of a person; both have one of their slots now. */
const strategies = {
  dca: () => '{ sell: 0.1 WETH, buy: USDC, cron: "0 0 1 1 *", timeZone: UTC, tolerance: 50 bps }',
  twap: () =>
    `{ sell: 0.3 WETH, buy: USDC, start: "${instant(-1)}", every: 1h, end: "${instant(3)}", tolerance: 50 bps }`,
}
type Strategy = keyof typeof strategies

/** A file with this strategy alone, and a journal of its own. */
const configured = (base: string, name: string, use: Strategy, breakers = '') => {
  const file = market.written(
    `${name}-${use}.yaml`,
    /(?:strategies:[\s\S]*)?database: .*/,
    `strategies: [{ name: seller, use: ${use}, params: ${strategies[use]()} }]\n${breakers}database: sqlite:./${name}-${use}.db`,
    base,
  )
  return loadConfig({ file, environment: market.env, cwd: market.fork.dataDir })
}
type Configured = ReturnType<typeof configured>

/** The turns of `ballast run`, one for each strategy of the file, with what each says and how it ends. */
async function run(config: Configured, hours = 0) {
  await using opened = new AsyncDisposableStack()
  const sources = opened.adopt(await openMarket(config, clock), (one) => one.close())
  const parts = { config, market: sources, clock }
  const { train, journal } = opened.adopt(
    await openTrain({ ...parts, onTrouble: () => {} }),
    (one) => one.close(),
  )
  await journal.wallet.adopt({
    ...{ chainId: config.chain.chainId, wallet: config.wallet.address },
    nonceOfChain: await sources.rpc.request(getTransactionCount(config.wallet.address)),
  })
  const said: string[] = []
  const errors: string[] = []
  const log = createLog({ level: 'error', sink: (line) => errors.push(JSON.parse(line).code) })
  const breakers = createBreakers({ ...parts, journal, log })
  const world = createJournaledWorld({
    unjudged: new Set(),
    ...{ config, journal, clock, breakers, log, signal: never, appraise: sources.appraise },
    driver: {
      drive: (planned, signal) => drive(planned, train, signal),
      resume: (id, signal) => resume(id, train, signal),
    },
    look: openLook({
      ...{ ...parts, standingOf: journal.decisions.inputs, onHead: breakers.atHead },
      reserved: async () => [],
    }),
    forget: () => {},
    isInForce: () => true,
    assertPriced: (one, { sell, buy }) => assertStrategyPriced(config, one, [sell.token, buy]),
    say: (line) => said.push(line),
  })
  for (const loaded of await loadStrategies({ ...config, locate: () => '' }))
    await turn(world, { loaded, slot: hourAt(hours) })
  return { said, errors, locks: await journal.locks.live() }
}

/** The party lies while `act` runs; how much it was sent meanwhile comes with the result. */
async function lied<result>(act: () => Promise<result>) {
  const count = () =>
    [market.node, market.second].reduce((sum, one) => sum + one.count('eth_sendRawTransaction'), 0)
  const before = count()
  market.lie(true)
  try {
    return { ...(await act()), sent: count() - before }
  } finally {
    market.lie(false)
  }
}
const codesOf = (locks: readonly { code: string }[]) => locks.map(({ code }) => code)

/** A fall by 99 % is none: what is left is the memory of a day. */
const noJump = 'breakers: { priceJump: { above: 10000 bps } }\n'

// First: the journal of the file must be as old as the wallet.
test('swap --live: a first swap by hand is remembered, and the same lie a moment later is locked out', async () => {
  const config = market.witnessed(market.second.url)
  const sell = async () => {
    const command = ['swap', '--sell', '0.1 WETH', '--buy', 'USDC', '--live', '--json']
    const { code, stdout } = await callCli([...command, '--config', config], {
      ...{ environment: market.env, cwd: market.fork.dataDir },
    })
    return { code, told: JSON.parse(stdout) }
  }
  expect((await sell()).code).toBe(0)
  const { code, told, sent } = await lied(sell)
  expect({ code, sent }).toEqual({ code: 5, sent: 0 })
  expect(JSON.stringify(told)).toContain('breakers.priceDrift')
  const { stdout } = await callCli(['status', '--config', config], {
    ...{ environment: market.env, cwd: market.fork.dataDir },
  })
  expect(stdout).toContain('PRICE_DRIFT')
})

describe.each(['dca', 'twap'] as const)(
  '%s sells to a node and a service that lie together',
  (use) => {
    test('with the bands of the default configuration: refused, nothing is signed', async () => {
      const config = configured(market.fork.ready.config, 'bands', use)
      const { said, sent, locks } = await lied(() => run(config))
      expect({ sent, locks }).toEqual({ sent: 0, locks: [] })
      const [refusal = '', ...more] = said
      expect(more).toEqual([])
      const words =
        /^REFUSED seller: policy\.worth-within-band: expected 300 USD to 30000 USD for one WETH \(policy\.bands\), got (\S+) USD for (\S+) WETH\. \(POLICY_WORTH_WITHIN_BAND\)$/
      expect(refusal).toMatch(words)
      // How much a twap has to sell goes by the time that has passed: all of it for a hundredth of its worth.
      const [, usd, weth] = words.exec(refusal) ?? []
      expect(Number(usd) / Number(weth)).toBeCloseTo(30, 9)
    })

    test('without bands and witness: refused, and the three ways are named', async () => {
      const { said, sent } = await lied(() => run(configured(market.unbound(), 'unbound', use)))
      expect(sent).toBe(0)
      expect(said).toEqual([
        expect.stringMatching(
          /^REFUSED seller: The price of strategy seller rests on one endpoint, .* \(PRICE_UNWITNESSED\)$/,
        ),
      ])
    })

    test('with a witness that contradicts them: refused, and all is locked for ten minutes', async () => {
      const config = configured(market.witnessed(market.honest.url), 'honest', use)
      const { said, sent, locks, errors } = await lied(() => run(config))
      expect(sent).toBe(0)
      expect(said).toEqual([
        'REFUSED seller: Two nodes give different prices for one block: one of them is wrong, so no price is believed. (REFERENCES_DISAGREE)',
      ])
      expect(locks).toMatchObject([
        {
          ...{ kind: 'breaker', scope: 'all', code: 'RPC_DISAGREEMENT' },
          reason: expect.stringMatching(/30 USDC per WETH at http.*, 3000 USDC per WETH at http/),
        },
      ])
      expect(errors).toEqual(['RPC_DISAGREEMENT'])
      // While it holds, no decision is made at all.
      expect(await lied(() => run(config))).toMatchObject({ said: [], sent: 0 })
    })

    test('with a witness that is of them too: our own prices of the last day lock the pair', async () => {
      const config = configured(market.witnessed(market.second.url), 'agreed', use, noJump)
      expect((await run(config)).said).toEqual([
        expect.stringMatching(/^SETTLED seller: sold 0\.1 WETH/),
      ])
      const { said, sent, locks, errors } = await lied(() => run(config, 1))
      expect({ sent, codes: codesOf(locks), errors }).toEqual({
        ...{ sent: 0, codes: ['PRICE_DRIFT'], errors: ['PRICE_DRIFT'] },
      })
      const why =
        /[\d.]+ USDC per WETH is more than 3000 bps \(breakers\.priceDrift\) from \d{4}[\d.]* USDC per WETH, the middle of \d of our own prices of the last 24 hours/
      expect(said).toEqual([
        expect.stringMatching(`^REFUSED seller: Locked \\(breaker, pair \\S+\\): ${why.source}`),
      ])
    })
  },
)
