import type { Checklist } from '../../core/check.ts'
import { type Address, isNative, type Token } from '../../core/token.ts'
import type { Quoted } from '../stages.ts'
import type { Decoded } from './decode.ts'
import type { Pins } from './pins.ts'

/** The legs start at the token we sell, end at the token we buy, and every token between was bought before it is sold. */
export function checkLegs(
  { quote, intent }: Quoted,
  { swap, orders }: Decoded,
  pins: Pins,
  checks: Checklist,
) {
  const tokenIn = onChain(intent.sell.token, pins.wrapped)
  const tokenOut = onChain(intent.buy, pins.wrapped)
  const legs = orders.map(({ order }) => ({
    sold: order.sellerToken.toLowerCase(),
    bought: order.buyerToken.toLowerCase(),
    amounts: [order.sellerTokenAmount, order.buyerTokenAmount],
  }))

  checks.equal('token-in', tokenIn, legs.at(0)?.sold)
  checks.equal('token-out', tokenOut, legs.at(-1)?.bought)
  checks.equal('wrap', isNative(intent.sell.token), swap.toWrap)
  checks.equal('unwrap', isNative(intent.buy), swap.toUnwrap)
  checks.equal('value', isNative(intent.sell.token) ? swap.amountIn : 0n, quote.txRequest.value)

  const owned = new Set([tokenIn])
  const broken = legs.find(({ sold, bought, amounts }) => {
    const sound =
      owned.has(sold) &&
      sold !== bought &&
      sold !== tokenOut &&
      bought !== tokenIn &&
      !amounts.includes(0n)
    owned.add(bought)
    return !sound
  })
  checks.equal(
    'legs',
    'an unbroken chain',
    broken === undefined ? 'an unbroken chain' : `${broken.sold} for ${broken.bought}`,
  )
  const known = new Set(pins.tokens.map((address) => address.toLowerCase()))
  const strange = legs.flatMap(({ sold, bought }) => [sold, bought]).find((one) => !known.has(one))
  checks.equal('known-tokens', 'only configured tokens', strange ?? 'only configured tokens')
  const ids = orders.map(({ order }) => order.quoteId)
  checks.equal('quote-id', 'one', new Set(ids).size === 1 ? 'one' : ids.join(' '))
}

const onChain = (token: Token, wrapped: Address) =>
  (isNative(token) ? wrapped : token.address).toLowerCase()
