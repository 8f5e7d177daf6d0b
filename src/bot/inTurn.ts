import { BallastError } from '../core/errors.ts'
import type { Journal } from './journal/openJournal.ts'
import type { Signer } from './sign/createSigner.ts'

/**
 * Signs only for the nonce the journal would give next. The commit after the signature holds to the same, but by then
 * there are signed bytes: with a nonce that lies ahead they stay good for as long as the wallet lives.
 *
 * A cancellation repeats the nonce of what it cancels.
 */
export function inTurn(
  signer: Signer,
  { journal, chainId }: { journal: Pick<Journal, 'walletState'>; chainId: number },
): Signer {
  return {
    ...signer,
    async sign(what) {
      const { kind, transaction } = what
      const wallet = signer.address
      const known = await journal.walletState({ chainId, wallet })
      if (kind !== 'CANCEL' && known?.nextNonce !== transaction.nonce)
        throw new BallastError(
          'The nonce the chain expects is not the one the journal would give next.',
          {
            code: 'NONCE_DIVERGED',
            remedy: 'halt',
            fault: 'locked',
            facts: { wallet, nonceOfChain: transaction.nonce, nonceOfJournal: known?.nextNonce },
          },
        )
      return signer.sign(what)
    },
  }
}
