import type { Checklist } from '../../core/check.ts'
import { sameAddress } from '../../core/token.ts'
import type { Decoded } from './decode.ts'
import type { Legible } from './legible.ts'
import type { Pins } from './pins.ts'

/** Who pays, who receives and who trades: us, whom we named, and makers we know. */
export function checkParties(
  { quote, wallet, recipient }: Legible,
  { swap, orders }: Decoded,
  pins: Pins,
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
