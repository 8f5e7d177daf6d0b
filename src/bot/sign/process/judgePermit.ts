import type { Permit } from '../../../chain/settlement/permit.ts'
import { type Amount, show } from '../../../core/amount.ts'
import { type Address, sameAddress } from '../../../core/token.ts'
import { limitOf, type SignerLimits } from './judge.ts'
import { refused } from './readRequest.ts'

/** A permit is used within its quote's deadline, which is two minutes away at most; clocks differ by less than the rest. */
const permitSecondsMax = 600

/**
 * What a permit lets the router take, or throws SIGNER_REFUSED with the rule it breaks.
 *
 * It is an approval with an end, and bounded as one: by `perTransaction`, never by what may stand. Like an approval it uses up
 * nothing of the day, because the swap that takes the amount does: neither counts twice. A later permit replaces an
 * allowance and adds nothing to it, so however many are signed, one amount is within reach of the router, and the router
 * takes it for a swap that the wallet itself sends.
 */
export function judgePermit(
  { chainId, owner, spender, token: address, wei, deadline }: Permit,
  { wallet, limits, now }: { wallet: Address; limits: SignerLimits; now: number },
): Amount {
  if (chainId !== limits.chainId)
    throw refused('WRONG_CHAIN', `it is for chain ${chainId}, not ${limits.chainId}`)
  if (!sameAddress(owner, wallet))
    throw refused('WRONG_OWNER', `it is of ${owner}, which is not the wallet`)
  if (!sameAddress(spender, limits.router))
    throw refused('WRONG_SPENDER', `it permits ${spender}, which is not the router`)
  const limit = limitOf(address, limits)
  if (limit === undefined) throw refused('UNKNOWN_TOKEN', `${address} is no listed token`)
  const { token, perTransaction } = limit
  if (wei > perTransaction)
    throw refused(
      'ABOVE_PER_TRANSACTION',
      `it permits ${show({ token, wei })}, more than ${show({ token, wei: perTransaction })}`,
    )
  const seconds = deadline - Math.floor(now / 1_000)
  if (seconds > permitSecondsMax)
    throw refused('FAR_DEADLINE', `it is good for ${seconds} s, more than ${permitSecondsMax}`)
  return { token, wei }
}
