import { recoverMessageAddress } from 'viem'
import { checkpointText } from '../bot/journal/archive/checkpointText.ts'
import type { Checkpoint } from '../bot/journal/archiveJournal.ts'
import type { KeyHolder } from '../bot/sign/createSigner.ts'
import type { Hex } from '../chain/calls/fields.ts'
import type { Config } from '../config/config.ts'
import { BallastError, ballastError } from '../core/errors.ts'
import { sameAddress } from '../core/token.ts'
import { openKeyHolder } from './openKeyHolder.ts'

type Of = Pick<Config, 'chain' | 'wallet'>

const textOf = ({ chain, wallet }: Of, checkpoint: Checkpoint) =>
  checkpointText({ ...checkpoint, chainId: chain.chainId, wallet: wallet.address })

/** Signs checkpoints with a holder of the wallet's key; undefined of one that signs no messages. */
export const signWith =
  (config: Of, { signMessage }: Pick<KeyHolder, 'signMessage'>) =>
  async (checkpoint: Checkpoint): Promise<Hex | undefined> => {
    const signature = await signMessage?.(textOf(config, checkpoint))
    if (signature === undefined || (await signedByWallet(config)({ ...checkpoint, signature })))
      return signature
    throw ballastError('SIGNED_DIFFERS', 'The signer answered with a signature of another key.', {
      field: 'checkpoint',
      asked: config.wallet.address,
    })
  }

/** The same with the holder that is configured, opened for this alone; undefined where no key is at hand. */
export const signOnce = (config: Of) => async (checkpoint: Checkpoint) => {
  await using opened = new AsyncDisposableStack()
  try {
    const holder = opened.adopt(await openKeyHolder(config.wallet), (one) => one.close?.())
    return await signWith(config, holder)(checkpoint)
  } catch (error) {
    // An archive is worth having without it, and says that it has none.
    if (error instanceof BallastError && keyless.includes(error.code)) return undefined
    throw error
  }
}

const keyless: readonly string[] = ['WALLET_KEY_MISSING', 'PASSWORD_MISSING']

/** Whether the key of the wallet signed a checkpoint. */
export const signedByWallet =
  (config: Of) =>
  async ({
    signature = '0x',
    ...checkpoint
  }: Checkpoint & { readonly signature?: Hex | undefined }) => {
    const message = textOf(config, checkpoint)
    const signer = await recoverMessageAddress({ message, signature }).catch(() => undefined)
    return signer !== undefined && sameAddress(signer, config.wallet.address)
  }
