import { type Amount, show } from '../../core/amount.ts'
import type { Checklist } from '../../core/check.ts'
import { areWithin, type Rounding, roundingOf } from '../../core/rounding.ts'
import type { Permitted } from '../stages.ts'
import { type Deltas, othersText, symbolsText } from './deltasOf.ts'

/**
 * Exactly what is sold leaves the wallet, at least the minimum reaches the recipient, and nothing else moves. A token whose
 * rounding is declared may be off by that, and by no more.
 *
 * With maker legs alone nothing can slip, so then the received amount must be the quoted one to the wei.
 */
export function checkDeltas(
  { intent, amountOut, minimum, orders }: Permitted,
  { unreadable, spent, received, others, rounding }: Deltas & { readonly rounding?: Rounding },
  checks: Checklist,
): void {
  const count = unreadable.length
  checks.holds(
    'balances-readable',
    count === 0,
    '0',
    count === 0 ? '0' : `${count}: ${symbolsText(unreadable)}`,
  )
  const { sell, buy } = intent
  const sold = { moved: { token: sell.token, wei: spent }, told: sell }
  const declared = roundingOf(rounding, sell.token)
  checks.holds('spent', areWithin(declared, spent, sell.wei), exactly(sell, declared), offBy(sold))
  const makersOnly = orders.length > 0 && orders.every(({ signature }) => signature !== '0x')
  const bought = { moved: { token: buy, wei: received }, told: amountOut }
  const slack = roundingOf(rounding, buy)
  checks.holds(
    'received',
    makersOnly ? areWithin(slack, received, amountOut.wei) : received >= minimum.wei,
    makersOnly ? `exactly ${exactly(amountOut, slack)}` : `at least ${show(minimum)}`,
    makersOnly ? offBy(bought) : show(bought.moved),
  )
  checks.equal('nothing-else-moves', othersText({ others: [] }), othersText({ others }))
}

const exactly = (amount: Amount, slack: bigint) =>
  slack === 0n ? show(amount) : `${show(amount)}, give or take ${slack} wei`

/** So far off is what a token rounds; further, it takes something or changes balances by itself. */
const roundsBy = 10n

/** What moved and, where it is not what was told, which kind of token does that and what to do about it. */
function offBy({ moved, told }: { moved: Amount; told: Amount }): string {
  const [off, { symbol }] = [moved.wei - told.wei, told.token]
  if (off === 0n || moved.wei === 0n) return show(moved)
  return areWithin(roundsBy, off, 0n)
    ? `${show(moved)}, ${off < 0n ? -off : off} wei off: where ${symbol} rounds, as stETH and aTokens do, write rounding: 2 wei at tokens.${symbol}`
    : `${show(moved)}: a ${symbol} that takes a fee or changes balances in a transfer is not traded, so remove it from policy.tokens`
}
