import { ballastError } from '../../core/errors.ts'
import type { Address } from '../../core/token.ts'
import { type Rpc, RpcRefused } from '../rpc/rpc.ts'
import { getTransactionCount } from './account.ts'
import { getTransactionsOf, type MinedTransaction } from './getTransaction.ts'

/** Blocks after `after` up to `to`, in which the sender's nonce rises from `nonceAfter` to `nonceTo`. */
type Stretch = {
  readonly after: number
  readonly to: number
  readonly nonceAfter: number
  readonly nonceTo: number
}

/** Blocks read one by one where a node no longer has the states between them: about a day of one-second blocks. */
const blocksReadMax = 100_000

/** Calls of one batch. */
const batchMax = 50

/**
 * Every mined transaction of a sender from a nonce on, in the order of nonces, up to a block. Found by halving: the
 * nonce at a block tells on which side of it each transaction lies, so no index and no logs are needed. Where the node
 * has no states that old, the blocks themselves are read.
 *
 * Throws TRANSACTIONS_NOT_FOUND where the node does not show all of them.
 */
export async function findTransactions(
  rpc: Rpc,
  {
    sender,
    from,
    until = Number.MAX_SAFE_INTEGER,
    after,
    to,
    blocksMax = blocksReadMax,
  }: {
    sender: Address
    /** The first nonce, and the one behind the last; without it, all that were mined. */
    from: number
    until?: number
    /** Heights: the search begins behind the first and ends with the second. */
    after: number
    to: number
    /** How many blocks may be read one by one. */
    blocksMax?: number
  },
): Promise<readonly MinedTransaction[]> {
  const [first, last] = await rpc.batch([
    getTransactionCount(sender, after),
    getTransactionCount(sender, to),
  ])
  if (!last.ok) throw last.error
  const nonceAfter = first.ok ? first.value : from
  const end = Math.min(until, last.value)
  const blocks = await blocksWith(
    { rpc, sender, from, until: end, blocksMax },
    { after, to, nonceAfter: Math.min(nonceAfter, from), nonceTo: last.value },
  )
  const found = new Map<number, MinedTransaction>()
  for (const part of partsOf(blocks)) {
    const outcomes = await rpc.batch(part.map((block) => getTransactionsOf(sender, block)))
    for (const outcome of outcomes) {
      if (!outcome.ok) throw outcome.error
      for (const one of outcome.value ?? [])
        if (one.nonce >= from && one.nonce < end) found.set(one.nonce, one)
    }
  }
  for (let nonce = from; nonce < end; nonce += 1)
    if (!found.has(nonce))
      throw ballastError(
        'TRANSACTIONS_NOT_FOUND',
        'The RPC endpoint does not show every transaction of the wallet.',
        { wallet: sender, nonce, endpoint: rpc.label },
      )
  return [...found.values()].sort((a, b) => a.nonce - b.nonce)
}

type Search = {
  readonly rpc: Rpc
  readonly sender: Address
  readonly from: number
  readonly until: number
  readonly blocksMax: number
}

/** The blocks in which the nonce rises; where it cannot be told, all blocks that may be among them. */
async function blocksWith(
  { rpc, sender, from, until, blocksMax }: Search,
  whole: Stretch,
): Promise<readonly number[]> {
  const blocks: number[] = []
  for (let open: readonly Stretch[] = [whole]; open.length > 0; ) {
    const rising = open.filter(
      ({ nonceAfter, nonceTo }) => nonceTo > Math.max(nonceAfter, from) && nonceAfter < until,
    )
    blocks.push(...rising.filter(({ after, to }) => to - after === 1).map(({ to }) => to))
    const wide = rising.filter(({ after, to }) => to - after > 1)
    const halved: Stretch[] = []
    for (const part of partsOf(wide)) {
      const middles = part.map(({ after, to }) => Math.floor((after + to) / 2))
      const outcomes = await rpc.batch(middles.map((block) => getTransactionCount(sender, block)))
      for (const [index, stretch] of part.entries()) {
        const [middle, outcome] = [middles[index] ?? 0, outcomes[index]]
        if (outcome?.ok === true)
          halved.push(
            { ...stretch, to: middle, nonceTo: outcome.value },
            { ...stretch, after: middle, nonceAfter: outcome.value },
          )
        else if (outcome?.error instanceof RpcRefused) blocks.push(...blocksOf(stretch, blocksMax))
        else throw outcome?.error
      }
    }
    open = halved
  }
  return [...new Set(blocks)]
}

function blocksOf({ after, to }: Stretch, blocksMax: number): readonly number[] {
  if (to - after > blocksMax)
    throw ballastError(
      'TRANSACTIONS_NOT_FOUND',
      'The RPC endpoint has no states that old, and there are too many blocks to read one by one.',
      { blocks: to - after, next: 'set chain.rpcUrl to an archive node for this command' },
    )
  return Array.from({ length: to - after }, (_, index) => after + 1 + index)
}

function partsOf<item>(items: readonly item[]): readonly (readonly item[])[] {
  return Array.from({ length: Math.ceil(items.length / batchMax) }, (_, index) =>
    items.slice(index * batchMax, (index + 1) * batchMax),
  )
}
