import type { Logger } from 'pino'
import { compiledAccount } from '../../chain/crypto/compiledAccount.ts'
import { spacingOf } from '../../chain/uniswapV3/ticks.ts'
import type { PoolConfig, ServiceConfig } from '../../config/service/readServiceConfig.ts'
import type { Clock } from '../../core/clock.ts'
import { invalidConfig } from '../../core/invalidConfig.ts'
import type { Secret } from '../../core/secret.ts'
import type { Address } from '../../core/token.ts'
import { createMakerVenue } from '../../service/makers/createMakerVenue.ts'
import { fixedBook } from '../../service/makers/fixedBook.ts'
import { createRemoteMaker } from '../../service/makers/http/createRemoteMaker.ts'
import { expiriesToAsk } from '../../service/makers/http/protocol.ts'
import type { ServiceMarket } from '../../service/market.ts'
import { createUniswapV2Venue } from '../../service/venues/createUniswapV2Venue.ts'
import { createUniswapV3Venue } from '../../service/venues/createUniswapV3Venue.ts'
import type { Venue } from '../../service/venues/venue.ts'

/** The market a configuration describes, ready to be quoted. Makers elsewhere are followed until it is closed. */
export function marketOf(
  config: ServiceConfig,
  { clock, log }: { clock: Clock; log: Logger },
): { readonly market: ServiceMarket; close(): Promise<void> } {
  const { chain, router, executor, tokens, native, wrapped, dollars, widgetFee, expiry } = config
  const share = { shareBps: config.takers.shareBps }
  assertAccounts([
    ...config.makers.map(({ name, key }) => ({ name, address: accountOf(key).address })),
    ...config.remoteMakers,
  ])
  const makers = config.makers.map(({ name, key, books }) =>
    createMakerVenue({
      ...{ name, router, share },
      account: accountOf(key),
      books: books.map(fixedBook),
    }),
  )
  const remote = config.remoteMakers.map(({ url, apiKey, ...maker }) =>
    createRemoteMaker({
      ...maker,
      url: url.reveal(),
      apiKey: apiKey?.reveal(),
      chainId: chain.chainId,
      router,
      share,
      expiries: expiriesToAsk(expiry),
      clock,
      log,
    }),
  )
  const market: ServiceMarket = {
    chain: {
      chainId: chain.chainId,
      chain: chain.name,
      label: chain.label,
      token: chain.currency,
      isMainnet: chain.isMainnet,
    },
    blockTimeSeconds: chain.blockTimeSeconds,
    tokens: [...tokens.values()],
    dollars,
    native,
    wrapped,
    router,
    executor,
    feeSigner: accountOf(widgetFee.signer),
    feeRecipient: widgetFee.recipient,
    feeBps: widgetFee.bps,
    expiry,
    venues: [...makers, ...remote.map(({ venue }) => venue), ...config.pools.map(poolOf)],
    hubs: config.hubs,
    gasWeight: config.gasWeight,
    impactBpsMax: config.impactBpsMax,
    asksAlone: config.orderbook === 'asks',
    needsBalance: config.takers.balance === 'required',
  }
  return {
    market,
    async close() {
      await Promise.all(remote.map((maker) => maker.close()))
    },
  }
}

function poolOf({ address, tokens, v3Fee }: PoolConfig): Venue {
  return v3Fee === undefined
    ? createUniswapV2Venue({ address, tokens })
    : createUniswapV3Venue({ address, tokens, fee: v3Fee, spacing: spacingOf[v3Fee] })
}

/** Refuses one account under two names: each would promise all that it holds. */
function assertAccounts(
  makers: readonly { readonly name: string; readonly address: Address }[],
): void {
  const names = new Map<string, string>()
  for (const { name, address } of makers) {
    const account = address.toLowerCase()
    const other = names.get(account)
    if (other !== undefined)
      throw invalidConfig([
        `The makers ${other} and ${name} sign with one account, ${address}: give each its own.`,
      ])
    names.set(account, name)
  }
}

const accountOf = (key: Secret) => compiledAccount(key.reveal() as `0x${string}`)
