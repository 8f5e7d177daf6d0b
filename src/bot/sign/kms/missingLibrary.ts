import { BallastError } from '../../../core/errors.ts'

/** The client of a KMS is optional: most wallets need none of them. */
export function missingLibrary(name: string, cause: unknown): BallastError {
  return new BallastError(
    `wallet.signer needs the package ${name}, which is not installed: npm install ${name}`,
    { code: 'SIGNER_LIBRARY_MISSING', remedy: 'halt', fault: 'usage', cause },
  )
}
