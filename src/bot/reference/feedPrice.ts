import { priceSources } from '../../chain/abi/contracts.ts'
import type { Block } from '../../chain/calls/node.ts'
import { readContract } from '../../chain/calls/readContract.ts'
import type { RpcCall, RpcOutcome } from '../../chain/rpc/rpc.ts'
import { type Feed, type ReferenceAnswer, referenceFailure } from './reference.ts'

/** No feed counts finer; it only keeps a hostile one from causing huge powers. */
const decimalsMax = 36

/** The reads of a feed at one block. */
export function feedCalls({ address }: Feed, block: number): readonly RpcCall<unknown>[] {
  const at = { address, abi: priceSources.feed, args: [], block } as const
  return [
    readContract({ ...at, functionName: 'decimals' }),
    readContract({ ...at, functionName: 'latestRoundData' }),
  ]
}

/**
 * The last answer of a feed. Its age is by the chain's time. `answeredInRound` is not looked at: it is obsolete, and
 * some feeds leave it at zero.
 */
export function feedPrice(
  { pair: [base, quote], ageMsMax }: Feed,
  [decimals, round]: readonly RpcOutcome<unknown>[],
  { head, now }: { head: Block; now: number },
): ReferenceAnswer {
  if (decimals?.ok !== true) return { reason: referenceFailure(decimals?.error) }
  if (round?.ok !== true) return { reason: referenceFailure(round?.error) }
  const scale = decimals.value as number
  const [, answer, , updatedAt] = round.value as readonly [bigint, bigint, bigint, bigint, bigint]
  if (scale > decimalsMax) return { reason: `it has ${scale} decimals` }
  if (answer <= 0n) return { reason: `its answer is ${answer}` }
  const ageSeconds = BigInt(head.timestamp) - updatedAt
  if (ageSeconds < 0n) return { reason: `its answer is of ${-ageSeconds} s in the future` }
  if (ageSeconds * 1_000n > BigInt(ageMsMax))
    return {
      reason: `its answer is ${ageSeconds} s old, at most ${ageMsMax / 1_000} s are allowed`,
    }
  const one = 10n ** BigInt(base.decimals + scale)
  return {
    price: {
      sold: { token: base, wei: one },
      bought: { token: quote, wei: answer * 10n ** BigInt(quote.decimals) },
    },
    at: Math.min(now, Number(updatedAt) * 1_000),
  }
}
