import { BallastError } from '../core/errors.ts'
import type { Address } from '../core/token.ts'
import type { Drivetrain } from './drivetrain.ts'

/** Why a swap ends when its nonce was taken by a transaction that is not ours. */
export const displaced = {
  code: 'NONCE_TAKEN',
  reason: 'Another transaction of this wallet took the nonce; none of ours was mined.',
}

/** Somebody else signs with this key: nothing more is signed, over restarts too, until a person has looked. */
export async function haltDisplaced(wallet: Address, { journal }: Drivetrain): Promise<never> {
  await journal.openLock({
    kind: 'halt',
    scope: `wallet ${wallet.toLowerCase()}`,
    ...displaced,
    expiresAt: undefined,
  })
  throw new BallastError(displaced.reason, {
    code: displaced.code,
    remedy: 'halt',
    fault: 'locked',
    facts: { wallet, next: 'find out who, then: ballast resume --reason …' },
  })
}
