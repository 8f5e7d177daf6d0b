import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { privateKeyToAccount } from 'viem/accounts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { assert } from '../../src/core/assert.ts'
import { systemClock } from '../../src/core/clock.ts'
import { hostOf } from '../../src/core/hostOf.ts'
import { createForger } from '../../src/drill/createForger.ts'
import { quoteLies } from '../../src/drill/quoteLies.ts'
import { type LyingService, startLyingService } from '../../src/drill/startLyingService.ts'
import { type Fork, forkOrigin } from '../support/forkOrigin.ts'
import { startLyingNode } from '../support/lyingNode.ts'
import { startRpcProxy } from '../support/rpcProxy.ts'
import { runBallast, startBallast } from '../support/runBallast.ts'

/** Selectors of `latestRoundData()` and `getReserves()`. */
const [roundData, reserves] = ['0xfeaf968c', '0x0902f1ac']
const shrink = 100n

let fork: Fork
let service: LyingService
let node: Awaited<ReturnType<typeof startLyingNode>>
let honest: Awaited<ReturnType<typeof startRpcProxy>>

beforeAll(async () => {
  fork = await forkOrigin()
  const { ready } = fork
  const [sold, bought] = [ready.tokens.WETH, ready.tokens.USDC]
  const wallet = ready.wallets.treasury
  assert(sold !== undefined && bought !== undefined && wallet !== undefined, 'the fixed world')
  const account = privateKeyToAccount
  const forger = createForger({
    scene: {
      ...{ chainId: ready.chainId, router: ready.router, executor: ready.executor },
      ...{ tokens: ready.tokens, wrapped: sold.address, wallet: wallet.address },
      ...{ sold: sold.address, bought: bought.address, expirySeconds: 30 },
    },
    keys: {
      makers: Object.values(ready.makers).map(({ privateKey }) => account(privateKey)),
      feeSigner: account(ready.feeSigner.privateKey),
      stranger: account(`0x${'5'.repeat(64)}`),
    },
    settled: () => '{}',
  })
  service = await startLyingService({ upstream: ready.serviceUrl, forger, clock: systemClock })
  service.tell(quoteLies.find(({ name }) => name === 'collusion'))
  node = await startLyingNode(ready.rpcUrl, { bend: cheapened(bought.address) })
  honest = await startRpcProxy(ready.rpcUrl)
})
afterAll(async () => {
  await Promise.all([service.close(), node.close(), honest.close()])
  await fork.close()
})

/** WETH at a hundredth of its price: the answer of its feed, and the USDC in its pool. */
function cheapened(usdc: string) {
  const yaml = () => readFileSync(fork.ready.config, 'utf8')
  const addressIn = (line: RegExp) => line.exec(yaml())?.[1]?.toLowerCase()
  const feed = addressIn(/feed, pair: WETH\/USD, address: "(\w+)"/)
  const pool = addressIn(/pool, pair: WETH\/USDC, .* address: "(\w+)"/)
  const weth = fork.ready.tokens.WETH?.address ?? ''
  const words: Record<string, number> = {
    [`${feed} ${roundData}`]: 1,
    [`${pool} ${reserves}`]: BigInt(usdc) < BigInt(weth) ? 0 : 1,
  }
  return ({ method, params }: { method: string; params: readonly unknown[] }, answer: Answer) => {
    if (method !== 'eth_call' || typeof answer.result !== 'string') return answer
    const { to = '', data, input } = params[0] as { to?: string; data?: string; input?: string }
    const word = words[`${to.toLowerCase()} ${data ?? input}`]
    if (word === undefined) return answer
    const at = 2 + 64 * word
    const value = BigInt(`0x${answer.result.slice(at, at + 64)}`) / shrink
    const bent = value.toString(16).padStart(64, '0')
    return { ...answer, result: answer.result.slice(0, at) + bent + answer.result.slice(at + 64) }
  }
}
type Answer = { readonly result?: unknown }

async function sellOneWeth(config: string, ...more: readonly string[]) {
  const { code, stdout } = await runBallast(
    ['swap', '--sell', '1 WETH', '--buy', 'USDC', '--live', '--json', '--config', config, ...more],
    { env: { RPC_URL: node.url, QUOTE_API_URL: service.url }, cwd: fork.dataDir },
  )
  return { code, ...JSON.parse(stdout) }
}

/** The configuration of the market with another text for a part of it. */
function written(name: string, from: RegExp, to: string): string {
  const file = join(fork.dataDir, name)
  const yaml = readFileSync(fork.ready.config, 'utf8')
  assert(from.test(yaml), 'the file has this part')
  writeFileSync(file, yaml.replace(from, to))
  return file
}

const witnessed = (url: string) =>
  written(
    'witnessed.yaml',
    /confirmations: 2 }/,
    `confirmations: 2, witness: { rpcUrl: "${url}", above: 5000 USD } }`,
  )

const bands = / {2}bands: .*\n[\s\S]*?(?=database)/
/** Without bands, a witness or a strategy. */
const unbound = () => written('unbound.yaml', bands, '')

describe('a node, the service and its makers offer 30 USDC for 1 WETH together', () => {
  test('a second node contradicts the first, and both values are named', async () => {
    const { code, error } = await sellOneWeth(witnessed(honest.url))
    expect({ code, error: error.code }).toEqual({ code: 3, error: 'REFERENCES_DISAGREE' })
    expect(Object.values(error.facts).sort()).toEqual([
      expect.stringMatching(
        /^30 USD per WETH at http.*, 3000 USD per WETH at http.* at block \d+$/,
      ),
      expect.stringMatching(/^30 USDC per WETH at http.*, 3000 USDC per WETH at http.*/),
    ])
  })

  test('a price of theirs alone is not asked for', async () => {
    const asked = node.seen.length
    const { code, error } = await sellOneWeth(unbound())
    expect({ code, error: error.code }).toEqual({ code: 2, error: 'PRICE_UNWITNESSED' })
    expect(error.message).toBe(
      `The price of this swap rests on one endpoint, ${hostOf(node.url)}: set chain.witness to a node on another host, give --floor, the least to receive, or write policy.bands for WETH and USDC.`,
    )
    expect(node.seen.length).toBe(asked)
  })

  test('a run refuses a strategy without a price of a person, and begins one with it', async () => {
    const dca = '{ sell: 1 WETH, buy: USDC, cron: "0 0 1 1 *", timeZone: UTC, tolerance: 50 bps'
    const use = (params: string) =>
      written(
        'run.yaml',
        bands,
        `strategies:\n  - { name: weekly, use: dca, params: ${params} } }\n`,
      )
    const env = { RPC_URL: node.url, QUOTE_API_URL: service.url }
    const start = (config: string) =>
      startBallast(['run', '--port', '0', '--config', config], { env, cwd: fork.dataDir })
    const { code, stderr } = await start(use(dca)).ended
    expect(code).toBe(2)
    expect(stderr).toContain('The price of strategy weekly rests on one endpoint')
    const priced = start(use(`${dca}, price: 2900 USDC per WETH`))
    await priced.says('BALLAST treasury')
    priced.child.kill('SIGTERM')
    expect((await priced.ended).code).toBe(0)
  })

  test('bands that a person wrote hold, though every source agrees with the quote', async () => {
    const { code, results } = await sellOneWeth(fork.ready.config)
    expect({ code, outcome: results[0].outcome }).toEqual({ code: 3, outcome: 'refused' })
    expect(JSON.stringify(results[0])).toContain('policy.worth-within-band')
  })

  test('a floor that a person wrote holds', async () => {
    const { code, results } = await sellOneWeth(unbound(), '--floor', '2950 USDC')
    expect(code).toBe(3)
    expect(results[0].outcome).toBe('refused')
    expect(JSON.stringify(results[0])).toContain('verify.floor')
  })
})
