import type { LoadedStrategy } from '../bot/strategy/load.ts'
import type { Config } from '../config/config.ts'
import type { Clock } from '../core/clock.ts'
import type { OpenMarket } from '../engine/market.ts'
import type { Known, View } from './forecastTypes.ts'
import { lookAhead } from './lookAhead.ts'
import { openBooks } from './openBooks.ts'
import { reasonOf } from './reasonOf.ts'
import { unasked } from './unasked.ts'

type Asked = {
  readonly strategies: readonly LoadedStrategy[]
  readonly clock: Clock
  /** Opens the market; the plan closes what it is given. */
  readonly openMarket: () => Promise<OpenMarket>
}

/** Asks chain, service and journal once for all that a plan starts from. What is away is left out, and said. */
export async function openKnown(
  config: Config,
  { strategies, clock, openMarket }: Asked,
): Promise<Known & { readonly close: () => Promise<void> }> {
  const unknown: string[] = []
  const now = clock.now()
  const books = await openBooks(config, { strategies, now, unknown })
  const market = await openMarket().catch((error: unknown) => {
    unknown.push(`Balances, prices and gas are not known: ${reasonOf(error)}`)
    return undefined
  })
  const looking = { config, strategies, books, clock, unknown }
  const seen = market === undefined ? undefined : await lookAhead({ ...looking, market })
  return {
    now,
    balances: seen?.balances,
    views: seen?.views ?? new Map<string, View>(),
    standing: books.standing,
    spent: books.spent,
    lock: books.lock,
    appraise: market?.appraise ?? unasked(config),
    valued: market !== undefined,
    unknown,
    async close() {
      await books.close()
      await market?.close()
    },
  }
}
