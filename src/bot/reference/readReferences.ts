import { type Block, getBlock } from '../../chain/calls/node.ts'
import type { Rpc, RpcOutcome } from '../../chain/rpc/rpc.ts'
import { type Amount, medianAmount } from '../../core/amount.ts'
import type { Clock } from '../../core/clock.ts'
import { headAgeMsMax } from '../../core/headAgeMsMax.ts'
import { comparePrices, type Price, showPrice } from '../../core/price.ts'
import { secondMs } from '../../core/spans.ts'
import type { Token } from '../../core/token.ts'
import { type Appraisal, type Arrival, type AsOf, rateOfReference } from '../stages.ts'
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
  /** A second node, which must give the same price for the same block. */
  readonly witness?: Rpc | undefined
  /** The ERC-20 that wraps the chain's own currency. */
  readonly wrapped: Token
  /** How long a block takes. */
  readonly blockTimeMs: number
  readonly clock: Clock
  /** Absent: the head, now. */
  readonly asOf?: AsOf | undefined
}

/**
 * Reads every source at the same time: the chain for its head and then once for everything, each order book once. Never
 * throws for a source: one that fails gives its reason in its place. `block` is where the chain was read.
 */
export async function readReferences(
  { rpc, witness, wrapped, blockTimeMs, clock, asOf }: Sources,
  references: readonly Reference[],
): Promise<{ readonly readings: readonly ReferenceReading[]; readonly block: number | undefined }> {
  const now = () => clock.now()
  const onChain = references.filter((one) => one.kind !== 'order-book')
  const [chain, others] = await Promise.all([
    readChain({ rpc, witness, blockTimeMs, now: () => asOf?.at ?? now(), asOf }, onChain),
    Promise.all(
      references.map(async (reference): Promise<ReferenceReading | undefined> => {
        if (reference.kind !== 'order-book') return undefined
        return { reference, told: await bookPrice(reference, { wrapped, now }) }
      }),
    ),
  ])
  let next = 0
  const readings = references.map((reference, index) => {
    const other = others[index]
    if (other !== undefined) return other
    const told = chain.answers[next++] ?? { reason: 'it was not answered' }
    return { reference, told }
  })
  return { readings, block: chain.block }
}

type OnChain = readonly (Pool | Feed)[]

type Chain = {
  readonly rpc: Rpc
  readonly witness: Rpc | undefined
  readonly blockTimeMs: number
  readonly now: () => number
  readonly asOf: AsOf | undefined
}

type Answered = {
  readonly answers: readonly ReferenceAnswer[]
  readonly block: number | undefined
}

async function readChain(
  { rpc, witness, blockTimeMs, now, asOf }: Chain,
  references: OnChain,
): Promise<Answered> {
  if (references.length === 0) return { answers: [], block: undefined }
  const silent = silentAll(references)
  try {
    const head = await rpc.request(getBlock(asOf?.block ?? 'latest'))
    if (head === undefined)
      return silent(asOf === undefined ? 'the chain has no head' : 'the node has no such block')
    const ageMs = now() - head.timestamp * secondMs
    // The age of a feed is that of its answer at this block: a node that stands still would keep both fresh.
    if (asOf === undefined && ageMs > headAgeMsMax(blockTimeMs))
      return silent(`the newest block of ${rpc.label} is ${Math.round(ageMs / secondMs)} s old`)
    if (witness === undefined) {
      const outcomes = await rpc.batch(
        callsAt({ head: head.number, blockTimeMs }, references).flat(),
      )
      const answers = pricesOf(references, outcomes, { head, blockTimeMs, now: now() })
      return { answers, block: head.number }
    }
    return await readTwice({ rpc, witness, blockTimeMs, now, asOf }, references, head)
  } catch (error) {
    return silent(referenceFailure(error))
  }
}

const silentAll =
  (references: OnChain) =>
  (reason: string): Answered => ({ answers: references.map(() => ({ reason })), block: undefined })

/** Two healthy nodes are this close, in blocks or where blocks are fast in time. */
const headsApart = { blocks: 2, seconds: 10 }

/**
 * Reads two nodes at one height, that of the older head. Its block and its time must be the same at both, and no price
 * counts that they do not agree on.
 */
async function readTwice(
  { rpc, witness, blockTimeMs, now, asOf }: Chain & { readonly witness: Rpc },
  references: OnChain,
  own: Block,
): Promise<Answered> {
  const silent = silentAll(references)
  const other = await witness.request(getBlock(asOf?.block ?? 'latest'))
  if (other === undefined) return silent(`${witness.label} has no head`)
  const [older, newer] = own.number <= other.number ? [own, other] : [other, own]
  const behind = newer.number - older.number
  if (behind > headsApart.blocks && newer.timestamp - older.timestamp > headsApart.seconds)
    return silent(
      `${rpc.label} is at block ${own.number}, ${witness.label} at ${other.number}, too far apart to compare`,
    )
  const calls = callsAt({ head: older.number, blockTimeMs }, references).flat()
  const [mine, theirs] = await Promise.all(
    [rpc, witness].map(async (node) => {
      const [block, ...outcomes] = await node.batch([getBlock(older.number), ...calls])
      if (!block.ok) throw block.error
      const { hash = 'none', timestamp } = block.value ?? {}
      return { hash, timestamp, label: node.label, outcomes }
    }),
  )
  if (mine === undefined || theirs === undefined) return silent('it was not answered')
  if (mine.hash !== older.hash || theirs.hash !== older.hash)
    return silent(
      `block ${older.number} is ${mine.hash} at ${mine.label} and ${theirs.hash} at ${theirs.label}`,
    )
  // An old block by its true hash would pass for the newest one, with the prices of then.
  if (mine.timestamp !== older.timestamp || theirs.timestamp !== older.timestamp)
    return silent(
      `block ${older.number} is of ${mine.timestamp} at ${mine.label}, of ${theirs.timestamp} at ${theirs.label}, and was named with ${older.timestamp}`,
    )
  const seen = { head: older, blockTimeMs, now: now() }
  const told = pricesOf(references, theirs.outcomes, seen)
  const answers = pricesOf(references, mine.outcomes, seen).map(
    (answer, index): ReferenceAnswer => {
      const second = told[index] ?? { reason: 'it was not answered' }
      if ('reason' in answer) return answer
      if ('reason' in second) return { reason: `at ${theirs.label}: ${second.reason}` }
      if (comparePrices(answer.price, second.price) === 0 && answer.at === second.at) return answer
      const said = `${showPrice(answer.price)} at ${mine.label}, ${showPrice(second.price)} at ${theirs.label}`
      return { reason: `${said}, both at block ${older.number}`, disputed: true }
    },
  )
  return { answers, block: older.number }
}

/** The calls of each reference, pinned to a block. */
const callsAt = (at: { head: number; blockTimeMs: number }, references: OnChain) =>
  references.map((one) => (one.kind === 'pool' ? poolCalls(one, at) : feedCalls(one, at.head)))

function pricesOf(
  references: OnChain,
  outcomes: readonly RpcOutcome<unknown>[],
  seen: { readonly head: Block; readonly blockTimeMs: number; readonly now: number },
): readonly ReferenceAnswer[] {
  const calls = callsAt({ ...seen, head: seen.head.number }, references)
  let from = 0
  return references.map((one, index) => {
    const answers = outcomes.slice(from, from + (calls[index]?.length ?? 0))
    from += answers.length
    return one.kind === 'pool' ? poolPrice(one, answers, seen) : feedPrice(one, answers, seen)
  })
}

/** The rate in the middle of the sources that are not the service's own word, exact; undefined where none of them answered. */
export function middleRate(
  { references }: Pick<Appraisal, 'references'>,
  sell: Amount,
): Price | undefined {
  const rates = references
    .filter(({ independent }) => independent)
    .map((one) => rateOfReference(one, sell))
    .sort(comparePrices)
  return rates[Math.floor(rates.length / 2)]
}

/** The middle of the sources that are not the service's own word; undefined where none of them answered. */
export function arrivalOf({
  references,
  block,
}: Pick<Appraisal, 'references' | 'block'>): Arrival | undefined {
  const own = references.filter(({ independent }) => independent)
  const fair = medianAmount(own.map((one) => one.fair))
  if (fair === undefined) return undefined
  return {
    fair,
    sources: own.map(({ source }) => source),
    at: Math.min(...own.map(({ at }) => at)),
    ...(block === undefined ? {} : { block }),
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
