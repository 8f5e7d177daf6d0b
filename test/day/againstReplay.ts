import { DatabaseSync } from 'node:sqlite'
import { loadStrategies } from '../../src/bot/strategy/load.ts'
import { assumptionsOf } from '../../src/cli/replay/assumptionsOf.ts'
import type { Config } from '../../src/config/config.ts'
import type { Amount } from '../../src/core/amount.ts'
import { sameAddress } from '../../src/core/token.ts'
import { createTapeMarket } from '../../src/tape/createTapeMarket.ts'
import { loadTape } from '../../src/tape/loadTape.ts'
import { readTape } from '../../src/tape/readTape.ts'
import { replay } from '../../src/tape/replay.ts'
import type { SwapTiming } from '../../src/tape/timings.ts'

/** One fill, of a live day or of its replay. Whole numbers as text: a recorded day keeps them in JSON. */
export type DayFill = {
  readonly strategy: string
  readonly sell: string
  readonly buy: string
  readonly sold: string
  readonly bought: string
}

/** What a live day leaves for its replay. */
export type LiveDay = {
  readonly startedAt: number
  readonly endedAt: number
  readonly held: Readonly<Record<string, string>>
  readonly fills: readonly DayFill[]
  readonly timings: readonly SwapTiming[]
}

/** The settled swaps of a journal by its own tables, and not by the bot's code. */
export function fillsOf(journal: string): readonly DayFill[] {
  const db = new DatabaseSync(journal, { readOnly: true })
  try {
    return db
      .prepare(
        "SELECT strategy, sell_token AS sell, buy_token AS buy, sold, received AS bought FROM swap WHERE state = 'SETTLED' ORDER BY created_at",
      )
      .all() as DayFill[]
  } finally {
    db.close()
  }
}

/** Replays a day over its tape: the same strategies, wallet and span, and the time that its swaps took. */
export async function replayDay({
  tape: path,
  config,
  live,
}: {
  tape: string
  config: Config
  live: LiveDay
}) {
  const tape = await loadTape(readTape([path]), config)
  const { tokens, policy } = config
  const market = createTapeMarket(tape, {
    wrapped: tokens.wrapped,
    worth: {
      unit: policy.unit,
      stablecoins: policy.stablecoins.map(({ token }) => token),
      tokens: policy.tokens,
    },
  })
  const holds = Object.entries(live.held).flatMap(([symbol, wei]): Amount[] => {
    const token = tokens.bySymbol.get(symbol)
    return token === undefined ? [] : [{ token, wei: BigInt(wei) }]
  })
  const unset = { latency: undefined, approvals: undefined, maxAge: undefined, holds: undefined }
  const usual = { delayBlocks: undefined, gas: undefined, tip: undefined, seed: undefined }
  const assumptions = assumptionsOf(
    // Nothing fails in a sandbox, and its tape has felt what was sold.
    { ...unset, ...usual, fail: 0, fade: 0, refill: 0 },
    { config, timings: live.timings, source: 'recorded' },
  )
  const { tallies } = await replay({
    ...{ setting: config, strategies: await loadStrategies(config), market },
    assumptions: { ...assumptions, holds },
    ...{ from: live.startedAt, until: live.endedAt, pause: async () => {} },
  })
  const fills = [...tallies].flatMap(([strategy, { executions }]) =>
    executions.map(
      ({ price: { sold, bought } }): DayFill => ({
        strategy,
        sell: sold.token.address,
        buy: bought.token.address,
        sold: `${sold.wei}`,
        bought: `${bought.wei}`,
      }),
    ),
  )
  return { fills, tallies }
}

/** Live against replay, for each strategy. Prices in bps, above zero where the replay paid less. */
export type Comparison = {
  readonly strategy: string
  readonly live: number
  readonly replayed: number
  readonly apartPercent: number
  readonly priceBps: number
}

/** The fills of two runs over one market: how many, and what they got on average for what they sold. */
export function compare(
  live: readonly DayFill[],
  replayed: readonly DayFill[],
): readonly Comparison[] {
  const strategies = [...new Set(live.map(({ strategy }) => strategy))].sort()
  return strategies.map((strategy) => {
    const of = (fills: readonly DayFill[]) => fills.filter((one) => one.strategy === strategy)
    const [own, other] = [of(live), of(replayed)]
    return {
      strategy,
      live: own.length,
      replayed: other.length,
      apartPercent: Number(((100 * (other.length - own.length)) / own.length).toFixed(2)),
      priceBps: Number(priceGap(own, other).toFixed(2)),
    }
  })
}

/** By how much less the second got for what it sold, in each direction by itself; the mean of both by their swaps. */
function priceGap(own: readonly DayFill[], other: readonly DayFill[]): number {
  const directions = [...new Set(own.map(({ sell }) => sell))]
  const gaps = directions.flatMap((sell) => {
    const [one, two] = [own, other].map((fills) =>
      fills.filter((fill) => sameAddress(fill.sell as `0x${string}`, sell as `0x${string}`)),
    )
    if (one === undefined || two === undefined || two.length === 0) return []
    return [{ bps: 1e4 * (1 - averageOf(two) / averageOf(one)), weight: one.length }]
  })
  const weight = gaps.reduce((sum, gap) => sum + gap.weight, 0)
  return gaps.reduce((sum, gap) => sum + gap.bps * gap.weight, 0) / Math.max(weight, 1)
}

function averageOf(fills: readonly DayFill[]): number {
  const sum = (of: 'sold' | 'bought') => fills.reduce((all, fill) => all + BigInt(fill[of]), 0n)
  return Number(sum('bought')) / Number(sum('sold'))
}
