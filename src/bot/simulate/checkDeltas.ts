import type { SimulationResult } from '../../chain/calls/simulate.ts'
import { show } from '../../core/amount.ts'
import type { Checklist } from '../../core/check.ts'
import { type Address, sameAddress, sameToken, type Token } from '../../core/token.ts'
import type { Permitted } from '../stages.ts'

type Balances = {
  readonly probes: readonly { readonly owner: Address; readonly token: Token }[]
  readonly before: readonly SimulationResult[]
  readonly after: readonly SimulationResult[]
}

/**
 * Exactly what is sold leaves the wallet, at least the minimum reaches the recipient, and nothing else moves.
 *
 * With maker legs alone nothing can slip, so then the received amount must be the quoted one to the wei.
 */
export function checkDeltas(
  { intent, wallet, recipient, amountOut, minimum, orders }: Permitted,
  { probes, before, after }: Balances,
  checks: Checklist,
): { spent: bigint; received: bigint } {
  const moved = probes.map((probe, index) => ({
    ...probe,
    delta: read(after[index]) - read(before[index]),
  }))
  const unreadable = [...before, ...after].filter(({ success }) => !success).length
  checks.equal('balances-readable', 0, unreadable)

  const deltaOf = (owner: Address, token: Token) =>
    moved.find((one) => sameAddress(one.owner, owner) && sameToken(one.token, token))?.delta ?? 0n
  const spent = -deltaOf(wallet, intent.sell.token)
  const received = deltaOf(recipient, intent.buy)

  checks.equal('spent', show(intent.sell), show({ token: intent.sell.token, wei: spent }))
  const makersOnly = orders.length > 0 && orders.every(({ signature }) => signature !== '0x')
  checks.holds(
    'received',
    makersOnly ? received === amountOut.wei : received >= minimum.wei,
    makersOnly ? `exactly ${show(amountOut)}` : `at least ${show(minimum)}`,
    show({ token: intent.buy, wei: received }),
  )
  const others = moved.filter(
    ({ owner, token, delta }) =>
      delta !== 0n &&
      !(sameAddress(owner, wallet) && sameToken(token, intent.sell.token)) &&
      !(sameAddress(owner, recipient) && sameToken(token, intent.buy)),
  )
  checks.equal(
    'nothing-else-moves',
    'nothing else',
    others.length === 0
      ? 'nothing else'
      : others.map(({ token, delta }) => show({ token, wei: delta })).join(', '),
  )
  return { spent, received }
}

const read = (result: SimulationResult | undefined) =>
  result?.success === true && result.data.length === 66 ? BigInt(result.data) : 0n
