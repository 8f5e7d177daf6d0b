import { mulberry32, standardNormal } from '../../core/random.ts'
import { dayMs } from '../../core/spans.ts'
import type { TapeLine, WrittenEntry } from '../tapeLine.ts'
import { createAssets, createWeather, type SyntheticAsset } from './createAssets.ts'
import { type Synthetic, syntheticHeader } from './parseSynthetic.ts'

type Market = SyntheticAsset & {
  /** The digits of a price, and the sizes of the first level in the calm regime. */
  readonly digits: number
  readonly depth: number
  readonly halfSpreadBps: number
  readonly address: string
}

const address = (last: number) => `0x${last.toString(16).padStart(40, '0')}`

/** This chain has no trades: the addresses are those of no contract. */
const quote = { symbol: 'USDC', address: address(0x5d) }
const markets: readonly Market[] = [
  {
    kind: 'floating',
    symbol: 'WETH',
    start: 3_000,
    factor: 1,
    digits: 2,
    depth: 20,
    halfSpreadBps: 3,
    address: address(0xe7),
  },
  {
    kind: 'floating',
    symbol: 'WBTC',
    start: 90_000,
    factor: 0.8,
    digits: 1,
    depth: 0.6,
    halfSpreadBps: 3,
    address: address(0xbc),
  },
  {
    kind: 'stable',
    symbol: 'DAI',
    digits: 5,
    depth: 200_000,
    halfSpreadBps: 0.6,
    address: address(0xda),
  },
]

/** Each level is larger by this factor, and further out by this number of half spreads, than the one before. */
const levels = [
  { size: 1, out: 1 },
  { size: 2, out: 1.8 },
  { size: 5, out: 3.2 },
] as const

const blockMs = 12_000

/** A second look right after the first: what was decided on the one is executed on the other. */
const echoMs = 2_000

/** Makes a tape: heads and order books of a market that never was. */
export function* generateTape(settings: Synthetic): Generator<WrittenEntry> {
  const { seed, days, everyMs, startedAt } = settings
  yield { kind: 'header', header: syntheticHeader(settings) }
  const uniform = mulberry32(seed)
  const normal = standardNormal(uniform)
  const weather = createWeather(uniform)
  const prices = createAssets(markets, { uniform, normal })
  let fee = Math.log(8e9)
  let frozen: { readonly body: string; readonly at: number } | undefined
  let breath: Breath = []
  let at = startedAt
  let passedMs = 0
  const end = startedAt + days * dayMs
  const steps = everyMs > 2 * echoMs ? [echoMs, everyMs - echoMs] : [everyMs]

  for (let index = 0; at <= end; index += 1) {
    const dayPart = passedMs / dayMs
    const now = weather(dayPart)
    const mids = prices(dayPart, now.volatility)
    // Pulled to eight gwei, dearer under stress.
    fee +=
      (Math.log(8e9 * now.stress) - fee) * Math.min(1, dayPart * 8) +
      0.25 * Math.sqrt(dayPart) * normal()
    const isEcho = steps.length > 1 && index % 2 === 1
    // Sizes and spreads change slower than prices do.
    if (!isEcho) breath = markets.map(() => [Math.exp(0.15 * normal()), Math.exp(0.2 * normal())])
    const drawn = bookOf(mids, { stress: now.stress, breath })
    const seen = now.isStill ? (frozen ?? { body: drawn, at }) : { body: drawn, at }
    frozen = seen
    const block = Math.floor(seen.at / blockMs)
    const shared = { tMono: at - startedAt, tWall: at, latencyMs: 0, headBlock: block }
    yield {
      kind: 'line',
      line: headLine(shared, { block, fee: Math.round(Math.exp(fee) / 1e8) * 1e8 }),
    }
    yield {
      kind: 'line',
      line: {
        ...shared,
        endpoint: 'orderbook',
        query: 'chain=synthetic',
        status: now.isOut ? 503 : 200,
        body: now.isOut ? '{"message":"Service unavailable"}' : seen.body,
      },
    }
    passedMs = steps[index % steps.length] ?? everyMs
    at += passedMs
  }
}

type Shared = Pick<TapeLine, 'tMono' | 'tWall' | 'latencyMs' | 'headBlock'>

function headLine(
  shared: Shared,
  { block, fee }: { readonly block: number; readonly fee: number },
): TapeLine {
  const body = JSON.stringify({
    number: block,
    timestamp: (block * blockMs) / 1_000,
    baseFeePerGas: String(fee),
  })
  return { ...shared, endpoint: 'head', query: '', status: 200, body }
}

/** By how much the spread and the depth of each market are off their own middle. */
type Breath = readonly (readonly [number, number])[]

/** Spreads grow with stress, depth falls with it; both breathe a little at every step. */
function bookOf(
  mids: ReadonlyMap<string, number>,
  { stress, breath }: { readonly stress: number; readonly breath: Breath },
): string {
  const rows = markets.flatMap((market, index) => {
    const mid = mids.get(market.symbol) ?? 1
    const [wider = 1, deeper = 1] = breath[index] ?? []
    const spread = (market.halfSpreadBps / 10_000) * stress * wider
    const depth = (market.depth / stress) * deeper
    const row = (side: 'ask' | 'bid') => ({
      base_symbol: market.symbol,
      base_address: market.address,
      quote_symbol: quote.symbol,
      quote_address: quote.address,
      levels: levels.map(({ size, out }) => [
        Number((depth * size).toPrecision(2)),
        Number((mid * (1 + (side === 'ask' ? 1 : -1) * spread * out)).toFixed(market.digits)),
      ]),
      side,
      minimum_in_base: 0,
    })
    return [row('ask'), row('bid')]
  })
  return JSON.stringify(rows)
}
