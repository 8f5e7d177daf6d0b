import { createDigests } from '../../chain/crypto/createDigests.ts'
import { loadEngine } from '../../chain/crypto/recoverSigner.ts'
import { createChecklist } from '../../core/check.ts'
import type { Clock } from '../../core/clock.ts'
import { pass, type Quoted, type Verified } from '../stages.ts'
import { checkAmounts, checkFee } from './checkAmounts.ts'
import { checkDeadlines } from './checkDeadlines.ts'
import { checkEquality } from './checkEquality.ts'
import { checkLegs, checkParties } from './checkLegs.ts'
import { checkSignatures } from './checkSignatures.ts'
import { decode, legible } from './decode.ts'
import type { Pins } from './pins.ts'

/**
 * Holds a firm quote to the request, to its own calldata and to the intent's floor, offline.
 *
 * The JSON is a claim. Everything that moves money is read from the decoded calldata; where the JSON differs the quote
 * is refused, because a service that contradicts itself is broken or lying.
 */
export function createVerify({ pins, clock }: { pins: Pins; clock: Clock }) {
  // Loaded now, so that no quote waits for it.
  const ready = loadEngine().then(({ keccak256 }) => createDigests(pins, keccak256))
  // The first quote that needs it reports a failure: there may be none.
  ready.catch(() => undefined)

  return async function verify(claimed: Quoted): Promise<Verified> {
    const quoted = legible(claimed)
    const checks = createChecklist('verify', { remedy: 'requote' })
    const decoded = decode(quoted, pins, checks)
    checkEquality(quoted, decoded, checks)
    checkParties({ quoted, decoded, pins }, checks)
    checkLegs({ quoted, decoded, pins }, checks)
    const { amountOut, minimum } = checkAmounts(quoted, decoded, checks)
    checkFee(decoded, pins, checks)
    const now = Math.floor(clock.now() / 1_000)
    const deadline = checkDeadlines({ quoted, decoded, pins, now }, checks)
    const digests = await ready
    const authorization = await checkSignatures({ quoted, decoded, pins, digests }, checks)

    const { target, value } = quoted.quote.txRequest
    const facts = {
      call: { to: target, data: quoted.quote.txRequest.calldata, value: BigInt(value) },
      swap: decoded.swap,
      orders: decoded.orders,
      quoteId: decoded.orders[0]?.order.quoteId ?? '',
      authorization,
      deadline,
      amountOut,
      minimum,
      checks: checks.conclude(),
    }
    return pass<Verified>({ ...quoted, ...facts })
  }
}
