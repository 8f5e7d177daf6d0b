import { getAddress } from 'viem/utils'
import type { Amount } from '../core/amount.ts'
import type { Address } from '../core/token.ts'
import type { BallastProfile, OpaqueProfile } from './config.ts'
import type { FileText } from './fileSchema.ts'

/** The cross-check has seen that each profile has its keys. */
export function profileOf(
  {
    profile,
    executor,
    feeSigner,
    feeRecipients,
    makers,
    selectors,
    maxNotional,
  }: FileText['service'],
  amount: (text: string) => Amount,
): BallastProfile | OpaqueProfile {
  if (profile === 'opaque')
    return {
      kind: 'opaque',
      selectors: (selectors ?? []).map((text) => text.toLowerCase() as `0x${string}`),
      notionalMax: amount(maxNotional ?? ''),
    }
  return {
    kind: 'ballast',
    executor: address(executor ?? ''),
    feeSigner: address(feeSigner ?? ''),
    feeRecipients: (feeRecipients ?? []).map(address),
    makers: (makers ?? []).map(address),
  }
}

const address = (text: string): Address => getAddress(text)
