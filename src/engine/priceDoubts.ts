import { middleRate } from '../bot/reference/readReferences.ts'
import type { Appraise } from '../bot/stages.ts'
import { isOfPair, paying, showShare, type Watch, wordsFor } from '../bot/strategy/index.ts'
import type { LoadedStrategy } from '../bot/strategy/load.ts'
import type { Amount } from '../core/amount.ts'
import { formatDecimal } from '../core/decimal.ts'
import { display } from '../core/display.ts'
import { BallastError } from '../core/errors.ts'
import { comparePrices, invertPrice, type Price } from '../core/price.ts'
import { oneWhole } from '../core/token.ts'

type Pair = Pick<Watch, 'sell' | 'buy'>

/** A price that a person wrote into a strategy: the least it accepts, or the market that it waits for. */
export type PersonalPrice = Pair & {
  readonly price: Price
  readonly isTrigger: boolean
  /** The parameter that holds it; undefined where it follows from others, as a target does from an entry. */
  readonly key: string | undefined
}

/** A written price that the market is nowhere near. */
export type PriceDoubt = {
  readonly strategy: string
  readonly key: string | undefined
  /** Without a full stop. */
  readonly sentence: string
  /** Whether the code of the strategy failed, and nothing was compared. */
  readonly isFault?: true
}

/** A price with a digit too few is ten times off; a stop or a target that is meant is rarely twice. */
const timesMax = 2n

/**
 * Prices that a person wrote, as far as the swaps of the strategy name them, of their pair and more than nothing. A warning
 * ends nothing: where the code of the strategy throws there are none, and `onFault` is told why.
 */
export function personalPrices(
  own: Pick<LoadedStrategy, 'strategy' | 'params'>,
  swapLimits: readonly Amount[],
  onFault: (sentence: string) => void,
): readonly PersonalPrice[] {
  try {
    return pricesOf(own, swapLimits).filter(
      ({ price, ...pair }) => isOfPair(price, pair) && price.sold.wei > 0n && price.bought.wei > 0n,
    )
  } catch (error) {
    const [reason = ''] = String((error as { readonly message?: unknown })?.message).split('\n')
    onFault(`its written prices cannot be compared with the market: ${display(reason, 200)}`)
    return []
  }
}

function pricesOf(
  { strategy, params }: Pick<LoadedStrategy, 'strategy' | 'params'>,
  swapLimits: readonly Amount[],
): readonly PersonalPrice[] {
  const keys = new Map(
    Object.entries(params ?? {}).map(([key, value]: [string, unknown]) => [value, key]),
  )
  // By the price: slices of two sizes have one, and a trigger may be the least as well.
  const found = new Map<Price, PersonalPrice>()
  for (const { sell, buy, price, market } of strategy.typicalSwaps?.({ params, swapLimits }) ??
    []) {
    if (price !== undefined)
      found.set(price, { sell, buy, price, isTrigger: false, key: keys.get(price) })
    if (market !== undefined)
      found.set(market, { sell, buy, price: market, isTrigger: true, key: keys.get(market) })
  }
  return [...found.values()]
}

/**
 * Written prices of a strategy that are more than twice, or less than half, of the market: each may be meant, and is more
 * often the wrong way round or short of a digit. The market is the middle of the independent sources, or else the
 * indication. What has neither is not judged.
 */
export async function priceDoubts(
  { appraise, indicate }: MarketSources,
  {
    loaded,
    swapLimits,
  }: { readonly loaded: LoadedStrategy; readonly swapLimits: readonly Amount[] },
): Promise<readonly PriceDoubt[]> {
  const doubts: PriceDoubt[] = []
  const onFault = (sentence: string) =>
    doubts.push({ strategy: loaded.name, key: undefined, sentence, isFault: true })
  for (const written of personalPrices(loaded, swapLimits, onFault)) {
    const market = (await independentRate(appraise, written)) ?? (await indicate(written))
    const sentence = priceDoubt(written, market)
    if (sentence !== undefined) doubts.push({ strategy: loaded.name, key: written.key, sentence })
  }
  return doubts
}

type MarketSources = {
  readonly appraise: Appraise
  /** The price of the service; undefined where it has none. */
  readonly indicate: (pair: Pair) => Promise<Price | undefined> | Price | undefined
}

async function independentRate(appraise: Appraise, pair: Pair): Promise<Price | undefined> {
  try {
    return middleRate(await appraise(pair), pair.sell)
  } catch (error) {
    // Sources that are away, or contradict each other, are told where they are needed.
    if (error instanceof BallastError) return undefined
    throw error
  }
}

/** How far a written price is from the market and its effect; undefined where it is near, or there is no market. */
export function priceDoubt(
  { price, isTrigger, key = 'bound' }: PersonalPrice,
  market: Price | undefined,
): string | undefined {
  if (market === undefined || paying(market) === undefined || isNear(price, market))
    return undefined
  const words = wordsFor(market)
  const isLower = comparePrices(price, market) < 0
  const effect = isTrigger
    ? isLower
      ? 'the market may never fall to it'
      : 'it sells at once'
    : isLower
      ? 'it holds no swap back'
      : 'it holds every swap back'
  const turned = swapUnits(price)
  const hint = isNear(turned, market) ? `; the other way round it is ${words.show(turned)}` : ''
  return `its ${key} ${words.show(price)} is ${gapText(price, market)} the market of ${words.show(market)}: ${effect}${hint}`
}

function isNear(price: Price, market: Price): boolean {
  const [one, other] = [price.bought.wei * market.sold.wei, market.bought.wei * price.sold.wei]
  return one <= other * timesMax && other <= one * timesMax
}

/** The same number with its two units exchanged: `2900 WETH per USDC` for `2900 USDC per WETH`. Exact. */
function swapUnits({ sold, bought }: Price): Price {
  const [one, brings] = [oneWhole(sold.token), oneWhole(bought.token)]
  return {
    sold: { token: sold.token, wei: bought.wei * one * one },
    bought: { token: bought.token, wei: sold.wei * brings * brings },
  }
}

/** `90.33 % below` or `8 times`, of the numbers as they are shown. Cut, not rounded. */
function gapText(price: Price, market: Price): string {
  const isTurned = wordsFor(market).verb === 'asks'
  const [own, there] = isTurned ? [invertPrice(price), invertPrice(market)] : [price, market]
  const part = own.bought.wei * there.sold.wei
  const whole = there.bought.wei * own.sold.wei
  return part < whole
    ? `${showShare(whole - part, whole)} below`
    : `${formatDecimal((part * 10n) / whole, 1)} times`
}
