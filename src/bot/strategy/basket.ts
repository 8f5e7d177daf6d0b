import type { Amount } from '../../core/amount.ts'
import { isDollar, isNative, isWrapperOf, sameToken, type Token } from '../../core/token.ts'
import { held, maxOf } from './amounts.ts'
import type { Fields, GroupOf, Rules, Weight } from './fields.ts'
import type { Watch } from './strategy.ts'

/** The keys of weighed assets: what they are counted in, and how they are priced and traded. */
export const basketKeys = ({ required, optional, ...kinds }: Fields) => ({
  weights: required(kinds.weights, {
    doc: 'What each asset is to be of the whole, together 100 %. 0 % sells an asset off.',
  }),
  in: optional(kinds.token, {
    doc: 'What everything is counted in, and traded through. The hub.',
    example: 'USDC',
    suggested: true,
    default: { words: 'the first weight with `USD` in its name, or `DAI`' },
  }),
  maxDeviation: optional(kinds.bps, {
    doc: 'How far a price may be from the references. They are read for every price and value the portfolio; it waits where the service differs by more.',
    example: '100 bps',
  }),
  keep: optional(kinds.amount, {
    doc: 'Native coin that pays the gas and is not part of the portfolio.',
    example: '0.1 ETH',
  }),
  wrapped: optional(kinds.token, {
    doc: 'Native coin and this token are one asset.',
    default: {
      words: 'the weight that is named so, such as WETH for ETH, where `keep` is given',
    },
  }),
  pairs: optional(kinds.pairs, {
    doc: 'Pairs that trade directly. Taken where the price is not worse than through the hub.',
  }),
  probes: optional(kinds.amounts, {
    doc: 'The amounts that prices are requested for.',
    default: { words: '1 of each, 1000 of the hub' },
  }),
})
type Basket = GroupOf<typeof basketKeys>

/** Rules between the keys of a basket. */
export const basketRules: Rules<Basket> = {
  in: (basket) => {
    if (basket.in === undefined)
      return dollarOf(basket.weights) ? undefined : 'is missing: which of the weights is to count?'
    return isWeighed(basket, basket.in) ? undefined : 'is not one of the weights.'
  },
  keep: ({ keep, weights }) => {
    if (keep !== undefined)
      return isNative(keep.token) ? undefined : `is ${keep.token.symbol}, which pays no gas.`
    return weights.some(({ token }) => isNative(token))
      ? 'is missing: all of the coin that pays the gas would be traded.'
      : undefined
  },
  wrapped: (basket) => {
    const { wrapped, keep, weights } = basket
    if (wrapped === undefined) return undefined
    if (keep === undefined) return 'needs keep: how much native coin is not part of the portfolio.'
    if (wrapped.decimals !== keep.token.decimals)
      return `has ${wrapped.decimals} decimals and ${keep.token.symbol} has ${keep.token.decimals}: it wraps another coin.`
    const natives = weights.filter(({ token }) => isNative(token) || sameToken(token, wrapped))
    return natives.length === 1 ? undefined : 'or the native coin is one of the weights, not both.'
  },
  probes: ({ probes = [] }) =>
    probes.some(({ wei }) => wei === 0n) ? 'asks for the price of nothing.' : undefined,
  pairs: (basket) =>
    (basket.pairs ?? [])
      .flat()
      .every((token) => isWeighed(basket, token) && !sameToken(token, hubOf(basket)))
      ? undefined
      : `are of weights other than ${hubOf(basket).symbol}, which trades with all.`,
}

/** The token that everything is counted in: `in`, or the first weight that is a dollar by its name. */
export function hubOf({ in: given, weights }: Basket): Token {
  const found = given ?? dollarOf(weights) ?? weights[0]?.token
  if (found === undefined) throw new Error('a portfolio has assets')
  return found
}

function dollarOf(weights: readonly Weight[]): Token | undefined {
  return weights.find(({ token }) => isDollar(token))?.token
}

/** Both directions of every asset with the hub and of every pair. */
export function tradesOf(basket: Basket): readonly Omit<Watch, 'wants'>[] {
  const { weights, pairs = [] } = basket
  const hub = hubOf(basket)
  const spokes = weights
    .filter(({ token }) => !sameToken(token, hub))
    .map(({ token }) => [token, hub] as const)
  return [...spokes, ...pairs].flatMap(([one, other]) => [
    { sell: probeOf(one, basket), buy: other },
    { sell: probeOf(other, basket), buy: one },
  ])
}

/** A price for each trade; one of the native coin where only the gas is paid in it. */
export function watchesOf(basket: Basket): readonly Watch[] {
  const { keep, maxDeviation } = basket
  const hub = hubOf(basket)
  const wants: Watch['wants'] = maxDeviation === undefined ? ['depth'] : ['depth', 'reference']
  const watches = tradesOf(basket).map((trade): Watch => ({ ...trade, wants }))
  const wrapped = wrappedOf(basket)
  const isAsset = (one: Token | undefined) => one !== undefined && isWeighed(basket, one)
  const isGasOnly = keep !== undefined && !isAsset(keep.token) && !isAsset(wrapped)
  return isGasOnly
    ? [...watches, { sell: probeOf(keep.token, basket), buy: hub, wants: wants.slice(1) }]
    : watches
}

/** The amount a price is requested for: one whole token, a thousand of the hub. */
function probeOf(token: Token, basket: Basket): Amount {
  const given = basket.probes?.find((probe) => sameToken(probe.token, token))
  const whole = 10n ** BigInt(token.decimals)
  return given ?? { token, wei: sameToken(token, hubOf(basket)) ? 1_000n * whole : whole }
}

/** Every token that counts: the weights, and the other form of the native coin where both are one asset. */
export const weighedBy = (basket: Basket): readonly Token[] =>
  basket.weights.flatMap(({ token }) =>
    partsOf(basket, { token, balances: [] }).map((part) => part.token),
  )

/** The native coin and its wrapped form are one asset: the wrapped goes first, and what pays the gas never. */
export function partsOf(
  basket: Basket,
  { token, balances }: { readonly token: Token; readonly balances: readonly Amount[] },
): readonly Amount[] {
  const { keep } = basket
  const wrapped = wrappedOf(basket)
  const isBoth = wrapped !== undefined && (isNative(token) || sameToken(token, wrapped))
  const tokens = isBoth && keep !== undefined ? [wrapped, keep.token] : [token]
  return tokens.map((one) => {
    const kept = keep !== undefined && sameToken(keep.token, one) ? keep.wei : 0n
    return { token: one, wei: maxOf(0n, held(balances, one).wei - kept) }
  })
}

/** The token that stands for the native coin: `wrapped`, or a weight by its name, as WETH for ETH. */
function wrappedOf({ wrapped, keep, weights }: Basket): Token | undefined {
  if (wrapped !== undefined || keep === undefined) return wrapped
  return weights.find(({ token }) => isWrapperOf(token, keep.token))?.token
}

const isWeighed = ({ weights }: Basket, token: Token) =>
  weights.some((weight) => sameToken(weight.token, token))

export const notInHub = ({ token }: Amount, basket: Basket) => {
  const hub = hubOf(basket)
  return sameToken(token, hub)
    ? undefined
    : `is in ${token.symbol}, but everything is counted in ${hub.symbol}.`
}
