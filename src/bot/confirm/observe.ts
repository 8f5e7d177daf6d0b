import { zeroAddress, zeroHash } from 'viem'
import { swapRouterAbi } from '../../../contracts/abi/swapRouter.ts'
import { getTransactionCount } from '../../chain/calls/account.ts'
import type { Hex } from '../../chain/calls/fields.ts'
import { getReceipt, type Receipt } from '../../chain/calls/getReceipt.ts'
import { isInBlock } from '../../chain/calls/getTransaction.ts'
import { type Block, getBlock } from '../../chain/calls/node.ts'
import { readContract } from '../../chain/calls/readContract.ts'
import { type Finality, finalHeight } from '../../chain/finality.ts'
import type { Rpc, RpcOutcome } from '../../chain/rpc/rpc.ts'
import { assert } from '../../core/assert.ts'
import { display } from '../../core/display.ts'
import { ballastError } from '../../core/errors.ts'
import type { Address } from '../../core/token.ts'
import type { Observation } from '../next.ts'
import type { AttemptKind } from '../stages.ts'

/** Whose transactions are watched. */
export type Watched<kind extends AttemptKind> = {
  readonly wallet: Address
  /**
   * The authorisation, and the router that it was signed for: another one that is configured since never saw it. Undefined
   * where none is known, as for an approval.
   */
  readonly consumes: { readonly router: Address; readonly authorization: Hex } | undefined
  readonly attempts: readonly { readonly kind: kind; readonly hash: Hex }[]
  /** The nonce that all of them have. */
  readonly nonce: number | undefined
}

/**
 * Reads the state of one swap's attempts on the chain.
 *
 * Receipts of all attempts are requested, and one counts only when its block is the canonical one at its height: viem's
 * `waitForTransactionReceipt` would report a receipt that a reorganisation has removed. Any failed read fails the whole
 * observation, because half an observation can look like a death.
 */
export async function observe<kind extends AttemptKind>(
  rpc: Rpc,
  { wallet, attempts, consumes, nonce }: Watched<kind>,
  { confirmations }: { confirmations: Finality },
): Promise<Observation<kind>> {
  const [headSeen, ...receiptsSeen] = await rpc.batch([
    getBlock('latest'),
    ...attempts.map(({ hash }) => getReceipt(hash, wallet)),
  ])
  const head = known(read(headSeen))
  const receipts = attempts.flatMap(({ kind }, index) => {
    const receipt = read(answered(receiptsSeen[index]))
    return receipt === undefined ? [] : [{ kind, receipt }]
  })

  const depth = await finalHeight(rpc, confirmations, head.number)
  const at = Math.max(depth, 0)
  const [deepSeen, nonceSeen, consumedSeen, ...blocksSeen] = await rpc.batch([
    getBlock(at),
    getTransactionCount(wallet, at),
    readContract({
      address: consumes?.router ?? zeroAddress,
      abi: swapRouterAbi,
      functionName: 'usedAuthorization',
      args: [consumes?.authorization ?? zeroHash],
      block: at,
    }),
    ...receipts.map(({ receipt }) => getBlock(receipt.blockNumber)),
  ])
  const canonical = receipts.flatMap(({ kind, receipt }, index) => {
    const block = read(answered(blocksSeen[index]))
    return block?.hash === receipt.blockHash ? { kind, receipt: withTip(receipt, block) } : []
  })
  const deepNonce = depth < 0 ? undefined : read(nonceSeen)
  const isSpentUnseen =
    receipts.length === 0 && nonce !== undefined && deepNonce !== undefined && deepNonce > nonce
  return {
    head,
    deep: depth < 0 ? undefined : known(read(deepSeen)),
    deepNonce,
    consumed: depth < 0 || consumes === undefined ? undefined : read(consumedSeen),
    unsettled:
      canonical.length < receipts.length || (isSpentUnseen && (await areInBlock(rpc, attempts))),
    receipts: canonical,
  }
}

/** A node may have dropped its old receipts and keep the blocks: what one of them holds was not displaced. */
async function areInBlock(rpc: Rpc, attempts: readonly { readonly hash: Hex }[]): Promise<boolean> {
  const found = await rpc.batch(attempts.map(({ hash }) => isInBlock(hash)))
  return found.map(read).some((isIn) => isIn)
}

/** A node that names a price below the base fee of the block lies: no tip is made of it. */
function withTip(
  { gasPrice, ...receipt }: Receipt & { readonly gasPrice: bigint },
  { baseFeePerGas }: Block,
): Receipt {
  const base = gasPrice < baseFeePerGas ? gasPrice : baseFeePerGas
  const { gasUsed } = receipt
  return { ...receipt, tipPaid: gasUsed * (gasPrice - base), basePaid: gasUsed * base }
}

function answered<outcome>(outcome: outcome | undefined): outcome {
  assert(outcome !== undefined, 'a batch answers every call')
  return outcome
}

function read<value>(outcome: RpcOutcome<value>): value {
  if (outcome.ok) return outcome.value
  throw unseen(outcome.error.message, outcome.error)
}

function known<value>(value: value | undefined): value {
  if (value === undefined) throw unseen('the endpoint does not have a block it must have')
  return value
}

const unseen = (reason: string, cause?: unknown) =>
  ballastError(
    'CONFIRMATION_UNAVAILABLE',
    'The chain could not be read to confirm a swap.',
    { reason: display(reason.split('\n').join(';'), 300) },
    cause,
  )
