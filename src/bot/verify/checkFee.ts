import type { Checklist } from '../../core/check.ts'
import type { Decoded } from './decode.ts'
import type { Pins } from './pins.ts'

/** The service's own fee: no more than policy allows, vouched for by the signer we know. */
export function checkFee({ swap }: Decoded, pins: Pins, checks: Checklist) {
  checks.holds(
    'fee-rate',
    swap.widgetFee.feeRate <= BigInt(pins.feeBpsMax),
    `at most ${pins.feeBpsMax} bps`,
    `${swap.widgetFee.feeRate} bps`,
  )
  checks.equal('fee-signer', pins.feeSigner, swap.widgetFee.signer)
}
