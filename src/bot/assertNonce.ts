import { BallastError } from '../core/errors.ts'
import type { Address } from '../core/token.ts'
import type { Drivetrain } from './drivetrain.ts'

/**
 * Before a signature: the nonce the chain expects is the one the journal gives next. The journal asks again when it
 * takes the nonce, but bytes for a nonce of a lying endpoint would be signed by then, and stay good for the day it comes.
 */
export async function assertNonce(
  { wallet, nonce }: { wallet: Address; nonce: number },
  { journal, chainId }: Drivetrain,
): Promise<void> {
  const state = await journal.walletState({ chainId, wallet })
  if (state?.nextNonce === nonce) return
  // What is decided is deep, so a lower one is of a node that lags behind the one that showed it.
  if (state !== undefined && nonce < state.nextNonce)
    throw new BallastError('The RPC endpoint expects a nonce that is already spent: it lags.', {
      code: 'NODE_BEHIND',
      remedy: 'retry',
      fault: 'upstream',
      facts: { wallet, nonceOfChain: nonce, nonceOfJournal: state.nextNonce },
    })
  throw new BallastError(
    'The nonce the chain expects is not the one the journal would give next.',
    {
      code: 'NONCE_DIVERGED',
      remedy: 'halt',
      fault: 'locked',
      facts: {
        wallet,
        nonceOfChain: nonce,
        nonceOfJournal: state?.nextNonce,
        next: 'find out who signs with this key; if this journal is an old copy, put the newest back; then: ballast resume --reason "…"',
      },
    },
  )
}
