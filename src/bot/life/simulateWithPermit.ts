import { encodeExactInputWithPermit } from '../../chain/settlement/codec.ts'
import type { Permit } from '../../chain/settlement/permit.ts'
import { assert } from '../../core/assert.ts'
import { Refused } from '../../core/check.ts'
import { BallastError, ballastError } from '../../core/errors.ts'
import type { Funded, Permitted, Simulated } from '../stages.ts'
import { requote } from '../swap.ts'
import { type Drivetrain, throwIfStopped } from './train.ts'

/**
 * Examines a swap that brings its allowance along, as it will be sent: with a permit that is signed and stored by then.
 * Undefined where the token takes none, the holder of the key signs none, or the simulation shows that this one does not do
 * what it should: then an approval comes first.
 *
 * A permit lets the pinned router take this amount from this wallet until the quote's deadline, and moves nothing by itself.
 * An endpoint sees it in the simulation, so from its storing on it counts as used.
 */
export async function simulateWithPermit(
  unfunded: Funded,
  train: Drivetrain,
  signal?: AbortSignal,
): Promise<Simulated | undefined> {
  if (unfunded.tokenPermit === undefined || train.signer.signPermit === undefined) return undefined
  const { reading } = train
  const funded = { ...unfunded, approvals: [], allowanceLeft: 0n }
  const simulate = async (permitted: Permitted) => {
    const bearing = await addPermit(permitted, train, signal)
    return reading.simulate(bearing).catch((error: unknown) => {
      throw isOfPermit(error) ? unusable(error) : error
    })
  }
  try {
    return await requote(funded, { ...reading, simulate })
  } catch (error) {
    if (!(error instanceof BallastError) || error.code !== 'PERMIT_UNUSABLE') throw error
    train.onTrouble(unfunded.swapId, error)
    return undefined
  }
}

/** The same swap by the call that brings the permit along. It is durable before any endpoint sees it. */
async function addPermit(
  permitted: Permitted,
  { journal, signer, inspect, chainId }: Drivetrain,
  signal?: AbortSignal,
): Promise<Permitted> {
  const { swapId, wallet, call, swap, deadline, tokenPermit, intent } = permitted
  assert(swap !== undefined && tokenPermit !== undefined, 'a permit is for a router that is read')
  assert(signer.signPermit !== undefined, 'a permit is asked of a holder that signs them')
  const { name, version, nonce } = tokenPermit
  const { token, wei } = intent.sell
  const permit: Permit = {
    ...{ name, version, chainId, token: token.address },
    ...{ owner: wallet, spender: call.to, wei, nonce, deadline },
  }
  await journal.locks.guard('sign', { swapId })
  const signed = await signer.signPermit(permit)
  inspect.permit(permit, permitted)
  throwIfStopped(signal)
  await journal.attempts.commitPermit({ swapId, permit, signed })
  const data = encodeExactInputWithPermit(swap, signed)
  return { ...permitted, call: { ...call, data }, signedPermit: signed }
}

/** Checks that a token's permit alone can fail. Others are the quote's, and another quote may pass them. */
const ofPermit = [
  'swap',
  'swap-at-deadline',
  'spent',
  'nothing-else-moves',
  'allowance-left',
  'permit-used',
  'storage-layout',
  'storage-writes',
  'gas-limit',
].map((name) => `simulate.${name}`)

const isOfPermit = (error: unknown): error is Refused =>
  error instanceof Refused && error.checks.some(({ ok, name }) => !ok && ofPermit.includes(name))

const unusable = (cause: Refused): BallastError =>
  ballastError(
    'PERMIT_UNUSABLE',
    'The token does not do with a permit what it should.',
    { simulated: cause.summary },
    cause,
  )
