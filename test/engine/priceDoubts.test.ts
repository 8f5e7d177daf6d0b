import { expect, test } from 'vitest'
import { createPriceWarnings } from '../../src/app/createPriceWarnings.ts'
import type { Log } from '../../src/bot/report/createLog.ts'
import { loadStrategies } from '../../src/bot/strategy/load.ts'
import { ballastError } from '../../src/core/errors.ts'
import { indicationFor } from '../../src/engine/indicationFor.ts'
import { priceDoubts } from '../../src/engine/priceDoubts.ts'
import { planFixture } from '../cli/plan/planFixture.ts'

/** The market of the fixture is 3000 USDC per WETH. */
const shipped = `    use: threshold
    params: { sell: 1 WETH, buy: USDC, price: 2950 USDC, every: 5s }`

async function written(use: string, params: string) {
  const { config, outlook } = planFixture([[shipped, `    use: ${use}\n    params: { ${params} }`]])
  const strategies = await loadStrategies(config)
  const { appraise, views } = outlook(0, strategies)
  const [loaded] = strategies
  if (loaded === undefined) throw new Error('there is a strategy')
  const indications = views.get(loaded.name)?.indications ?? []
  const indicate = (pair: Parameters<typeof indicationFor>[1]) =>
    indicationFor({ indications }, pair)
  const swapLimits = config.policy.perSwap
  return { loaded, appraise, indicate, indications, swapLimits }
}

const sells = 'sell: 1 WETH, buy: USDC, every: 5s'
const stops = `${sells}, when: stop, tolerance: 50 bps`
const buys = 'sell: 500 USDC, buy: WETH, cron: "0 9 * * 1", timeZone: UTC, tolerance: 50 bps'
const gains = `${sells}, when: take-profit, gain: 20 %`

test.each([
  ['threshold', `${sells}, price: 2900 USDC per WETH`, []],
  // A stop loss or a target that is twice as far can be meant.
  ['threshold', `${sells}, price: 1500 USDC per WETH`, []],
  ['threshold', `${sells}, price: 6000 USDC per WETH`, []],
  [
    'threshold',
    `${sells}, price: 1499 USDC per WETH`,
    [
      'its price 1499 USDC per WETH is 50.03 % below the market of 3000 USDC per WETH: it holds no swap back',
    ],
  ],
  [
    'threshold',
    `${sells}, price: 6300 USDC per WETH`,
    [
      'its price 6300 USDC per WETH is 2.1 times the market of 3000 USDC per WETH: it holds every swap back',
    ],
  ],
  [
    'threshold',
    `${sells}, price: 2900 WETH per USDC`,
    [
      'its price 0.0003448 USDC per WETH is 99.99 % below the market of 3000 USDC per WETH: it holds no swap back; the other way round it is 2900 USDC per WETH',
    ],
  ],
  [
    'threshold',
    `${sells}, price: 290 USDC per WETH`,
    [
      'its price 290 USDC per WETH is 90.33 % below the market of 3000 USDC per WETH: it holds no swap back',
    ],
  ],
  [
    'threshold',
    `${stops}, price: 24000 USDC per WETH`,
    ['its price 24000 USDC per WETH is 8 times the market of 3000 USDC per WETH: it sells at once'],
  ],
  [
    'threshold',
    `${stops}, price: 2400 WETH per USDC`,
    [
      'its price 0.0004166 USDC per WETH is 99.99 % below the market of 3000 USDC per WETH: the market may never fall to it; the other way round it is 2400 USDC per WETH',
    ],
  ],
  ['threshold', `${gains}, entry: 2800 USDC per WETH`, []],
  [
    'threshold',
    `${gains}, entry: 280 USDC per WETH`,
    [
      'its bound 336 USDC per WETH is 88.8 % below the market of 3000 USDC per WETH: it holds no swap back',
    ],
  ],
  ['dca', `${buys}, price: 4000 USDC per WETH`, []],
  [
    'dca',
    `${buys}, price: 4000 WETH per USDC`,
    [
      'its price 0.00025 USDC per WETH is 99.99 % below the market of 3000 USDC per WETH: it holds every swap back; the other way round it is 4000 USDC per WETH',
    ],
  ],
  [
    'dca',
    `${buys}, priceMin: 2000 USDC per WETH, priceMax: 40000 USDC per WETH`,
    [
      'its priceMax 40000 USDC per WETH is 13.3 times the market of 3000 USDC per WETH: it holds no swap back',
    ],
  ],
  ['dca', buys, []],
  [
    'twap',
    'sell: 10 WETH, buy: USDC, tolerance: 50 bps, start: 2099-01-01, slices: 2, every: 1h, floor: 250 USDC per WETH',
    [
      'its floor 250 USDC per WETH is 91.66 % below the market of 3000 USDC per WETH: it holds no swap back',
    ],
  ],
])('a written price, %s %s', async (use, params, sentences) => {
  const { loaded, appraise, indicate, swapLimits } = await written(use, params)
  const doubts = await priceDoubts({ appraise, indicate }, { loaded, swapLimits })
  expect(doubts.map(({ sentence }) => sentence)).toEqual(sentences)
  // The indication stands in where no independent source answers.
  const away = async () => {
    throw ballastError('UNREACHABLE', 'away')
  }
  expect(await priceDoubts({ appraise: away, indicate }, { loaded, swapLimits })).toEqual(doubts)
  const none = { appraise: away, indicate: () => undefined }
  expect(await priceDoubts(none, { loaded, swapLimits })).toEqual([])
})

test('independent sources go before the word of the service', async () => {
  const { loaded, appraise, swapLimits, indications } = await written(
    'threshold',
    `${sells}, price: 290 USDC per WETH`,
  )
  const [honest] = indications
  const indicate = () =>
    honest && { ...honest, bought: { ...honest.bought, wei: honest.bought.wei / 10n } }
  expect(await priceDoubts({ appraise, indicate }, { loaded, swapLimits })).toMatchObject([
    { strategy: 'sell-strength', key: 'price' },
  ])
})

test('a run logs it once, at the first look that shows a market', async () => {
  const { loaded, indications, swapLimits } = await written(
    'threshold',
    `${sells}, price: 2900 WETH per USDC`,
  )
  const lines: unknown[] = []
  const log = { warn: (...line: unknown[]) => lines.push(line) } as unknown as Log
  const warn = createPriceWarnings(log)
  const look = (seen: typeof indications) =>
    warn({ loaded, swapLimits, context: { indications: seen, references: [undefined] } as never })
  look([undefined])
  expect(lines).toEqual([])
  look(indications)
  look(indications)
  expect(lines).toEqual([
    [
      { strategy: 'sell-strength' },
      expect.stringMatching(
        /^sell-strength: its price 0\.0003448 USDC per WETH is 99\.99 % below /,
      ),
    ],
  ])
})

test('the code of a strategy that throws, and a price of another pair or of nothing, end nothing', async () => {
  const { loaded, appraise, indicate, indications, swapLimits } = await written(
    'threshold',
    `${sells}, price: 290 USDC per WETH`,
  )
  const [own] = loaded.strategy.typicalSwaps?.({ params: loaded.params, swapLimits }) ?? []
  if (own?.price === undefined) throw new Error('it has a written price')
  const { sell, buy, price } = own
  const none = { ...price, sold: { ...price.sold, wei: 0n } }
  const turned = { sold: price.bought, bought: price.sold }
  const broken = (typicalSwaps: () => never | readonly object[]) => ({
    ...loaded,
    strategy: { ...loaded.strategy, typicalSwaps: typicalSwaps as never },
  })
  const sources = { appraise, indicate }
  const sentence = 'its written prices cannot be compared with the market: boom'
  const throwing = broken(() => {
    throw new Error('boom\nand more')
  })
  expect(await priceDoubts(sources, { loaded: throwing, swapLimits })).toEqual([
    { strategy: loaded.name, key: undefined, sentence, isFault: true },
  ])
  const odd = broken(() => [none, turned].map((one) => ({ sell, buy, price: one, market: one })))
  expect(await priceDoubts(sources, { loaded: odd, swapLimits })).toEqual([])

  const warned: string[] = []
  const log = { warn: (_: object, line: string) => warned.push(line) } as unknown as Log
  const warn = createPriceWarnings(log)
  const context = { indications, references: [] } as never
  for (const one of [throwing, odd]) warn({ loaded: one, context, swapLimits })
  expect(warned).toEqual([`${loaded.name}: ${sentence}`])
})
