import { createIndicate } from '../../bot/market/createIndicate.ts'
import { createMarket } from '../../bot/market/createMarket.ts'
import type { Context, Intent } from '../../bot/stages.ts'
import type { LoadedStrategy } from '../../bot/strategy/load.ts'
import type { Block } from '../../chain/calls/getBlock.ts'
import type { Config } from '../../config/config.ts'
import type { Clock } from '../../core/clock.ts'
import type { Price } from '../../core/price.ts'
import { sameToken } from '../../core/token.ts'
import type { OpenMarket } from './openMarket.ts'

type StandingOf = Parameters<typeof createMarket>[0]['journal']['standingOf']

type Watching = {
  readonly config: Config
  readonly market: OpenMarket
  readonly standingOf: StandingOf
  readonly clock: Clock
}
type Judging = Watching & { readonly onHead: (head: Block) => Promise<void> }

/** Gives a strategy the context it decides on: the same in a dry run and in the unattended bot. */
export function openObserver(watching: Watching) {
  // A dry run decides nothing that a breaker would have to stop.
  const look = openLook({ ...watching, onHead: async () => {} })
  return async (loaded: LoadedStrategy, slot: number) => (await look(loaded, slot)).context
}

/** {@link openObserver} with the block that was looked at; `onHead` judges every head, a stale one included. */
export function openLook({ config, market, standingOf, clock, onHead }: Judging) {
  const { look } = createMarket({
    rpc: market.rpc,
    quotes: { indicate: createIndicate({ quotes: market.quotes, chain: config.chain.name }) },
    journal: { standingOf },
    wallet: config.wallet.address,
    tokens: [...config.tokens.bySymbol.values()],
    blockTimeSeconds: config.chain.blockTimeMs / 1_000,
    clock,
    onHead,
  })
  return (loaded: LoadedStrategy, slot: number) => look(loaded, slot)
}

/** The price the decision saw for this very intent's pair. */
export function indicationFor(context: Context<unknown>, { sell, buy }: Intent): Price | undefined {
  return context.indications.find(
    (one) =>
      one !== undefined &&
      sameToken(one.sold.token, sell.token) &&
      sameToken(one.bought.token, buy),
  )
}
