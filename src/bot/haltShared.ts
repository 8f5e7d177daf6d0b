import { BallastError } from '../core/errors.ts'
import type { Address } from '../core/token.ts'
import type { Drivetrain } from './drivetrain.ts'

/**
 * The network holds another transaction under a nonce for which we signed only this one: somebody else signs with this
 * key. Nothing more is signed or sent, over restarts too, until a person has looked. What is signed stays undecided.
 */
export async function haltShared(wallet: Address, { journal }: Drivetrain): Promise<never> {
  const reason = 'Another transaction of this wallet waits under the nonce of ours.'
  await journal.openLock({
    kind: 'halt',
    scope: `wallet ${wallet.toLowerCase()}`,
    code: 'NONCE_SHARED',
    reason,
    expiresAt: undefined,
  })
  throw new BallastError(reason, {
    code: 'NONCE_SHARED',
    remedy: 'halt',
    fault: 'locked',
    facts: { wallet, next: 'find out who, then: ballast resume --reason …' },
  })
}
