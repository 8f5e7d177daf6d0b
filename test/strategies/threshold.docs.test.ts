import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { loadStrategies } from '../../src/bot/strategy/load.ts'
import { parseYaml } from '../../src/config/file/parseYaml.ts'
import { nativeAddress } from '../../src/core/token.ts'

const text = ['THRESHOLD', 'DCA', 'REBALANCE', 'TWAP', 'GAS-TANK']
  .map((page) => readFileSync(new URL(`../../docs/${page}.md`, import.meta.url), 'utf8'))
  .join('\n')
const examples = [...text.matchAll(/```yaml\n([\s\S]*?)```/g)].map(([, yaml = '']) => yaml)
const bySymbol = new Map(
  [
    ['ETH', 18],
    ['WETH', 18],
    ['WBTC', 8],
    ['USDC', 6],
    ['DAI', 18],
  ].map(([symbol, decimals], index) => [
    String(symbol),
    {
      chainId: 1,
      address: symbol === 'ETH' ? nativeAddress : (`0x${'0'.repeat(39)}${index}` as const),
      symbol: String(symbol),
      decimals: Number(decimals),
    } as const,
  ]),
)

type Written = { readonly name: string; readonly use: string; readonly params: unknown }

test.each(examples)('what the pages of the strategies show is taken: %#', async (yaml) => {
  const { value, problems } = parseYaml(yaml)
  expect(problems).toEqual([])
  const { strategies } = value as { readonly strategies: readonly Written[] }
  const loaded = await loadStrategies({
    file: '/treasury/ballast.yaml',
    locate: (path) => path.join('.'),
    tokens: { bySymbol },
    strategies: strategies.map((written, index) => ({
      ...written,
      path: ['strategies', index, 'params'],
      priority: 0,
    })),
  })
  expect(loaded.map(({ name }) => name)).toEqual(strategies.map(({ name }) => name))
})

test('the pages show both', () => {
  expect(examples.join('')).toMatch(/use: threshold[\s\S]*use: dca/)
})
