import { bookLevels, createIndicate } from '../bot/market/createIndicate.ts'
import { createMarket, createReadGate, priorSwapGas } from '../bot/market/createMarket.ts'
import { middleRate } from '../bot/reference/readReferences.ts'
import type { Watch } from '../bot/strategy/index.ts'
import type { LoadedStrategy } from '../bot/strategy/load.ts'
import type { Block } from '../chain/calls/node.ts'
import { createUsualCost } from '../chain/rollup/bytesCost.ts'
import { readTip } from '../chain/tip.ts'
import type { Config } from '../config/config.ts'
import type { Clock } from '../core/clock.ts'
import { createShared } from '../core/createShared.ts'
import type { OpenMarket } from './market.ts'

type Sources = Parameters<typeof createMarket>[0]

type Watching = {
  readonly config: Config
  readonly market: OpenMarket
  readonly standingOf: Sources['journal']['standingOf']
  readonly reserved: Sources['reserved']
  readonly clock: Clock
}
type Judging = Watching & { readonly onHead: (head: Block) => Promise<void> }

/** Strategies that are due together share one read; a moment later it is read again. */
const keptMs = 1_000

/** Gives a strategy the context it decides on: the same in a dry run and in the unattended bot. */
export function openObserver(watching: Watching) {
  // A dry run decides nothing that a breaker would have to stop.
  const look = openLook({ ...watching, onHead: async () => {} })
  return async (loaded: LoadedStrategy, slot: number) => (await look(loaded, slot)).context
}

/**
 * Binds the market, the quotes and the journal into one look per strategy: its context, the block it is of, and what the
 * wallet holds there. `onHead` judges every head, a stale one included.
 */
export function openLook({ config, market, standingOf, reserved, clock, onHead }: Judging) {
  const { chain, service, tokens, wallet, policy } = config
  const { quotes, appraise } = market
  const nameOf = ({ sell, buy }: Watch) => `${sell.token.address}:${sell.wei}:${buy.address}`
  const gate = createReadGate({ clock })
  const indicate = createIndicate({ quotes, chain: chain.name })
  const indication = createShared({
    ask: (ask: Parameters<typeof indicate>[0]) => gate(() => indicate(ask)),
    nameOf,
    keptMs,
    clock,
  })
  const book = createShared({
    ask: async () => (await gate(() => quotes.orderbook(chain.name))).value,
    nameOf: () => '',
    keptMs,
    clock,
  })
  const appraisal = createShared({ ask: appraise, nameOf, keptMs, clock })
  const { look } = createMarket({
    rpc: market.rpc,
    quotes: {
      indicate: async (ask) => (await indication(ask)).value,
      levels: async ({ sell, buy }) =>
        bookLevels((await book(undefined)).value, {
          sell: sell.token,
          buy,
          wrapped: tokens.wrapped,
        }),
    },
    reference: async ({ sell, buy }) => middleRate((await appraisal({ sell, buy })).value, sell),
    bytesCost: createUsualCost(market.rpc, { router: service.router, chainId: chain.chainId }),
    tip: () => readTip({ ...market, clock }, policy.tipMax),
    journal: { standingOf },
    reserved,
    swapGasPrior: priorSwapGas(policy.gasMax),
    swapLimits: policy.perSwap,
    swapWorth: policy.notional.perSwap,
    wallet: wallet.address,
    tokens: [...tokens.bySymbol.values()],
    absent: market.absent,
    blockTimeSeconds: chain.blockTimeMs / 1_000,
    clock,
    onHead,
  })
  return (loaded: LoadedStrategy, slot: number) => look(loaded, slot)
}
