import { type Block, getBlock } from '../../chain/calls/node.ts'
import type { Rpc, RpcOutcome } from '../../chain/rpc/rpc.ts'
import { medianAmount } from '../../core/amount.ts'
import type { Clock } from '../../core/clock.ts'
import type { Token } from '../../core/token.ts'
import type { Arrival, ReferencePrice } from '../stages.ts'
import { bookPrice } from './bookPrice.ts'
import { feedCalls, feedPrice } from './feedPrice.ts'
import { poolCalls, poolPrice } from './poolPrice.ts'
import {
  type Feed,
  type Pool,
  type Reference,
  type ReferenceAnswer,
  referenceFailure,
} from './reference.ts'

export type ReferenceReading = { readonly reference: Reference; readonly told: ReferenceAnswer }

type Sources = {
  readonly rpc: Rpc
  /** The ERC-20 that wraps the chain's own currency. */
  readonly wrapped: Token
  readonly clock: Clock
}

/**
 * Reads every source at the same time: the chain for its head and then once for everything, each order book once. Never
 * throws for a source: one that fails gives its reason in its place.
 */
export async function readReferences(
  { rpc, wrapped, clock }: Sources,
  references: readonly Reference[],
): Promise<readonly ReferenceReading[]> {
  const now = () => clock.now()
  const onChain = references.filter((one) => one.kind !== 'order-book')
  const [chain, others] = await Promise.all([
    readChain({ rpc, now }, onChain),
    Promise.all(
      references.map(async (reference): Promise<ReferenceReading | undefined> => {
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
): Promise<readonly ReferenceAnswer[]> {
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
    const reason = referenceFailure(error)
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

/** The middle of the sources that are not the service's own word; undefined where none of them answered. */
export function arrivalOf(references: readonly ReferencePrice[]): Arrival | undefined {
  const own = references.filter(({ independent }) => independent)
  const fair = medianAmount(own.map((one) => one.fair))
  if (fair === undefined) return undefined
  return {
    fair,
    sources: own.map(({ source }) => source),
    at: Math.min(...own.map(({ at }) => at)),
  }
}

/** The name of a source in checks and reports: `feed WETH/USD 0x…`. */
export function sourceOf(reference: Reference): string {
  const pair = reference.pair.map(({ symbol }) => symbol).join('/')
  switch (reference.kind) {
    case 'pool':
      return `${reference.venue} ${pair} ${reference.address}`
    case 'feed':
      return `feed ${pair} ${reference.address}`
    case 'order-book':
      return `order-book ${pair} ${reference.book.label}`
  }
}
