import type { KeyHolder } from '../bot/sign/createSigner.ts'
import { localKey } from '../bot/sign/localKey.ts'
import type { WalletConfig } from '../config/wallet.ts'
import { ballastError } from '../core/errors.ts'

/**
 * The holder of the wallet's key, as `wallet.signer` names it. Only the chosen kind is loaded. Not believed:
 * `createSigner` compares its address and everything it signs.
 */
export async function openKeyHolder({
  name,
  address,
  key,
  signer,
}: WalletConfig): Promise<KeyHolder> {
  switch (signer.kind) {
    case 'environment':
      if (key === undefined)
        throw ballastError('WALLET_KEY_MISSING', `A live swap needs the key of wallet '${name}'.`, {
          set: `WALLET_KEY_${name.toUpperCase().replaceAll('-', '_')} or WALLET_KEY`,
        })
      return localKey(key)
    case 'keystore': {
      const { file, passwordFile } = signer
      if (passwordFile === undefined)
        throw ballastError('PASSWORD_MISSING', 'The keystore needs its password.', {
          set: 'WALLET_PASSWORD_FILE to a file of mode 600 that holds it',
        })
      const { openKeystore } = await import('../bot/sign/keystore/openKeystore.ts')
      const { readPassword } = await import('../bot/sign/keystore/readPrivateFile.ts')
      return openKeystore({ file, password: readPassword(passwordFile) })
    }
    case 'process': {
      const { openProcessSigner } = await import('../bot/sign/process/openProcessSigner.ts')
      return openProcessSigner({ socket: signer.socket })
    }
    case 'web3signer':
    case 'clef': {
      const { openRpcSigner } = await import('../bot/sign/openRpcSigner.ts')
      return openRpcSigner({ kind: signer.kind, url: signer.url.reveal(), wallet: address })
    }
    case 'aws-kms': {
      const { openAwsKms } = await import('../bot/sign/kms/openAwsKms.ts')
      return openAwsKms({ ...signer, endpoint: signer.endpoint?.reveal() })
    }
    case 'gcp-kms': {
      const { openGcpKms } = await import('../bot/sign/kms/openGcpKms.ts')
      return openGcpKms({ ...signer, endpoint: signer.endpoint?.reveal() })
    }
  }
}
