import type { Eip2612Permit } from '../../../src/chain/settlement/permit.ts'
import { router, usdc } from '../verify/goodQuote.ts'

/** What a wallet is asked to sign for a token of the good quote. */
export const aPermit: Omit<Eip2612Permit, 'owner'> = {
  name: 'USD Coin',
  version: '2',
  chainId: 31_337,
  token: usdc.address,
  spender: router,
  wei: 30_000_000n,
  nonce: 4n,
  deadline: 1_800_000_030,
}
