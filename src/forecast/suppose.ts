import type { LoadedStrategy } from '../bot/strategy/load.ts'
import type { Config } from '../config/config.ts'
import type { Known, Sight, View } from './forecastTypes.ts'

/** One of two worlds that have nothing in common but the file: what a strategy does in both does not depend on them. */
export type World = {
  /** So many whole bought tokens for so many whole sold ones. */
  readonly price: { readonly bought: bigint; readonly sold: bigint }
  /** Whole tokens in the wallet, of each. */
  readonly holds: bigint
}

/** Puts something made up in the place of what is not known. */
export function suppose(
  known: Known,
  {
    config,
    strategies,
    world,
  }: { config: Config; strategies: readonly LoadedStrategy[]; world: World },
): Sight {
  const views = new Map(
    strategies.map((one) => [one.name, known.views.get(one.name) ?? madeUp(one, world)]),
  )
  const none: View = {
    indications: [],
    depths: [],
    references: [],
    swapCost: undefined,
    knownCost: undefined,
    levels: [],
  }
  return {
    ...known,
    balances:
      known.balances ??
      [...config.tokens.bySymbol.values()].map((token) => ({
        token,
        wei: world.holds * 10n ** BigInt(token.decimals),
      })),
    view: (strategy) => views.get(strategy) ?? none,
  }
}

function madeUp({ watches }: LoadedStrategy, { price }: World): View {
  const prices = watches.map(({ sell, buy }) => {
    const bought = sell.wei * price.bought * 10n ** BigInt(buy.decimals)
    const wei = bought / (price.sold * 10n ** BigInt(sell.token.decimals))
    // However little it brings, it is a price.
    return { sold: sell, bought: { token: buy, wei: wei === 0n ? 1n : wei } }
  })
  const wanting = (what: 'depth' | 'reference', index: number) =>
    watches[index]?.wants?.includes(what) === true
  return {
    indications: prices.map((one) => ({ ...one, route: [] })),
    depths: prices.map((one, index) => (wanting('depth', index) ? [one] : [])),
    references: prices.map((one, index) => (wanting('reference', index) ? one : undefined)),
    swapCost: undefined,
    knownCost: undefined,
    levels: watches.map(() => []),
  }
}
