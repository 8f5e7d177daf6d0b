import type { Hex } from '../chain/calls/fields.ts'
import type { Receipt } from '../chain/calls/getReceipt.ts'
import { gasOfApproval } from '../chain/gasOfApproval.ts'
import { assert } from '../core/assert.ts'
import { Refused } from '../core/check.ts'
import type { Clock } from '../core/clock.ts'
import { BallastError } from '../core/errors.ts'
import { withoutSecrets } from '../core/secret.ts'
import type { Address } from '../core/token.ts'
import type { BroadcastAnswer } from './broadcast/broadcast.ts'
import type { Measured } from './confirm/measure.ts'
import { type Attempt, attemptsOf, type Swap } from './journal/load.ts'
import type { Journal } from './journal/openJournal.ts'
import { next, type Observation, type Step } from './next.ts'
import type { Signer } from './sign/createSigner.ts'
import type {
  AttemptKind,
  Fees,
  Funded,
  Journaled,
  Planned,
  Reading,
  Simulated,
  Transaction,
} from './stages.ts'
import { isFinal } from './state.ts'
import { examine } from './swap.ts'

/** All that a live swap needs. The journal and the signer make it live: a dry run has neither. */
export type Drivetrain = {
  readonly reading: Reading
  readonly signer: Signer
  readonly journal: Journal
  readonly chainId: number
  readonly confirmations: number
  readonly clock: Clock
  /** How often the chain is looked at while something is undecided. */
  readonly pollMs: number
  readonly broadcast: (journaled: Journaled) => Promise<BroadcastAnswer>
  readonly observe: <kind extends AttemptKind>(watched: {
    readonly wallet: Address
    readonly authorization: Hex | undefined
    readonly attempts: readonly { readonly kind: kind; readonly hash: Hex }[]
  }) => Promise<Observation<kind>>
  readonly measure: (swap: Swap, receipt: Receipt) => Promise<Measured>
  /** Fees for a transaction without a quote's hurry: approvals and cancellations. */
  readonly fees: (gas: bigint) => Promise<Fees & { readonly nonce: number }>
  /** Told of trouble that does not end a swap: an endpoint that is away, an answer that is unclear. */
  readonly onTrouble: (swapId: string, error: unknown) => void
}

type Finish = Extract<Step, { do: 'finish' }>

/** A self-transfer of nothing. */
const gasOfCancel = 21_000n

/**
 * Takes a planned swap to its end.
 *
 * Each turn reads what is durable, looks at the chain and does the one step that {@link next} allows. A crash between
 * any two lines is continued by {@link resume}, which is the same loop.
 */
export async function drive(
  planned: Planned,
  train: Drivetrain,
  signal?: AbortSignal,
): Promise<Swap> {
  try {
    await prepare(planned, train, signal)
  } catch (error) {
    const swap = await train.journal.load(planned.swapId)
    const unsigned = swap.state === 'PLANNED' || swap.state === 'VERIFIED'
    // An approval that is still open keeps its swap open: the next start finishes it before anything else.
    if (!unsigned || attemptsOf(swap, 'APPROVE').some(({ closed }) => !closed)) throw error
    await train.journal.close({
      swapId: planned.swapId,
      as: error instanceof Refused && swap.state === 'PLANNED' ? 'REJECTED' : 'ABANDONED',
      ...tell(error),
    })
    throw error
  }
  return follow(planned.swapId, train, signal)
}

/**
 * Continues what an earlier process left undecided.
 *
 * A swap without signed bytes is abandoned, never signed late: its trigger is old, and the strategy will be asked again.
 * One with signed bytes is followed to its end, whatever that is.
 */
export async function resume(
  swapId: string,
  train: Drivetrain,
  signal?: AbortSignal,
): Promise<Swap> {
  await finishApprovals(swapId, train, signal)
  const swap = await train.journal.load(swapId)
  if (swap.state === 'PLANNED' || swap.state === 'VERIFIED')
    await train.journal.close({
      swapId,
      as: 'ABANDONED',
      code: 'INTERRUPTED',
      reason: 'The process ended before anything was signed.',
    })
  return follow(swapId, train, signal)
}

/** From the plan to durable signed bytes. The allowance comes first, so that the quote's clock is not spent on it. */
async function prepare(planned: Planned, train: Drivetrain, signal?: AbortSignal): Promise<void> {
  const { reading, journal, signer, chainId } = train
  const funded = await arrange(planned, train, signal)
  const simulated = await patientExamine(funded, reading)
  await journal.commitQuote(simulated)

  const { call, fees, nonce, deadline, swapId } = simulated
  const transaction: Transaction = { ...call, ...fees, nonce, chainId }
  const signed = await signer.sign({ swapId, kind: 'SWAP', transaction })
  // Stopped before the commit is stopped: nothing was stored, so nothing can be sent.
  signal?.throwIfAborted()
  const bytes = await journal.commitSwap(signed, deadline)
  // Straight on to the network: between the firm quote and this call lies one round trip, the simulation's.
  await send({ bytes }, { train, block: simulated.simulation.block })
}

/** Quotes asked for one plan while nothing is signed. */
const quotesMax = 3

/** Asks again when what was refused was this quote and not the wish: a price that moved, a deadline too near. */
async function patientExamine(funded: Funded, reading: Reading): Promise<Simulated> {
  for (let quotes = 1; ; quotes++) {
    try {
      return await examine(funded, reading)
    } catch (error) {
      const again =
        error instanceof BallastError && error.remedy === 'requote' && quotes < quotesMax
      if (!again) throw error
    }
  }
}

/** Makes the allowance exactly what the swap needs. Each approval is a journaled transaction of its own. */
async function arrange(planned: Planned, train: Drivetrain, signal?: AbortSignal): Promise<Funded> {
  const { reading, journal, signer, chainId } = train
  const unfunded = await reading.fund(planned)
  if (unfunded.approvals.length === 0) return unfunded

  for (const call of unfunded.approvals) {
    const { nonce, ...fees } = await train.fees(gasOfApproval)
    const transaction: Transaction = { ...call, ...fees, nonce, chainId }
    const signed = await signer.sign({ swapId: planned.swapId, kind: 'APPROVE', transaction })
    signal?.throwIfAborted()
    await journal.commitApproval(signed)
    await finishApprovals(planned.swapId, train, signal)
  }
  const funded = await reading.fund(planned)
  if (funded.approvals.length > 0)
    throw new BallastError('The approvals were mined, but the allowance is not what they set.', {
      code: 'APPROVAL_WITHOUT_EFFECT',
      remedy: 'halt',
      fault: 'refused',
      facts: { token: planned.intent.sell.token.symbol },
    })
  return funded
}

/** Sends what is open and waits until it is mined and deep. An approval has no deadline: it is offered until it is taken. */
async function finishApprovals(
  swapId: string,
  train: Drivetrain,
  signal?: AbortSignal,
): Promise<void> {
  for (;;) {
    const swap = await train.journal.load(swapId)
    const open = attemptsOf(swap, 'APPROVE').find(({ closed }) => !closed)
    if (open === undefined) return
    const moved = await patiently(swapId, train, async () => {
      const { wallet, hash } = open.bytes
      const { head, deepNonce, receipts, unsettled } = await train.observe({
        wallet,
        authorization: undefined,
        attempts: [{ kind: 'APPROVE', hash }],
      })
      const [mined] = receipts
      if (mined === undefined) {
        const { nonce } = open.bytes.transaction
        if (
          !unsettled &&
          deepNonce !== undefined &&
          deepNonce > nonce &&
          (await confirmedGone(open, train))
        ) {
          await train.journal.abandonApproval({ hash })
          await train.journal.haltWallet({ wallet, chainId: train.chainId, ...displaced })
          throw foreign(wallet)
        }
        const due = open.sentAtBlock === undefined || head.number >= open.sentAtBlock + 3
        if (due) await send(open, { train, block: head.number })
        return due
      }
      if (head.number < mined.receipt.blockNumber + train.confirmations) return false
      await train.journal.closeApproval({ hash: open.bytes.hash, receipt: mined.receipt })
      return true
    })
    if (moved) continue
    // Offered or not, it is in the journal: the next start finishes it.
    signal?.throwIfAborted()
    await train.clock.sleep(train.pollMs)
  }
}

/** An approval has no authorisation to ask the router about, so its absence is looked at twice, a while apart. */
async function confirmedGone({ bytes }: Attempt, train: Drivetrain): Promise<boolean> {
  await train.clock.sleep(10 * train.pollMs)
  const { wallet, hash, transaction } = bytes
  const { deepNonce, receipts, unsettled } = await train.observe({
    wallet,
    authorization: undefined,
    attempts: [{ kind: 'APPROVE', hash }],
  })
  return (
    receipts.length === 0 && !unsettled && deepNonce !== undefined && deepNonce > transaction.nonce
  )
}

/** Looks, asks {@link next}, does it; until the swap has an end or the process is asked to stop. */
async function follow(swapId: string, train: Drivetrain, signal?: AbortSignal): Promise<Swap> {
  for (;;) {
    const swap = await train.journal.load(swapId)
    if (isFinal(swap.state)) return swap
    const moved = await patiently(swapId, train, async () => {
      const { wallet } = swap.plan
      const attempts = [...hashesOf(swap, 'SWAP'), ...hashesOf(swap, 'CANCEL')]
      const { authorization } = swap
      const seen = await train.observe({ wallet, authorization, attempts })
      const step = next(swap, seen, train.confirmations)
      await perform(step, { swap, train, block: seen.head.number })
      return step.do !== 'wait'
    })
    if (moved) continue
    // A signed swap needs nobody to watch it: the next start continues from the journal.
    if (signal?.aborted === true) return swap
    await train.clock.sleep(train.pollMs)
  }
}

const hashesOf = <kind extends AttemptKind>(swap: Swap, kind: kind) =>
  attemptsOf(swap, kind).map(({ bytes: { hash } }) => ({ kind, hash }))

/** An endpoint that is away moves nothing and ends nothing. */
async function patiently(
  swapId: string,
  train: Drivetrain,
  turn: () => Promise<boolean>,
): Promise<boolean> {
  try {
    return await turn()
  } catch (error) {
    if (!(error instanceof BallastError) || error.fault !== 'upstream') throw error
    train.onTrouble(swapId, error)
    return false
  }
}

async function perform(
  step: Step,
  { swap, train, block }: { swap: Swap; train: Drivetrain; block: number },
): Promise<void> {
  const { journal } = train
  const { swapId } = swap.plan
  switch (step.do) {
    case 'send': {
      const attempt = attemptsOf(swap, step.kind).at(-1)
      assert(attempt !== undefined, 'what is to be sent was journaled')
      return send(attempt, { train, block })
    }
    case 'cancel':
      return cancel(swap, train)
    case 'include':
      return journal.include({ swapId, receipt: step.receipt })
    case 'uninclude':
      return journal.uninclude({ swapId })
    case 'displace':
      await journal.close({ swapId, as: 'DISPLACED', ...displaced })
      await journal.haltWallet({ wallet: swap.plan.wallet, chainId: train.chainId, ...displaced })
      throw foreign(swap.plan.wallet)
    case 'finish':
      return finish(step, swap, train)
    case 'wait':
    case 'nothing':
      return
    case 'prepare':
      throw new Error('a swap without signed bytes is not followed')
  }
}

const displaced = {
  code: 'NONCE_TAKEN',
  reason: 'Another transaction of this wallet took the nonce; none of ours was mined.',
}

/** Somebody else signs with this key: nothing more is signed until a person has looked. */
const foreign = (wallet: Address) =>
  new BallastError(displaced.reason, {
    code: displaced.code,
    remedy: 'halt',
    fault: 'locked',
    facts: { wallet, next: 'find out who, then: ballast resume --reason …' },
  })

async function send(
  { bytes }: Pick<Attempt, 'bytes'>,
  { train, block }: { train: Drivetrain; block: number },
): Promise<void> {
  const { verdict, words } = await train.broadcast(bytes)
  const { hash, swapId } = bytes
  await train.journal.noteSent({ hash, swapId, block, accepted: verdict === 'accepted', words })
}

/** Closes the nonce of a swap whose deadline has passed, with a fee that replaces it in any mempool. */
async function cancel(swap: Swap, train: Drivetrain): Promise<void> {
  const { wallet, swapId } = swap.plan
  const old = attemptsOf(swap, 'SWAP').at(-1)?.bytes.transaction
  assert(old !== undefined, 'only a signed swap is cancelled')
  const { nonce: _, ...fresh } = await train.fees(gasOfCancel)
  const signed = await train.signer.sign({
    swapId,
    kind: 'CANCEL',
    transaction: {
      to: wallet,
      data: '0x',
      value: 0n,
      gas: gasOfCancel,
      maxFeePerGas: larger(fresh.maxFeePerGas, raised(old.maxFeePerGas)),
      maxPriorityFeePerGas: larger(fresh.maxPriorityFeePerGas, raised(old.maxPriorityFeePerGas)),
      chainId: old.chainId,
      nonce: old.nonce,
    },
  })
  await train.journal.commitCancel(signed)
}

/** An eighth more and at least one: every client asks for a tenth on both fields, and more than nothing for nothing. */
const raised = (fee: bigint) => larger(fee + 1n, (fee * 9n + 7n) / 8n)
const larger = (a: bigint, b: bigint) => (a > b ? a : b)

async function finish({ as, receipt }: Finish, swap: Swap, train: Drivetrain): Promise<void> {
  const { swapId } = swap.plan
  if (as === 'SETTLED') {
    const measured = await train.measure(swap, receipt)
    return train.journal.settle({ swapId, measured })
  }
  const ends = {
    REVERTED: {
      code: 'REVERTED',
      reason: 'The transaction was mined and reverted; only gas was spent.',
    },
    EXPIRED_DEAD: {
      code: 'EXPIRED',
      reason: 'The deadline passed before the transaction was mined; its nonce was closed.',
    },
  }
  return train.journal.close({ swapId, as, ...ends[as], receipt })
}

function tell(error: unknown): { code: string; reason: string } {
  if (error instanceof BallastError)
    return { code: error.code, reason: withoutSecrets(error.summary) }
  return { code: 'UNEXPECTED', reason: withoutSecrets(String(error)).slice(0, 300) }
}
