import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { readWorld } from '../../src/sandbox/readWorld.ts'
import { anvilCalls } from '../../src/sandbox/startAnvil.ts'
import { ask } from '../support/ask.ts'
import { type Fork, forkOrigin } from '../support/forkOrigin.ts'
import { until } from '../support/until.ts'

const shipped = readWorld(fileURLToPath(new URL('../../src/sandbox/world.yaml', import.meta.url)))

/** A market that stands still, held to what the shipped world is held to, with a key. */
const apiKey = 'key-of-one-sandbox-caller'
let fork: Fork
beforeAll(async () => {
  fork = await forkOrigin({
    mining: 'auto',
    world: (fixed) => ({ ...fixed, service: { ...shipped.service, apiKeys: [apiKey] } }),
  })
})
afterAll(() => fork?.close())

/** A taker that holds nothing, as every wallet of a paper run. */
const virtual = (index: number) => `0x${(0xab00 + index).toString(16).padStart(40, '0')}`

async function quote(
  kind: 'firm-quote' | 'indicative-quote',
  amount: string,
  { from = virtual(0), buy = 'DAI' } = {},
) {
  const address = (symbol: string) => fork.ready.tokens[symbol]?.address
  const { status, body } = await ask(
    fork.ready.serviceUrl,
    kind,
    {
      ...{ chain: 'local', token_in: address('WETH'), token_out: address(buy), amount },
      ...{ from_address: from, expiry_time: '120' },
    },
    { apiKey },
  )
  return { status, code: body.code as number | undefined, source: body.source as string }
}

/** What the maker has promised of its 100,000 DAI. */
async function promised(): Promise<number> {
  const text = await (await fetch(`${fork.ready.serviceUrl}/metrics`)).text()
  const [, amount] = /^reserved_inventory\{maker="maker-a",token="DAI"\} (\S+)$/m.exec(text) ?? []
  return Number(amount)
}

describe('the service of the embedded market', () => {
  test('refuses an amount that the best price is no measure of', async () => {
    for (const kind of ['indicative-quote', 'firm-quote'] as const)
      expect(await quote(kind, '100000000', { buy: 'USDC' })).toMatchObject({
        status: 422,
        code: 101010,
      })
  })

  test('quotes firmly for virtual money', async () => {
    expect(await quote('firm-quote', '1')).toMatchObject({ status: 200, source: 'maker-a' })
  })

  test('lets one key hold back a quarter of a maker, whatever takers it names and lets lapse', async () => {
    for (let round = 0; round < 2; round += 1) {
      const sources = []
      for (let index = 0; index < 40; index += 1)
        sources.push((await quote('firm-quote', '1', { from: virtual(index) })).source)
      expect(sources).toContain('maker-a')
      expect(await promised()).toBeGreaterThan(20_000)
      expect(await promised()).toBeLessThanOrEqual(25_000)
      // Past every deadline. Nothing was filled, as in every paper run.
      await fork.rpc.request({
        method: 'evm_increaseTime',
        params: [300],
        parse: (answer) => answer,
      })
      await fork.rpc.request(anvilCalls.mine)
      await until(async () => (await promised()) === 0)
    }
  })
})
