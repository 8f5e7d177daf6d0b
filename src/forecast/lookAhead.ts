import type { LoadedStrategy } from '../bot/strategy/load.ts'
import type { Config } from '../config/config.ts'
import { type Amount, show } from '../core/amount.ts'
import type { Clock } from '../core/clock.ts'
import { openLook } from '../engine/look.ts'
import type { OpenMarket } from '../engine/market.ts'
import type { View } from './forecastTypes.ts'
import type { Books } from './openBooks.ts'
import { reasonOf } from './reasonOf.ts'

type Looking = {
  readonly config: Config
  readonly market: OpenMarket
  readonly strategies: readonly LoadedStrategy[]
  readonly books: Books
  readonly clock: Clock
  /** Takes a sentence for each strategy that could not look. */
  readonly unknown: string[]
}

/** What every strategy sees now, and what the wallet holds, by the looks the bot itself takes. */
export async function lookAhead({
  config,
  market,
  strategies,
  books,
  clock,
  unknown,
}: Looking): Promise<{
  readonly balances: readonly Amount[] | undefined
  readonly views: ReadonlyMap<string, View>
}> {
  const look = openLook({
    config,
    market,
    standingOf: async (strategy) => ({
      ...books.standing(strategy),
      open: books.promised.map((sell) => ({ sell })),
      swapGas: books.swapGas(strategy),
    }),
    // The plan keeps the strategies' reserves itself, as they change.
    reserved: async () => [],
    clock,
    onHead: async () => {},
  })
  const views = new Map<string, View>()
  let balances: readonly Amount[] | undefined
  let guessed: Amount | undefined
  const looks = await Promise.all(
    strategies.map(async (loaded) => {
      const watches = loaded.watches.map((watch) => ({
        ...watch,
        wants: [...new Set([...(watch.wants ?? []), 'depth' as const])],
      }))
      try {
        return await look({ ...loaded, watches }, clock.now())
      } catch (error) {
        unknown.push(`What ${loaded.name} would see is not known: ${reasonOf(error)}`)
        return undefined
      }
    }),
  )
  for (const [index, { name, watches }] of strategies.entries()) {
    const context = looks[index]?.context
    if (context === undefined) continue
    balances ??= context.balances
    const { indications, depths: levels, references, swapCost } = context
    const depths = levels.map((some, at) =>
      watches[at]?.wants?.includes('depth') === true ? some : [],
    )
    const knownCost = books.swapGas(name) === undefined ? undefined : swapCost
    views.set(name, { indications, depths, references, swapCost, knownCost, levels })
    if (knownCost === undefined) guessed ??= swapCost
  }
  if (guessed !== undefined)
    unknown.push(
      `What a swap costs in gas, before the first: ${show(guessed)} is the most that policy.maxGas allows now. Whether policy.maxGasCost refuses, 'ballast dry-run' finds out.`,
    )
  return { balances, views }
}
