import type { LoadedStrategy } from '../bot/strategy/load.ts'
import type { Config } from '../config/config.ts'
import { ballastError } from '../core/errors.ts'
import { hostOf } from '../core/hostOf.ts'
import { sameToken, type Token } from '../core/token.ts'

/** Whether prices of the chain rest on two parties: a witness on another host than the node's. */
export function isWitnessed({
  chain: { rpcUrl, fallbackUrls, witness },
}: Pick<Config, 'chain'>): boolean {
  if (witness === undefined) return false
  const host = hostOf(witness.rpcUrl.reveal())
  return [rpcUrl, ...fallbackUrls].every((url) => hostOf(url.reveal()) !== host)
}

/** The tokens among these that `policy.bands` does not bound. */
export const withoutBand = ({ policy }: Pick<Config, 'policy'>, tokens: readonly Token[]) =>
  tokens.filter((token) => !policy.bands.some((band) => sameToken(band.token, token)))

/**
 * Throws PRICE_UNWITNESSED where money would be at the mercy of one endpoint: it needs a witness, or bands of every token
 * that is swapped. A price that a person wrote needs neither; `personal` says how to write one.
 */
export function assertPriced(
  config: Config,
  { who, tokens, personal }: { who: string; tokens: readonly Token[]; personal: string },
): void {
  const missing = withoutBand(config, tokens)
  if (isWitnessed(config) || missing.length === 0) return
  const symbols = [...new Set(missing.map(({ symbol }) => symbol))].join(' and ')
  throw ballastError(
    'PRICE_UNWITNESSED',
    `The price of ${who} rests on one endpoint, ${hostOf(config.chain.rpcUrl.reveal())}: set chain.witness to a node on another host, ${personal}, or write policy.bands for ${symbols}.`,
  )
}

/** The same for a strategy that states no price of a person; what it trades are the tokens it watches, and `more`. */
export function assertStrategyPriced(
  config: Config,
  { name, strategy, params, watches }: LoadedStrategy,
  more: readonly Token[] = [],
): void {
  if (strategy.pricedByPerson?.(params) === true) return
  const watched = watches.flatMap(({ sell, buy }) => [sell.token, buy])
  assertPriced(config, {
    who: `strategy ${name}`,
    tokens: [...watched, ...more],
    personal: 'give the strategy a worst price of its own',
  })
}
