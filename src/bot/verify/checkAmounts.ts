import { type Amount, show } from '../../core/amount.ts'
import type { Checklist } from '../../core/check.ts'
import { sameAddress } from '../../core/token.ts'
import type { Quoted } from '../stages.ts'
import type { Decoded } from './decode.ts'
import type { Pins } from './pins.ts'

const bps = 10_000n

/**
 * The amounts, exact: all of the input is spent, the promised output is the sum of the legs, and the minimum is neither
 * below the requested slippage nor below the intent's floor.
 */
export function checkAmounts(
  { quote, intent, slippageBps }: Quoted,
  { swap, orders }: Decoded,
  checks: Checklist,
): { amountOut: Amount; minimum: Amount } {
  const legs = orders.map(({ order }) => order)
  const fee = (swap.amountIn * swap.widgetFee.feeRate) / bps
  const sold = sum(
    legs.filter(({ sellerToken }) => sellerToken === legs.at(0)?.sellerToken),
    'sellerTokenAmount',
  )
  const bought = sum(
    legs.filter(({ buyerToken }) => buyerToken === legs.at(-1)?.buyerToken),
    'buyerTokenAmount',
  )
  checks.equal('amount-in', intent.sell.wei, swap.amountIn)
  checks.equal('legs-input', swap.amountIn - fee, sold)
  checks.equal('amount-out', bought, quote.amountOut)

  const amountOut = { token: intent.buy, wei: bought }
  const minimum = { token: intent.buy, wei: swap.amountOutMinimum }
  const tolerated = (bought * (bps - BigInt(slippageBps)) + bps - 1n) / bps
  checks.holds(
    'minimum',
    minimum.wei >= tolerated && minimum.wei <= bought,
    `at least ${show({ token: intent.buy, wei: tolerated })} (${slippageBps} bps below the quote)`,
    show(minimum),
  )
  checks.holds(
    'floor',
    minimum.wei >= intent.floor.wei,
    `at least ${show(intent.floor)}`,
    show(minimum),
  )
  return { amountOut, minimum }
}

const sum = <field extends string>(
  legs: readonly Readonly<Record<field, bigint>>[],
  field: field,
): bigint => legs.reduce((total, leg) => total + leg[field], 0n)

/** The service's own fee: no more than policy allows, for whom we know, vouched for by the signer we know. */
export function checkFee({ swap }: Decoded, pins: Pins, checks: Checklist) {
  const { feeRate, feeRecipient, signer } = swap.widgetFee
  checks.holds(
    'fee-rate',
    feeRate <= BigInt(pins.feeBpsMax),
    `at most ${pins.feeBpsMax} bps`,
    `${feeRate} bps`,
  )
  const known = [pins.feeSigner, ...pins.feeRecipients]
  checks.holds(
    'fee-recipient',
    feeRate === 0n || known.some((one) => sameAddress(one, feeRecipient)),
    known.join(' or '),
    feeRate === 0n ? 'nobody, since there is no fee' : feeRecipient,
  )
  checks.equal('fee-signer', pins.feeSigner, signer)
}
