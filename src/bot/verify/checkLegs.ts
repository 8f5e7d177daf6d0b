import type { Checklist } from '../../core/check.ts'
import { isNative, sameAddress, type Token } from '../../core/token.ts'
import type { Quoted } from '../stages.ts'
import type { Decoded, Legible } from './decode.ts'
import type { Pins } from './pins.ts'

type Leg = {
  readonly sold: string
  readonly bought: string
  readonly soldWei: bigint
  readonly boughtWei: bigint
}

/**
 * The legs start at the token we sell, end at the token we buy, and every token between was bought before it is sold.
 *
 * As in the router, the first leg sets the route's sold token and the last its bought token; that these are the
 * intent's tokens is a comparison of its own.
 */
export function checkLegs(
  {
    quoted: { quote, intent },
    decoded: { swap, orders },
    pins,
  }: { quoted: Quoted; decoded: Decoded; pins: Pins },
  checks: Checklist,
) {
  const legs = orders.map(
    ({ order }): Leg => ({
      sold: order.sellerToken.toLowerCase(),
      bought: order.buyerToken.toLowerCase(),
      soldWei: order.sellerTokenAmount,
      boughtWei: order.buyerTokenAmount,
    }),
  )
  checks.equal('token-in', onChain(intent.sell.token, pins), legs.at(0)?.sold)
  checks.equal('token-out', onChain(intent.buy, pins), legs.at(-1)?.bought)
  checks.equal('wrap', isNative(intent.sell.token), swap.toWrap)
  checks.equal('unwrap', isNative(intent.buy), swap.toUnwrap)
  checks.equal('value', isNative(intent.sell.token) ? swap.amountIn : 0n, quote.txRequest.value)

  checks.equal('legs', 'an unbroken chain', brokenLeg(legs) ?? 'an unbroken chain')
  checks.equal('hops', 'sold as bought', unevenHop(legs) ?? 'sold as bought')
  const known = new Set(pins.tokens.map((address) => address.toLowerCase()))
  const strange = legs.flatMap(({ sold, bought }) => [sold, bought]).find((one) => !known.has(one))
  checks.equal('known-tokens', 'only configured tokens', strange ?? 'only configured tokens')

  const quoteIds = new Set(orders.map(({ order }) => order.quoteId.toLowerCase()))
  checks.equal('quote-id', 'one', quoteIds.size === 1 ? 'one' : [...quoteIds].join(' '))
  // The router marks an order's id as used when it fills; the second of a pair could only fail.
  const ids = orders
    .filter(({ order }) => !sameAddress(order.buyer, pins.executor))
    .map(({ order }) => `${order.id} of ${order.buyer}`.toLowerCase())
  const twice = ids.find((id, index) => ids.indexOf(id) !== index)
  checks.equal('order-ids', 'each once', twice ?? 'each once')
}

function brokenLeg(legs: readonly Leg[]): string | undefined {
  const tokenIn = legs.at(0)?.sold
  const tokenOut = legs.at(-1)?.bought
  const owned = new Set([tokenIn])
  for (const { sold, bought, soldWei, boughtWei } of legs) {
    const isSound =
      owned.has(sold) &&
      sold !== bought &&
      sold !== tokenOut &&
      bought !== tokenIn &&
      soldWei > 0n &&
      boughtWei > 0n
    if (!isSound) return `${soldWei} of ${sold} for ${boughtWei} of ${bought}`
    owned.add(bought)
  }
  return undefined
}

/** More sold than bought cannot be delivered, and less leaves us with an unwanted token. */
function unevenHop(legs: readonly Leg[]): string | undefined {
  const tokenIn = legs.at(0)?.sold
  const tokenOut = legs.at(-1)?.bought
  const left = new Map<string, bigint>()
  for (const { sold, bought, soldWei, boughtWei } of legs) {
    left.set(sold, (left.get(sold) ?? 0n) - soldWei)
    left.set(bought, (left.get(bought) ?? 0n) + boughtWei)
  }
  const uneven = [...left].find(
    ([token, wei]) => token !== tokenIn && token !== tokenOut && wei !== 0n,
  )
  return uneven && `${uneven[1]} left of ${uneven[0]}`
}

const onChain = (token: Token, { wrapped }: Pins) => (isNative(token) ? wrapped : token.address)

/** The payer, the recipient and the traders: us, the one we named, and makers we know. */
export function checkParties(
  {
    quoted: { quote, wallet, recipient },
    decoded: { swap, orders },
    pins,
  }: { quoted: Legible; decoded: Decoded; pins: Pins },
  checks: Checklist,
) {
  checks.equal('recipient', recipient, swap.recipient)
  checks.holds(
    'json-recipient',
    sameAddress(quote.recipient, wallet) || sameAddress(quote.recipient, recipient),
    sameAddress(wallet, recipient) ? wallet : `${wallet} or ${recipient}`,
    quote.recipient,
  )
  const stranger = orders.find(
    ({ order }) => !sameAddress(order.caller, wallet) || !sameAddress(order.seller, wallet),
  )
  checks.equal(
    'caller-and-seller',
    `${wallet},${wallet}`,
    stranger === undefined
      ? `${wallet},${wallet}`
      : `${stranger.order.caller},${stranger.order.seller}`,
  )
  const known = [pins.executor, ...pins.makers]
  const unknown = orders.find(({ order }) => !known.some((one) => sameAddress(one, order.buyer)))
  checks.equal(
    'makers',
    'only configured makers',
    unknown === undefined ? 'only configured makers' : unknown.order.buyer,
  )
}
