import type { Logger } from 'pino'
import type { Block } from '../chain/calls/getBlock.ts'
import type { Rpc } from '../chain/rpc/rpc.ts'
import { assert } from '../core/assert.ts'
import type { Clock } from '../core/clock.ts'
import { nativeAddress, type Token } from '../core/token.ts'
import { createService } from '../service/createService.ts'
import { createMakerVenue } from '../service/makers/createMakerVenue.ts'
import { fixedBook } from '../service/makers/fixedBook.ts'
import { followBook } from '../service/makers/followBook.ts'
import type { Market } from '../service/market.ts'
import { createUniswapV2Venue } from '../service/venues/createUniswapV2Venue.ts'
import type { Accounts } from './accounts.ts'
import { createPrices, type Prices } from './createPrices.ts'
import type { Deployment } from './deployment.ts'
import { followPrices } from './followPrices.ts'
import type { World } from './world.ts'

/** A world at work over a chain that has it: the quoting service, its makers, and who moves the pools. */
export type RunningMarket = {
  readonly serviceUrl: string
  /** Ends the service; the chain stays. */
  close(): Promise<void>
}

type Options = {
  readonly rpc: Rpc
  readonly world: World
  readonly accounts: Accounts
  readonly deployment: Deployment
  /** Of the service; 0 or absent: a free one. */
  readonly port?: number
  readonly clock: Clock
  readonly log: Logger
}

/** Starts the quoting service over a deployed world and, when the world has prices, moves them. */
export async function startMarket(options: Options): Promise<RunningMarket> {
  const { rpc, world, deployment, port = 0, clock, log } = options
  const prices =
    world.prices === undefined
      ? undefined
      : createPrices({
          prices: world.prices,
          blockTimeSeconds: world.chain.blockTimeSeconds,
        })
  const service = createService({
    market: marketOf(options, prices),
    rpc,
    apiKeys: world.service.apiKeys,
    clock,
    log,
  })
  const serviceUrl = await service.listen({ port })
  const arbitrage =
    prices === undefined ? undefined : followPrices({ ...options, prices, since: deployment.block })
  return {
    serviceUrl,
    async close() {
      await arbitrage?.stop()
      await service.close()
    },
  }
}

function marketOf({ world, accounts, deployment }: Options, prices: Prices | undefined): Market {
  const { chain, service } = world
  const tokens = tokensOf(world, deployment)
  const token = (symbol: string): Token => {
    const found = tokens.find((each) => each.symbol === symbol)
    assert(found !== undefined, 'the world file names only its own tokens')
    return found
  }
  const wrapped = Object.keys(world.tokens).find((symbol) => world.tokens[symbol]?.wrapsNative)
  assert(wrapped !== undefined, 'a world has a token that wraps the native currency')

  const makers = world.makers.map(({ name, books }) => {
    const maker = accounts.makers.get(name)
    assert(maker !== undefined, 'each maker has an account')
    return createMakerVenue({
      name,
      account: maker.account,
      router: deployment.router,
      books: books.map(({ pair, minimumInBase, ...rest }) => {
        const [base, quote] = [token(pair[0]), token(pair[1])]
        if (!('follow' in rest)) return fixedBook({ base, quote, minimumInBase, ...rest })
        const priceAt = ({ number }: Block) => {
          const values = prices?.at(number - deployment.block)
          return values && (values.get(base.symbol) ?? 1) / (values.get(quote.symbol) ?? 1)
        }
        return followBook({ base, quote, minimumInBase, follow: rest.follow, priceAt })
      }),
    })
  })
  const pools = world.pools.map(({ tokens: [a, b] }, index) => {
    const address = deployment.pools[index]
    assert(address !== undefined, 'each pool was deployed')
    return createUniswapV2Venue({ address, tokens: [token(a), token(b)] })
  })

  return {
    chain: {
      chainId: chain.chainId,
      chain: chain.name,
      label: chain.label,
      token: chain.token,
      isMainnet: false,
    },
    blockTimeSeconds: chain.blockTimeSeconds,
    tokens,
    dollars: tokens
      .filter(({ symbol }) => world.tokens[symbol]?.isDollar)
      .map((each) => each.address),
    native: { chainId: chain.chainId, address: nativeAddress, symbol: chain.token, decimals: 18 },
    wrapped: token(wrapped),
    router: deployment.router,
    executor: deployment.executor,
    feeSigner: accounts.feeSigner.account,
    feeRecipient: accounts.feeRecipient.account.address,
    feeBps: service.widgetFeeBps,
    expiry: { defaultSeconds: service.defaultExpirySeconds, maxSeconds: service.maxExpirySeconds },
    venues: [...makers, ...pools],
  }
}

function tokensOf(world: World, deployment: Deployment): readonly Token[] {
  return Object.entries(world.tokens).map(([symbol, { decimals }]) => {
    const address = deployment.tokens[symbol]
    assert(address !== undefined, 'each token was deployed')
    return { chainId: world.chain.chainId, address, symbol, decimals }
  })
}
