import { dirname, resolve } from 'node:path'
import { secretUrl } from '../core/secret.ts'
import type { SignerConfig } from './config.ts'
import type { FileText } from './fileSchema.ts'

/** Who holds the key. Paths are relative to the configuration file. */
export function signerOf(
  signer: FileText['wallet']['signer'],
  { file, passwordFile }: { file: string; passwordFile: string | undefined },
): SignerConfig {
  const beside = (path: string) => resolve(dirname(file), path)
  switch (signer.kind) {
    case 'environment':
      return { kind: signer.kind }
    case 'keystore':
      return {
        kind: signer.kind,
        file: beside(signer.file),
        passwordFile: passwordFile === undefined ? undefined : beside(passwordFile),
      }
    case 'process':
      return { kind: signer.kind, socket: beside(signer.socket) }
    case 'web3signer':
    case 'clef':
      return { kind: signer.kind, url: secretUrl(signer.url) }
    case 'aws-kms':
    case 'gcp-kms':
      return {
        ...signer,
        endpoint: signer.endpoint === undefined ? undefined : secretUrl(signer.endpoint),
      }
  }
}
