import { isTransfer } from '../../chain/settlement/permit.ts'
import { permit2Address } from '../../chain/settlement/permit2.ts'
import type { Address } from '../../core/token.ts'
import type { Permitted } from '../stages.ts'

/** Who takes the token sold from the wallet: Permit2 where the call brings a transfer of it, else the router. */
export const spenderOf = ({ call, signedPermit }: Permitted): Address =>
  isTransfer(signedPermit) ? permit2Address : call.to
