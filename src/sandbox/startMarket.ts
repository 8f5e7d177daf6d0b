import type { Logger } from 'pino'
import type { Rpc } from '../chain/rpc/rpc.ts'
import { spacingOf } from '../chain/uniswapV3/ticks.ts'
import { assert } from '../core/assert.ts'
import type { Clock } from '../core/clock.ts'
import { nativeAddress, type Token } from '../core/token.ts'
import { createService } from '../service/createService.ts'
import { createMakerVenue } from '../service/makers/createMakerVenue.ts'
import { createRemoteMaker, type RemoteMaker } from '../service/makers/http/createRemoteMaker.ts'
import { expiriesToAsk } from '../service/makers/http/protocol.ts'
import type { ServiceMarket } from '../service/market.ts'
import { createUniswapV2Venue } from '../service/venues/createUniswapV2Venue.ts'
import { createUniswapV3Venue } from '../service/venues/createUniswapV3Venue.ts'
import type { Accounts } from './accounts.ts'
import { createPrices, type Prices } from './createPrices.ts'
import { followFeeds } from './followFeeds.ts'
import { followPrices } from './followPrices.ts'
import type { Deployment } from './readyDocument.ts'
import type { SandboxWorld } from './world.ts'
import { booksOf, tokensOf } from './writeConfig.ts'

/** A world at work over a chain that has it: the quoting service, its makers, and who moves the pools. */
export type RunningMarket = {
  readonly serviceUrl: string
  /** Ends the service; the chain stays. */
  close(): Promise<void>
}

type Options = {
  readonly rpc: Rpc
  readonly world: SandboxWorld
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
  const remote = remoteMakersOf(options)
  const local = marketOf(options, prices)
  const market = { ...local, venues: [...remote.map(({ venue }) => venue), ...local.venues] }
  const service = createService({
    market,
    rpc,
    apiKeys: world.service.apiKeys,
    rateLimit: world.service.rateLimit,
    errorStyle: world.service.errorStyle,
    clock,
    log,
  })
  const serviceUrl = await service.listen({ port })
  const arbitrage =
    prices === undefined ? undefined : followPrices({ ...options, prices, since: deployment.block })
  const answers = followFeeds({ ...options, prices })
  return {
    serviceUrl,
    async close() {
      await arbitrage?.stop()
      await answers.stop()
      await service.close()
      await Promise.all(remote.map((maker) => maker.close()))
    },
  }
}

function marketOf(
  { world, accounts, deployment }: Options,
  prices: Prices | undefined,
): ServiceMarket {
  const { chain, service } = world
  const tokens = tokensOf(world, deployment)
  const token = (symbol: string): Token => {
    const found = tokens.find((each) => each.symbol === symbol)
    assert(found !== undefined, 'the world file names only its own tokens')
    return found
  }
  const wrapped = Object.keys(world.tokens).find((symbol) => world.tokens[symbol]?.wrapsNative)
  assert(wrapped !== undefined, 'a world has a token that wraps the native currency')

  const makers = world.makers
    .filter(({ url }) => url === undefined)
    .map((each) => {
      const maker = accounts.makers.get(each.name)
      assert(maker !== undefined, 'each maker has an account')
      return createMakerVenue({
        name: each.name,
        account: maker.account,
        router: deployment.router,
        books: booksOf(each, { tokens, prices, deployment }),
        share: shareOf(world),
      })
    })
  const pools = world.pools.map((pool, index) => {
    const address = deployment.pools[index]
    assert(address !== undefined, 'each pool was deployed')
    const pair = [token(pool.tokens[0]), token(pool.tokens[1])] as const
    if (pool.kind === 'uniswap-v2') return createUniswapV2Venue({ address, tokens: pair })
    const { fee } = pool
    return createUniswapV3Venue({ address, tokens: pair, fee, spacing: spacingOf[fee] })
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
    hubs: service.hubs.map(token),
    gasWeight: service.gasWeight,
    impactBpsMax: service.impactBpsMax,
    // Paper money is on no chain: `ballast run --paper` is quoted for balances that its books alone have.
    needsBalance: false,
  }
}

/**
 * As the service of a desk has it, but for the record of unfilled quotes: paper, a dry run and a drill fill none, so each
 * of them would trade with an eighth of its share soon.
 */
const shareOf = ({ service }: SandboxWorld) => ({
  shareBps: service.shareBps,
  lapsesToHalve: Number.POSITIVE_INFINITY,
})

/** Makers that the world lists as served elsewhere: `ballast maker` starts one. */
function remoteMakersOf({
  world,
  accounts,
  deployment,
  clock,
  log,
}: Options): readonly RemoteMaker[] {
  const tokens = tokensOf(world, deployment)
  const { defaultExpirySeconds, maxExpirySeconds } = world.service
  return world.makers.flatMap(({ name, url, books }) => {
    const maker = accounts.makers.get(name)
    if (url === undefined || maker === undefined) return []
    const pairs = books.map(({ pair: [base, quote] }) => {
      const pair = [base, quote].map((symbol) => tokens.find((each) => each.symbol === symbol))
      assert(pair[0] !== undefined && pair[1] !== undefined, 'the world names only its own tokens')
      return [pair[0], pair[1]] as const
    })
    return createRemoteMaker({
      name,
      url,
      address: maker.account.address,
      chainId: deployment.chainId,
      router: deployment.router,
      pairs,
      share: shareOf(world),
      expiries: expiriesToAsk({
        defaultSeconds: defaultExpirySeconds,
        maxSeconds: maxExpirySeconds,
      }),
      clock,
      log,
    })
  })
}
