import { capOf } from '../../bot/proof.ts'
import type { Config } from '../../config/config.ts'
import { type Amount, amountOf } from '../../core/amount.ts'
import { formatDecimal } from '../../core/decimal.ts'
import { ballastError } from '../../core/errors.ts'
import { balanceIn, smaller } from '../../core/holdings.ts'
import { isToken, oneWhole, sameToken, type Token } from '../../core/token.ts'
import { canDrill, type DrillToken, worthOfNative } from '../../drill/drillWorld.ts'
import type { Wish } from '../../drill/lie.ts'

/** The tokens that the drill takes over from a configuration for its own market. */
export function drilledTokens({ tokens }: Config): readonly DrillToken[] {
  return [...tokens.bySymbol.values()]
    .filter((token) => !sameToken(token, tokens.native) && canDrill(token))
    .map(({ symbol, decimals }) => ({
      symbol,
      decimals,
      wrapsNative: symbol === tokens.wrapped.symbol,
      // Worth one each in the market of the drill, the wrapped currency excepted.
      isDollar: symbol !== tokens.wrapped.symbol,
    }))
}

/**
 * The embedded market's configuration under the user's own policy and quote settings: everything that decides whether
 * a swap is good is the user's, everything that could reach the user's chain, service or key is not.
 */
export function drillConfig({
  market,
  user,
}: {
  market: Config
  /** Undefined: the market's own are drilled. */
  user: Config | undefined
}): Config {
  const { quote, policy } = user ?? market
  const { bySymbol } = market.tokens
  return {
    ...market,
    quote: { ...quote, timeoutMs: Math.min(quote.timeoutMs, timeoutMsMax) },
    // Prices are compared with references on the user's chain: here with those of this market.
    policy: {
      ...moved(policy, { bySymbol, chainId: market.chain.chainId }),
      references: market.policy.references,
      bands: bandsOf(policy, market),
    },
  }
}

/** Around the worth in this market, for the tokens that the user bounds. */
function bandsOf(user: Config['policy'], { tokens }: Config): Config['policy']['bands'] {
  const unit = tokens.bySymbol.get(user.unit.symbol) ?? user.unit
  const worth = ({ symbol }: Token) =>
    [tokens.wrapped, tokens.native].some((one) => one.symbol === symbol) ? worthOfNative : 1n
  return user.bands.flatMap(({ token: { symbol } }) => {
    const token = tokens.bySymbol.get(symbol)
    if (token === undefined) return []
    const wei = (worth(token) * oneWhole(unit)) / worth(unit)
    return [{ token, min: { token: unit, wei: wei / 2n }, max: { token: unit, wei: wei * 2n } }]
  })
}

/** A service that never answers would otherwise take a few of the drill's seconds each time. */
const timeoutMsMax = 1_000

/**
 * The user's policy does not list the tokens of the drill, nor perhaps the chain's own currency; it is widened for the
 * cases that are about them, and for nothing else.
 */
export function widened(
  config: Config,
  { symbols, wish }: { symbols: readonly string[]; wish: Wish },
): Config {
  const { policy, tokens } = config
  const added = symbols.flatMap((symbol) => tokens.bySymbol.get(symbol) ?? [])
  const swapped = [wish.sell, wish.buy].flatMap((symbol) => tokens.bySymbol.get(symbol) ?? [])
  const money = [tokens.wrapped, tokens.native]
  const isMoney = (token: Token) => money.some((one) => sameToken(one, token))
  const pairs = [...added, ...swapped]
    .filter((token) => !isMoney(token))
    .flatMap((token) => money.map((one) => [token, one] as const))
  const caps = added.map((token) => amountOf(token, String(worthOfNative * 10n)))
  const without = (list: readonly Amount[]) =>
    list.filter(({ token }) => !added.some((one) => sameToken(one, token)))
  return {
    ...config,
    policy: {
      ...policy,
      tokens: [...policy.tokens.filter((one) => !added.includes(one)), ...added],
      pairs: [...policy.pairs, ...pairs],
      perSwap: [...without(policy.perSwap), ...caps],
      perDay: [...without(policy.perDay), ...caps],
    },
  }
}

/** A swap the policy allows: the wrapped currency for another token where possible, and no more than its limits. */
export function usualWish({ policy, tokens }: Config): { wish: Wish; worth: bigint } {
  const isErc20 = (token: Token) => !sameToken(token, tokens.native)
  const isWrapped = (token: Token) => sameToken(token, tokens.wrapped)
  const worthOf = (token: Token) => (isWrapped(token) ? worthOfNative : 1n)
  const perSwap = policy.perSwap
    .map(({ token, wei }) => ({ token, wei: smaller(wei, balanceIn(policy.perDay, token)) }))
    .filter(({ token, wei }) => isErc20(token) && wei > 0n)
    // The wrapped currency first: the market of the drill is made around it.
    .sort((a, b) => Number(isWrapped(b.token)) - Number(isWrapped(a.token)))
  const counterpartOf = (token: Token) =>
    policy.pairs.flatMap(([a, b]) =>
      sameToken(a, token) ? [b] : sameToken(b, token) ? [a] : [],
    )[0]
  const [first] = perSwap.flatMap(({ token, wei }) => {
    const buy = counterpartOf(token)
    return buy === undefined ? [] : [{ token, wei, buy }]
  })
  if (first === undefined)
    throw ballastError(
      'NOTHING_TO_DRILL',
      'policy lets no token be swapped for another: there is nothing to drill.',
      { needs: 'a pair in policy.pairs, with a token in it that has limits' },
    )
  const { token, wei, buy } = first
  const { perSwap: a, perHour: b, perDay: c, perStrategy: d } = policy.notional
  // The drill's own node lacks a witness at times, and eth_simulateV1 where that is the lie.
  const proven = capOf('probed-unwitnessed', policy) ?? a
  const limits = [a, b, c, d, proven].map((limit) => worthIn(limit, worthOf(limit.token)))
  const whole = oneWhole(token)
  // A little less: references differ from the worth in this market by the share that pools keep.
  const cap = (limits.reduce(smaller, worthOfNative * scale) * 98n) / 100n
  const worth = smaller(cap, (wei * worthOf(token) * scale) / whole)
  const amount = (worth * whole) / (worthOf(token) * scale)
  return {
    wish: { sell: token.symbol, amount: formatDecimal(amount, token.decimals), buy: buy.symbol },
    worth,
  }
}

/** Worth is counted in millionths of a coin of which the chain's own currency is worth 3000. */
const scale = 1_000_000n

const worthIn = ({ token, wei }: Amount, each: bigint) => (wei * each * scale) / oneWhole(token)

/** The same values with every token replaced by the one of the same symbol in another market. */
function moved<value>(
  value: value,
  to: { readonly bySymbol: ReadonlyMap<string, Token>; readonly chainId: number },
): value {
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map((part) => moved(part, to)) as value
  if (isToken(value))
    return (to.bySymbol.get(value.symbol) ?? { ...value, chainId: to.chainId }) as value
  return Object.fromEntries(
    Object.entries(value).map(([key, part]) => [key, moved(part, to)]),
  ) as value
}
