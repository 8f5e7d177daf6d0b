import type { Checklist } from '../../core/check.ts'
import { sameAddress } from '../../core/token.ts'
import type { Decoded } from './decode.ts'
import type { Pins } from './pins.ts'

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
