import type { Hex } from '../calls/fields.ts'

const approvalOfNothing = /^0x095ea7b3[0-9a-f]{64}0{64}$/i

/** Whether a call of a token is an approval of nothing, which takes an allowance back. */
export const isRevocation = (data: Hex): boolean => approvalOfNothing.test(data)
