import { appendFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { firmQuote } from '../../../../src/api/firmQuote.ts'
import { orderbook } from '../../../../src/api/orderbook.ts'
import { printJson } from '../../../../src/core/json.ts'
import { callCli } from '../../../cli/callCli.ts'
import { expectGolden } from '../../../cli/expectGolden.ts'
import { masked } from '../../../cli/masked.ts'
import { ask } from '../../../support/ask.ts'
import { type Fork, forkOrigin } from '../../../support/forkOrigin.ts'
import { startBallast } from '../../../support/runBallast.ts'
import { serveDesk } from '../../../support/serveDesk.ts'
import { settleQuote } from '../../../support/settleQuote.ts'
import { until } from '../../../support/until.ts'
import { startMakerProxy } from './makerProxy.ts'

const poolOf = (index: number) => inject('origin').deployment.pools[index]

/** `ballast maker` as a second process that follows the pool, and a service that asks it. */
let proxy: Awaited<ReturnType<typeof startMakerProxy>>
let fork: Fork
let file: string
const started: ReturnType<typeof startBallast>[] = []
beforeAll(async () => {
  proxy = await startMakerProxy()
  fork = await forkOrigin({
    mining: 'auto',
    world: (world) => ({
      ...world,
      pools: world.pools.slice(0, 1),
      makers: world.makers.map((each) => ({
        ...each,
        url: proxy.url,
        books: each.books.slice(0, 1),
      })),
    }),
  })
  const { ready } = fork
  const token = (symbol: string, decimals: number) =>
    `{ address: "${ready.tokens[symbol]?.address}", decimals: ${decimals} }`
  file = join(fork.dataDir, 'maker.yaml')
  writeFileSync(
    file,
    `name: maker-a
chain: { chainId: 31337, rpcUrl: "${ready.rpcUrl}", blockTime: 600s }
router: "${ready.router}"
tokens:
  WETH: ${token('WETH', 18)}
  USDC: ${token('USDC', 6)}
books:
  - pair: [WETH, USDC]
    minimumInBase: "0.01"
    follow:
      pool: "${poolOf(0)}"
      halfSpread: 4 bps
      sizes: ["1", "4"]
      step: 2 bps
      volatility: "0"
      skew: { rate: 10 bps, target: "500", limit: "100" }
listen: { port: 0 }
`,
  )
})
afterAll(async () => {
  for (const { child, ended } of started) {
    child.kill('SIGTERM')
    await ended
  }
  await fork?.close()
  await proxy?.close()
})

const start = async (args: readonly string[], env: Record<string, string> = {}) => {
  const process = startBallast(['maker', ...args, '--json'], { env, cwd: fork.dataDir })
  started.push(process)
  const document = JSON.parse(await process.says('"ready":true'))
  return { ...process, url: document.url as string, address: document.address as string }
}
const key = () => ({ MAKER_KEY_MAKER_A: fork.ready.makers['maker-a']?.privateKey ?? '' })
const askFirm = (serviceUrl = fork.ready.serviceUrl) =>
  ask(serviceUrl, 'firm-quote', {
    chain: 'local',
    token_in: fork.ready.tokens.WETH?.address,
    token_out: fork.ready.tokens.USDC?.address,
    amount: '0.5',
    from_address: fork.ready.wallets.treasury?.address,
  })
const firm = async () => firmQuote.response.parse((await askFirm()).body)

describe('ballast maker', () => {
  test('follows a pool, leans with its inventory, signs, settles; killed, it is passed over', async () => {
    const maker = await start(['--config', file], key())
    expect(maker.address).toBe(fork.ready.makers['maker-a']?.address)
    proxy.to(maker.url)
    await until(async () => (await firm()).source === 'maker-a')

    // The pool stands at 3000 and the maker at its target: 4 basis points less for the first WETH.
    const { body } = await ask(fork.ready.serviceUrl, 'orderbook', { chain: 'local' })
    const rows = orderbook.response.parse(body)
    expect(rows.map(({ side, levels }) => [side, levels[0]?.[1]])).toEqual([
      ['bid', 2998.8],
      ['ask', 3001.2],
      // The ask once more, as a bid for its quote token.
      ['bid', 0.000333200053312008],
    ])
    const quote = await firm()
    expect(quote.amountOut).toBe('1499400000')
    const { treasury } = fork.ready.wallets
    if (treasury === undefined) throw new Error('no treasury')
    const { received } = await settleQuote(fork.rpc, { quote, privateKey: treasury.privateKey })
    expect(received).toBe(1_499_400_000n)
    // Half a WETH above its target of 500, the limit 100 away: a two-hundredth of 10 basis points.
    await until(async () => {
      const { body: next } = await ask(fork.ready.serviceUrl, 'orderbook', { chain: 'local' })
      return orderbook.response.parse(next)[0]?.levels[0]?.[1] === 2998.785
    })

    maker.child.kill('SIGKILL')
    await maker.ended
    expect((await firm()).source).toMatch(/^univ2:/)
  })

  test('with a key of its own it is quoted by the service that has that key', async () => {
    const secrets = { ...key(), MAKER_API_KEY: 'a-key-between-two-desks' }
    const { url } = await start(['--config', file], secrets)
    const [book] = fork.world.makers[0]?.books ?? []
    const desk = {
      ...{ pools: [], makers: [], hubs: [] },
      remoteMakers: [
        {
          ...{ name: 'maker-a', url, address: fork.ready.makers['maker-a']?.address },
          pairs: [book?.pair],
        },
      ],
    }
    appendFileSync(join(fork.dataDir, '.env'), 'MAKER_API_KEY_MAKER_A=a-key-between-two-desks\n')
    const { service, serviceUrl } = await serveDesk(fork, {}, desk)
    // Nothing quotes before the maker's levels are read for the first time.
    await until(async () => (await askFirm(serviceUrl)).status === 200)
    const { body } = await askFirm(serviceUrl)
    expect(firmQuote.response.parse(body).source).toBe('maker-a')
    await service.close()
  })

  test('serves a maker of a sandbox, from its world and its data directory', async () => {
    writeFileSync(join(fork.dataDir, 'deployment.json'), printJson(inject('origin').deployment))
    const world = fileURLToPath(new URL('../../../../src/sandbox/fixed.yaml', import.meta.url))
    const maker = startBallast([
      ...['maker', '--world', world, '--name', 'maker-a', '--port', '0'],
      ...['--data-dir', fork.dataDir, '--rpc-url', fork.ready.rpcUrl],
    ])
    started.push(maker)
    const [url] = /http:\S+/.exec(await maker.says('Ctrl-C')) ?? []
    const answer = await fetch(`${url}/v1/levels?expiries=60`)
    expect(await answer.json()).toMatchObject({
      maker: fork.ready.makers['maker-a']?.address,
      books: [{ expirySeconds: 60, rows: [{ side: 'bid' }, { side: 'ask' }, { side: 'bid' }] }],
    })
    maker.child.kill('SIGTERM')
    await expectGolden('maker', masked(await maker.ended), { folder: fork.dataDir })
  })

  test.each([
    ['without a key', (text: string) => text, /MAKER_KEY_MAKER_A: is missing/],
    ['with an unknown key', (text: string) => `${text}colour: red\n`, /maker\.yaml:\d+:1 colour: /],
    [
      'with a token nobody named',
      (text: string) => text.replace('[WETH, USDC]', '[WETH, DAI]'),
      /books\[0\]\.pair\[1\]: 'DAI' is not among the tokens/,
    ],
    [
      'with levels and a price to follow',
      (text: string) => text.replace('    follow:', '    bid: [["1", "3000"]]\n    follow:'),
      /has either levels \(bid, ask\) or follow/,
    ],
    [
      'on another chain',
      (text: string) => text.replaceAll('31337', '31338'),
      /serves another chain than chain\.chainId/,
    ],
    [
      'over an address without a router',
      (text: string) => text.replace(fork.ready.router, `0x${'12'.repeat(20)}`),
      /There is no router at the configured address/,
    ],
    [
      'with a token that counts in other units',
      (text: string) => text.replace('decimals: 6', 'decimals: 8'),
      /USDC has 6 decimals on chain 31337, but tokens\.USDC says 8/,
    ],
    [
      'after the pool of another pair',
      (text: string) => text.replace(/pool: "0x\w+"/, `pool: "${poolOf(1)}"`),
      /The pool at 0x\w+ is not of WETH\/USDC but of 0x\w+ and 0x\w+\. \(WRONG_CHAIN\)/,
    ],
    [
      'after a pool that is none',
      (text: string) => text.replace(/pool: "0x\w+"/, `pool: "${fork.ready.router}"`),
      /There is no uniswap-v2 pool at 0x\w+\. \(WRONG_CHAIN\)/,
    ],
  ])('does not start %s, and says where', async (_name, change, sentence) => {
    const other = join(fork.dataDir, 'broken', 'maker.yaml')
    mkdirSync(join(fork.dataDir, 'broken'), { recursive: true })
    writeFileSync(other, change(readFileSync(file, 'utf8')))
    const { code, stderr } = await callCli(['maker', '--config', other], {
      cwd: join(fork.dataDir, 'broken'),
      environment: sentence.source.includes('MAKER_KEY') ? {} : key(),
    })
    expect(code).toBe(2)
    expect(stderr).toMatch(sentence)
  })
})
