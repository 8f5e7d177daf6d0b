import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { loadStrategies } from '../../src/bot/strategy/load.ts'
import { loadConfig } from '../../src/config/loadConfig.ts'
import { nativeAddress, type Token } from '../../src/core/token.ts'
import type { Assumptions } from '../../src/tape/assumptions.ts'
import { createTapeMarket } from '../../src/tape/createTapeMarket.ts'
import { loadTape } from '../../src/tape/loadTape.ts'
import type { TapeEntry } from '../../src/tape/readTape.ts'
import { replay } from '../../src/tape/replay.ts'
import { replayReport } from '../../src/tape/replayReport.ts'
import type { TapeHeader, TapeLine } from '../../src/tape/tapeLine.ts'
import { goodYaml } from '../config/goodYaml.ts'

export const start = Date.UTC(2026, 0, 1)

type Levels = readonly (readonly [number, number])[]

/** One look: so many seconds after the start, these bids and asks for WETH, or the status of a failure. */
export type Look =
  | { readonly s: number; readonly bids: Levels; readonly asks?: Levels; readonly minimum?: number }
  | { readonly s: number; readonly status: number }

const token = (symbol: string, decimals: number, address: Token['address']): Token => ({
  chainId: 31_337,
  address,
  symbol,
  decimals,
})
/** As the configuration of the tests has them. */
export const weth = token('WETH', 18, '0x5fbdb2315678afecb367f032d93f642f64180aa7')
export const usdc = token('USDC', 6, '0x5fbdb2315678afecb367f032d93f642f64180aa8')
export const eth = token('ETH', 18, nativeAddress)

export const header: TapeHeader = {
  format: 1,
  source: 'recorded',
  chain: 'local',
  chainId: 31_337,
  service: 'http://127.0.0.1:8546',
  startedAt: start,
}

/** A tape of WETH/USDC. Where no asks are given, nobody sells. */
export function tapeOf(looks: readonly Look[], overrides: Partial<TapeHeader> = {}): TapeEntry[] {
  return [
    { kind: 'header', header: { ...header, ...overrides } },
    ...looks.map((look): TapeEntry => ({ kind: 'line', line: lineOf(look) })),
  ]
}

export function lineOf(look: Look): TapeLine {
  const at = look.s * 1_000
  const shared = { tMono: at, tWall: start + at, latencyMs: 0, headBlock: null }
  const asked = { ...shared, endpoint: 'orderbook', query: 'chain=local' } as const
  if ('status' in look) return { ...asked, status: look.status, body: '{}' }
  const row = (side: 'ask' | 'bid', levels: Levels) => ({
    base_symbol: 'WETH',
    base_address: weth.address,
    quote_symbol: 'USDC',
    quote_address: usdc.address,
    levels,
    side,
    minimum_in_base: look.minimum ?? 0,
  })
  const rows = [row('bid', look.bids), ...(look.asks ? [row('ask', look.asks)] : [])]
  return { ...asked, status: 200, body: JSON.stringify(rows) }
}

/** The head of a node at a second: how old its block was then, and its base fee in gwei. */
export const headAt = (s: number, { ageS, gwei }: { ageS: number; gwei: number }): TapeEntry => ({
  kind: 'line',
  line: {
    tMono: s * 1_000,
    tWall: start + s * 1_000,
    endpoint: 'head',
    query: '',
    status: 200,
    body: JSON.stringify({
      number: 1,
      timestamp: start / 1_000 + s - ageS,
      baseFeePerGas: String(gwei * 1e9),
    }),
    latencyMs: 0,
    headBlock: null,
  },
})

/** Nothing fails, nobody fades, the next block includes. */
const calm: Assumptions = {
  latencyMs: 300,
  timings: [],
  approvals: false,
  standing: [],
  confirmations: 0,
  refillMs: 0,
  ageMsMax: 60_000,
  fail: 0,
  fadePerBps: 0,
  delayBlocksMax: 1,
  gas: 100_000n,
  tip: 0n,
  baseFee: 10_000_000_000n,
  seed: 7,
  holds: [],
}

/** The configuration of the tests, with what a screen needs to value a swap, and strategies of one's own. */
export const yamlWith = (strategies: string, policy = '') =>
  goodYaml.replace(
    /strategies:[\s\S]*?database:/,
    `  stablecoins: { USDC: 100 bps }\n${policy}strategies:\n${strategies}\ndatabase:`,
  )

export const seller = `  - name: seller
    use: threshold
    params: { sell: 1 WETH, buy: USDC, price: 2950 USDC, every: 10s }`

/** Replays over a tape with the strategies of a configuration, and reports. */
export async function replayOf(
  entries: readonly TapeEntry[],
  {
    yaml = yamlWith(seller),
    assumptions = {},
  }: { readonly yaml?: string; readonly assumptions?: Partial<Assumptions> } = {},
) {
  const folder = mkdtempSync(join(tmpdir(), 'ballast-tape-'))
  try {
    const file = join(folder, 'ballast.yaml')
    writeFileSync(file, yaml)
    const config = loadConfig({ file, environment: {}, cwd: folder, needs: 'journal' })
    const strategies = await loadStrategies(config)
    const tape = await loadTape(entries, config)
    const market = createTapeMarket(tape, {
      wrapped: config.tokens.wrapped,
      worth: {
        unit: config.policy.unit,
        stablecoins: config.policy.stablecoins.map(({ token }) => token),
        tokens: config.policy.tokens,
      },
    })
    const span = { from: tape.books[0]?.at ?? 0, until: tape.books.at(-1)?.at ?? 0 }
    const assumed = { ...calm, holds: config.policy.perDay, ...assumptions }
    const replayed = await replay({
      setting: config,
      strategies,
      market,
      assumptions: assumed,
      ...span,
      pause: async () => {},
    })
    const report = replayReport(replayed, {
      market,
      strategies,
      native: config.tokens.native,
      span,
      ageMsMax: assumed.ageMsMax,
    })
    return { report, replayed, tape, market, setting: config, strategies, assumptions: assumed }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
