import { encodeExactInputWithPermit } from '../../chain/settlement/codec.ts'
import type { Permit } from '../../chain/settlement/permit.ts'
import { assert } from '../../core/assert.ts'
import { Refused } from '../../core/check.ts'
import { BallastError, ballastError } from '../../core/errors.ts'
import type { Funded, Permitted, Planned, Simulated } from '../stages.ts'
import { requote } from '../swap.ts'
import { approvedBy, sendApprovals } from './approvals.ts'
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
  { planned, unfunded }: { planned: Planned; unfunded: Funded },
  train: Drivetrain,
  signal?: AbortSignal,
): Promise<Simulated | undefined> {
  if (train.signer.signPermit === undefined) return undefined
  if (unfunded.tokenPermit !== undefined)
    return examineWithPermit({ ...unfunded, approvals: [], allowanceLeft: 0n }, train, signal)
  const approved = await approvePermit2({ planned, unfunded }, train, signal)
  return approved && examineWithPermit(approved, train, signal)
}

/**
 * The swap with the allowance of Permit2 in place of the router's, once that is there. What is missing of it is approved as
 * the router's would be: after the whole swap was examined with it. Undefined where Permit2 is of no use to it.
 */
async function approvePermit2(
  { planned, unfunded }: { planned: Planned; unfunded: Funded },
  train: Drivetrain,
  signal?: AbortSignal,
): Promise<Funded | undefined> {
  const wanted = throughPermit2(unfunded)
  if (wanted === undefined || wanted.approvals.length === 0) return wanted
  if ((await examineWithPermit(wanted, train, signal)) === undefined) return undefined
  await sendApprovals(wanted, train, signal)
  return approvedBy(async () => throughPermit2(await train.reading.fund(planned)), {
    train,
    signal,
  })
}

function throughPermit2(funded: Funded): Funded | undefined {
  if (funded.permit2 === undefined) return undefined
  const { approvals, allowanceSlot, allowanceLeft } = funded.permit2
  return { ...funded, approvals, allowanceSlot, allowanceLeft }
}

/** Undefined where the simulation shows that the permit does not do what it should. */
async function examineWithPermit(
  funded: Funded,
  train: Drivetrain,
  signal?: AbortSignal,
): Promise<Simulated | undefined> {
  const { reading } = train
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
    train.onTrouble(funded.swapId, error)
    return undefined
  }
}

/** The same swap by the call that brings the permit along. It is durable before any endpoint sees it. */
async function addPermit(
  permitted: Permitted,
  { journal, signer, inspect, chainId }: Drivetrain,
  signal?: AbortSignal,
): Promise<Permitted> {
  const { swapId, call, swap } = permitted
  assert(swap !== undefined, 'a permit is for a router that is read')
  assert(signer.signPermit !== undefined, 'a permit is asked of a holder that signs them')
  const permit = permitFor(permitted, chainId)
  await journal.locks.guard('sign', { swapId })
  const signed = await signer.signPermit(permit)
  inspect.permit(permit, permitted)
  throwIfStopped(signal)
  await journal.attempts.commitPermit({ swapId, permit, signed })
  const data = encodeExactInputWithPermit(swap, signed)
  return { ...permitted, call: { ...call, data }, signedPermit: signed }
}

function permitFor(
  { wallet, call, deadline, tokenPermit, permit2, authorization, intent }: Permitted,
  chainId: number,
): Permit {
  const { token, wei } = intent.sell
  const terms = { chainId, token: token.address, owner: wallet, spender: call.to, wei, deadline }
  if (tokenPermit !== undefined) {
    const { name, version, nonce } = tokenPermit
    return { ...terms, name, version, nonce }
  }
  assert(permit2 !== undefined && authorization !== undefined, 'a swap names what moves its token')
  return { ...terms, nonce: permit2.nonce, authorization }
}

/** Checks that a permit alone can fail. Others are the quote's, and another quote may pass them. */
const ofPermit = [
  'approvals',
  'approval-writes',
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

/** A maker that cannot deliver fails the swap too, whatever moves the token: that is the quote's. */
const ofMaker = 'simulate.maker-'

function isOfPermit(error: unknown): error is Refused {
  if (!(error instanceof Refused)) return false
  const failed = error.checks.flatMap(({ ok, name }) => (ok ? [] : name))
  return (
    failed.some((name) => ofPermit.includes(name)) &&
    !failed.some((name) => name.startsWith(ofMaker))
  )
}

const unusable = (cause: Refused): BallastError =>
  ballastError(
    'PERMIT_UNUSABLE',
    'The token, or Permit2, does not do with a permit what it should.',
    { simulated: cause.summary },
    cause,
  )
