import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { loadStrategies } from '../../../src/bot/strategy/load.ts'
import { BallastError } from '../../../src/core/errors.ts'

const weth = {
  chainId: 31337,
  address: `0x${'01'.repeat(20)}`,
  symbol: 'WETH',
  decimals: 18,
} as const
const usdc = {
  chainId: 31337,
  address: `0x${'02'.repeat(20)}`,
  symbol: 'USDC',
  decimals: 6,
} as const
const bySymbol = new Map([weth, usdc].map((token) => [token.symbol, token]))

const sellHigh = { sell: '1 WETH', buy: 'USDC', price: '2950 USDC', every: '5s' }

const configured = (use: string, params: unknown) => ({
  file: '/treasury/ballast.yaml',
  locate: (path: readonly (string | number)[]) => `ballast.yaml:${path.join('.')}`,
  tokens: { bySymbol },
  strategies: [{ name: 'sell-high', use, params, path: ['strategies', 0, 'params'], priority: 7 }],
})

const refusalOf = async (loading: Promise<unknown>) => {
  const error = await loading.then(
    () => undefined,
    (cause: unknown) => cause,
  )
  expect(error).toBeInstanceOf(BallastError)
  const { code, fault, summary, facts } = error as BallastError
  return { code, fault, summary, facts }
}

describe('loadStrategies', () => {
  test('reads the parameters and asks what the strategy wants', async () => {
    const [loaded] = await loadStrategies(configured('threshold', sellHigh))
    const sell = { token: weth, wei: 10n ** 18n }
    expect(loaded).toEqual({
      name: 'sell-high',
      strategy: expect.objectContaining({ name: 'threshold' }),
      params: {
        sell,
        buy: usdc,
        price: { sold: sell, bought: { token: usdc, wei: 2_950_000_000n } },
        every: 5,
      },
      schedule: { kind: 'every', seconds: 5 },
      watches: [{ sell, buy: usdc }],
      priority: 7,
    })
  })

  test('what it returns cannot be changed', async () => {
    const loaded = await loadStrategies(configured('threshold', sellHigh))
    const params = loaded[0]?.params as { price: { sold: { wei: bigint } } }
    expect(() => {
      params.price.sold.wei = 1n
    }).toThrow(TypeError)
    expect(Object.isFrozen(loaded)).toBe(true)
  })

  test('names every problem with the place of its key', async () => {
    const params = { ...sellHigh, price: '2950', evry: '5s' }
    const config = configured('threshold', params)
    const other = {
      ...{ name: 'other', use: 'treshold', params: {}, priority: 0 },
      path: ['strategies', 1, 'params'],
    }
    const strategies = [...config.strategies, other]
    expect(await refusalOf(loadStrategies({ ...config, strategies }))).toEqual({
      code: 'CONFIG_INVALID',
      fault: 'usage',
      summary:
        "ballast.yaml:strategies.0.params.price strategies[0].params.price: '2950' is not a price: write what one unit brings, such as '2950 USDC' or '2950 USDC per WETH'.",
      facts: {
        problems: 3,
        problem2:
          'ballast.yaml:strategies.0.params.evry strategies[0].params.evry: is not a known key; did you mean every?',
        problem3: expect.stringMatching(
          /^ballast.yaml:strategies.1.use strategies\[1\].use: there is no strategies\/treshold.ts. Did you mean threshold\? Known strategies: cash-sweep, dca, .*threshold/,
        ),
      },
    })
  })

  test('reports what does not fit together at the key that does not fit', async () => {
    const params = { ...sellHigh, keep: '10 USDC' }
    expect((await refusalOf(loadStrategies(configured('threshold', params)))).summary).toBe(
      'ballast.yaml:strategies.0.params.keep strategies[0].params.keep: is in USDC, but it sells WETH.',
    )
  })

  test.each(['src/main', 'Threshold', 'threshold.ts', ''])(
    'a name is one of the folder: %o',
    async (use) => {
      expect((await refusalOf(loadStrategies(configured(use, sellHigh)))).summary).toContain(
        'there is no strategies/',
      )
    },
  )
})

describe('loadStrategies: a file of the user', () => {
  const folder = join(mkdtempSync(join(tmpdir(), 'strategies-')), 'strategies')
  beforeAll(() => {
    mkdirSync(folder)
    writeFileSync(join(folder, 'empty.ts'), 'export default {}\n')
    writeFileSync(join(folder, 'broken.ts'), "throw new Error('half written')\n")
  })
  afterAll(() => rmSync(join(folder, '..'), { recursive: true }))

  test('that exports something else is refused', async () => {
    expect(await refusalOf(loadStrategies(configured('empty', {}), folder))).toMatchObject({
      code: 'CONFIG_INVALID',
      summary:
        "ballast.yaml:strategies.0.use strategies[0].use: strategies/empty.ts does not export a strategy: write 'export default defineStrategy({ … })'.",
    })
  })

  test('is missing where there is not even a folder', async () => {
    const none = join(folder, 'none')
    expect(await refusalOf(loadStrategies(configured('dca', {}), none))).toMatchObject({
      code: 'CONFIG_INVALID',
      summary: expect.stringContaining('there is no strategies/dca.ts. Known strategies: none.'),
    })
  })

  test('that throws is refused with the reason', async () => {
    expect(await refusalOf(loadStrategies(configured('broken', {}), folder))).toMatchObject({
      code: 'CONFIG_INVALID',
      summary:
        'ballast.yaml:strategies.0.use strategies[0].use: strategies/broken.ts:1:7 cannot be loaded: half written.',
    })
  })
})
