import type { Address } from '../../../core/token.ts'

/** The one text that the wallet's key signs of an archive: which log it is of, up to where, and which file. */
export const checkpointText = ({
  chainId,
  wallet,
  upto,
  hash,
  sha256,
}: {
  readonly chainId: number
  readonly wallet: Address
  readonly upto: number
  readonly hash: string
  readonly sha256: string
}): string =>
  [
    'Ballast: an archive of the journal',
    `chain ${chainId}`,
    `wallet ${wallet.toLowerCase()}`,
    `entry ${upto}`,
    `hash ${hash}`,
    `sha256 ${sha256}`,
  ].join('\n')
