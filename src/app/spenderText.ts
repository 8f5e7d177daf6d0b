import { permit2Address } from '../chain/settlement/permit2.ts'
import { type Address, sameAddress } from '../core/token.ts'

/** A spender for a person: Permit2 is the same address on every chain, so it has a name. */
export const spenderText = (spender: Address): string =>
  sameAddress(spender, permit2Address) ? `Permit2 (${spender})` : spender
