import type { Hex } from '../../chain/calls/fields.ts'
import { compiledAccount } from '../../chain/crypto/compiledAccount.ts'
import { permitTypedData } from '../../chain/settlement/permit.ts'
import type { Secret } from '../../core/secret.ts'
import type { KeyHolder } from './createSigner.ts'

/** A plain key in memory. For development: `config` refuses one on a mainnet. */
export function localKey(key: Secret): KeyHolder {
  const { address, signTransaction, signMessage, signTypedData } = compiledAccount(
    key.reveal() as Hex,
  )
  return {
    address,
    signTransaction: (transaction) => signTransaction(transaction),
    signMessage: (message) => signMessage({ message }),
    signPermit: (permit) => signTypedData(permitTypedData(permit)),
  }
}
