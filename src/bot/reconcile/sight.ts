import { z } from 'zod'
import { swapRouterAbi } from '../../../contracts/abi/swapRouter.ts'
import { address, type Hex } from '../../chain/calls/fields.ts'
import { getReceipt, type Receipt } from '../../chain/calls/getReceipt.ts'
import { type Block, getBlock } from '../../chain/calls/node.ts'
import { readContract } from '../../chain/calls/readContract.ts'
import type { RpcCall, RpcOutcome } from '../../chain/rpc/rpc.ts'
import type { Address } from '../../core/token.ts'
import type { BookedBlock, BookedSwap, BooksScope, JournalBooks } from '../books.ts'
import type { AskChain } from './createTally.ts'

/** A receipt with who sent it. */
type SentReceipt = Receipt & { readonly from: Address }

/** The chain's view of one transaction. Only `mined` is on the canonical chain; `absent` ends nothing. */
type Sighting =
  | { readonly is: 'mined'; readonly receipt: SentReceipt }
  | { readonly is: 'orphaned' | 'absent' }
  | { readonly is: 'unknown'; readonly why: string }

/** The chain's view of a page of swaps. */
export type ReconcileView = {
  transaction(hash: Hex): Sighting
  /** Whether a block that the journal has is still the one at its height. */
  block(booked: BookedBlock): 'stands' | 'gone' | 'unknown'
  /** The hash at a height now. */
  hashAt(height: number): Hex | undefined
  /** Whether the router had consumed an authorisation at the depth; undefined where it gave no answer. */
  consumed(authorization: Hex): boolean | undefined
}

/** Looks for everything that a page of swaps records as on the chain. */
export async function sight(
  ask: AskChain,
  { swaps, depth }: { swaps: readonly BookedSwap[]; depth: number },
): Promise<ReconcileView> {
  const hashes = [...new Set(swaps.flatMap(({ attempts }) => attempts.map(({ hash }) => hash)))]
  const receipts = new Map(zip(hashes, await ask(hashes.map(sentReceipt))))

  const heights = [
    ...new Set([
      ...swaps.flatMap(({ included }) => included?.number ?? []),
      ...swaps.flatMap(({ attempts }) => attempts.flatMap(({ closed }) => closed?.number ?? [])),
      ...[...receipts.values()].flatMap((one) =>
        one.ok && one.value !== undefined ? one.value.blockNumber : [],
      ),
    ]),
  ]
  const blocks = new Map(zip(heights, await ask(heights.map((height) => getBlock(height)))))

  const authorized = swaps.flatMap(({ router, authorization }) =>
    router === undefined || authorization === undefined ? [] : [{ router, authorization }],
  )
  const used = await ask(authorized.map((one) => usedAuthorization(one, depth)))
  const consumed = new Map(
    zip(
      authorized.map(({ authorization }) => authorization),
      used,
    ),
  )

  const blockAt = (height: number): Block | undefined => {
    const seen = blocks.get(height)
    return seen?.ok === true ? seen.value : undefined
  }
  return {
    transaction(hash) {
      const seen = receipts.get(hash)
      if (seen === undefined) return { is: 'unknown', why: 'it was not read' }
      if (!seen.ok) return { is: 'unknown', why: reasonOf(seen.error) }
      if (seen.value === undefined) return { is: 'absent' }
      const block = blockAt(seen.value.blockNumber)
      if (block === undefined) return { is: 'unknown', why: 'its block was not answered' }
      return block.hash === seen.value.blockHash
        ? { is: 'mined', receipt: seen.value }
        : { is: 'orphaned' }
    },
    block({ number, hash }) {
      const block = blockAt(number)
      if (block === undefined || hash === undefined) return 'unknown'
      return block.hash === hash ? 'stands' : 'gone'
    },
    hashAt: (height) => blockAt(height)?.hash,
    consumed(authorization) {
      const seen = consumed.get(authorization)
      return seen?.ok === true ? seen.value : undefined
    },
  }
}

const sender = z.looseObject({ from: address })

/** The receipt as everywhere else, and its sender: that is compared nowhere else. */
function sentReceipt(hash: Hex): RpcCall<SentReceipt | undefined> {
  const call = getReceipt(hash)
  return {
    ...call,
    parse(answer) {
      const receipt = call.parse(answer)
      return receipt && { ...receipt, from: sender.parse(answer).from }
    },
  }
}

const usedAuthorization = (
  { router, authorization }: { router: Address; authorization: Hex },
  block: number,
) =>
  readContract({
    address: router,
    abi: swapRouterAbi,
    functionName: 'usedAuthorization',
    args: [authorization],
    block,
  })

const zip = <key, result>(keys: readonly key[], outcomes: readonly RpcOutcome<result>[]) =>
  keys.flatMap((key, index) => {
    const outcome = outcomes[index]
    return outcome === undefined ? [] : [[key, outcome] as const]
  })

const reasonOf = (error: Error) => error.message.split('\n')[0] ?? ''

/**
 * Height of a head that has seen all the books rest on, for queries by its number; otherwise why there is none. A node
 * that lags behind the one that confirmed a swap still reports the state before it.
 */
export async function headWithin(
  ask: AskChain,
  { books, scope }: { books: JournalBooks; scope: BooksScope },
): Promise<number | string> {
  const newest = await books.newestBlock(scope)
  const [head] = await ask([getBlock('latest')])
  if (head?.ok !== true || head.value === undefined) return 'the head of the chain was not answered'
  const { number } = head.value
  return number < newest
    ? `the node is at block ${number}, and the books have one of ${newest}`
    : number
}
