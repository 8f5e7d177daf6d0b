import { type Block, getBlock } from '../../chain/calls/node.ts'
import type { Rpc, RpcOutcome } from '../../chain/rpc/rpc.ts'
import type { Clock } from '../../core/clock.ts'
import type { Token } from '../../core/token.ts'
import { bookPrice } from './bookPrice.ts'
import { feedCalls, feedPrice } from './feedPrice.ts'
import { poolCalls, poolPrice } from './poolPrice.ts'
import { reasonOf } from './reasonOf.ts'
import type { Feed, Pool, Reference, Told } from './reference.ts'

export type Reading = { readonly reference: Reference; readonly told: Told }

type Sources = {
  readonly rpc: Rpc
  /** The ERC-20 that wraps the chain's own currency. */
  readonly wrapped: Token
  readonly clock: Clock
}

/**
 * Asks every source at the same time: the chain for its head and then once for everything, each order book once.
 * Never throws for a source: one that fails says why in its place.
 */
export async function readReferences(
  { rpc, wrapped, clock }: Sources,
  references: readonly Reference[],
): Promise<readonly Reading[]> {
  const now = () => clock.now()
  const onChain = references.filter((one) => one.kind !== 'order-book')
  const [chain, others] = await Promise.all([
    readChain({ rpc, now }, onChain),
    Promise.all(
      references.map(async (reference): Promise<Reading | undefined> => {
        if (reference.kind !== 'order-book') return undefined
        return { reference, told: await bookPrice(reference, { wrapped, now }) }
      }),
    ),
  ])
  let next = 0
  return references.map((reference, index) => {
    const other = others[index]
    if (other !== undefined) return other
    const told = chain[next++] ?? { reason: 'it was not answered' }
    return { reference, told }
  })
}

async function readChain(
  { rpc, now }: { rpc: Rpc; now: () => number },
  references: readonly (Pool | Feed)[],
): Promise<readonly Told[]> {
  if (references.length === 0) return []
  let head: Block | undefined
  let outcomes: readonly RpcOutcome<unknown>[]
  let counts: readonly number[]
  try {
    head = await rpc.request(getBlock('latest'))
    if (head === undefined) return references.map(() => ({ reason: 'the chain has no head' }))
    const { number } = head
    const calls = references.map((one) =>
      one.kind === 'pool' ? poolCalls(one, number) : feedCalls(one, number),
    )
    counts = calls.map(({ length }) => length)
    outcomes = await rpc.batch(calls.flat())
  } catch (error) {
    const reason = reasonOf(error)
    return references.map(() => ({ reason }))
  }
  const seen = { head, now: now() }
  let from = 0
  return references.map((one, index) => {
    const answers = outcomes.slice(from, from + (counts[index] ?? 0))
    from += answers.length
    return one.kind === 'pool' ? poolPrice(one, answers, seen) : feedPrice(one, answers, seen)
  })
}
