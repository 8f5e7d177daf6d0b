import type { NextStep, Observation, Situation } from '../../src/bot/next.ts'
import type { AttemptKind } from '../../src/bot/stages.ts'
import type { Block } from '../../src/chain/calls/node.ts'

/**
 * A world with one nonce: a chain whose blocks are seconds apart, a mempool, a stranger who may have the key, and the journal
 * of one swap, or of one approval. Small enough that all of it can be gone through; plain values, so that a world is its text.
 */

/** What a block does with the nonce: the n-th bytes of the thing itself, or of its cancellation, a stranger's, nothing. */
export type Transaction = 'own1' | 'own2' | 'cancel1' | 'stranger'

/** `branch` counts the reorganisations before it: height and branch are its hash. */
type Mined = { readonly tx: Transaction | undefined; readonly branch: number }

export type World = {
  /** From the height of 1. */
  readonly chain: readonly Mined[]
  /** The base fee of the head, of which the n-th bytes pay up to n. */
  readonly baseFee: number
  /** Height below which nothing is taken back any more. */
  readonly final: number
  readonly reorganisations: number
  readonly pool: readonly Transaction[]
  readonly journal: Journal
}

export type Journal = {
  readonly state: Situation['state'] | 'APPROVED' | 'GIVEN_UP'
  readonly own: number
  readonly cancels: number
  readonly sentAtBlock: number | undefined
  readonly verdict: 'accepted' | 'ambiguous' | 'underpriced' | undefined
  readonly included: Situation['included']
}

/** Blocks behind the head at which the bot concludes, and the deepest reorganisation. */
const depth = 2
/** The last second, and so the last height, at which the router takes the swap. */
export const deadline = 3
/** The chain ends here: the deadline is deep, and two blocks are left for what follows from it. */
export const heightMax = deadline + depth + 3

export const beginning = (state: 'SIGNED' | 'APPROVING'): World => ({
  ...{ chain: [], baseFee: 1, final: 0, reorganisations: 0, pool: [] },
  journal: {
    ...{ state, own: 1, cancels: 0 },
    ...{ sentAtBlock: undefined, verdict: undefined, included: undefined },
  },
})

export const ended = ({ journal: { state } }: World): boolean =>
  ['SETTLED', 'REVERTED', 'EXPIRED_DEAD', 'DISPLACED', 'APPROVED', 'GIVEN_UP'].includes(state)

/** The height that used the nonce, and what did. */
export function usedBy({ chain }: Pick<World, 'chain'>) {
  const index = chain.findIndex(({ tx }) => tx !== undefined)
  const mined = chain[index]
  return mined?.tx === undefined
    ? undefined
    : { tx: mined.tx, height: index + 1, branch: mined.branch }
}

const bidOf = (tx: Transaction) => (tx.endsWith('2') ? 2 : 1)

/** A block more, at a base fee, with one of the transactions that pay for it, or with none. */
export function mine(
  world: World,
  { tx, baseFee }: { tx: Transaction | undefined; baseFee: number },
): World {
  const chain = [...world.chain, { tx, branch: world.reorganisations }]
  return { ...world, chain, baseFee, final: Math.max(world.final, chain.length - depth) }
}

/** What a block of that base fee may carry. A stranger needs no pool. */
export const minable = (world: World, baseFee: number): readonly (Transaction | undefined)[] =>
  usedBy(world) === undefined
    ? [undefined, 'stranger', ...world.pool.filter((tx) => bidOf(tx) >= baseFee)]
    : [undefined]

/** The last blocks are gone; what was in them waits again, unless all nodes forget what waits. */
export const takeBack = (
  world: World,
  { blocks, forgets }: { blocks: number; forgets: boolean },
): World => ({
  ...{ ...world, chain: world.chain.slice(0, -blocks), baseFee: 1 },
  ...{ reorganisations: world.reorganisations + 1, pool: forgets ? [] : world.pool },
})

/** Some node has them from now on, whatever else it has under the nonce. */
const arrive = (world: World, tx: Transaction): World => ({
  ...world,
  pool: world.pool.includes(tx) ? world.pool : [...world.pool, tx].toSorted(),
})

/** More than a fair world comes to: it is given so many steps to end in. */
const heightLimit = 100
/** As many reorganisations, and the branch that none has changed. */
const branches = 4
/** Short, and made once: they must only differ. */
const hashes = Array.from(
  { length: heightLimit * branches },
  (_, place) => `0x${place.toString(16).padStart(3, '0')}` as const,
)
const hashOf = (height: number, branch: number) => hashes[height * branches + branch] ?? '0x'
const codes: Readonly<Record<Transaction, string>> = {
  ...{ own1: 'a1', own2: 'a2', cancel1: 'c1', stranger: 'ff' },
}
const hashOfTx = (tx: Transaction) => `0x${codes[tx]}` as const

const blockOf = ({ chain, baseFee }: World, height: number): Block => ({
  number: height,
  hash: hashOf(height, chain[height - 1]?.branch ?? 0),
  parentHash: hashOf(height - 1, chain[height - 2]?.branch ?? 0),
  timestamp: height,
  baseFeePerGas: BigInt(baseFee),
})

const kindOf = (tx: Transaction, isApproval: boolean): AttemptKind =>
  tx.startsWith('cancel') ? 'CANCEL' : isApproval ? 'APPROVE' : 'SWAP'

const isOurs = (tx: Transaction, { own, cancels }: Journal) =>
  tx.startsWith('own') ? bidOf(tx) <= own : tx.startsWith('cancel') && bidOf(tx) <= cancels

/** How a look may mislead. */
export type Look = {
  /** The world of the second batch of reads, which is later. */
  readonly later: World
  /** The index of receipts lags behind its own head. */
  readonly isIndexBehind?: boolean
  /** The endpoint denies the swap: no receipt, the nonce gone, nothing consumed. */
  readonly isDenied?: boolean
  /** The depth that is looked at; the configured one, but in a fault that is planted. */
  readonly at?: number
}

/** What the bot observes: the head and receipts first, then what is deep, as `observe` reads them. */
export function look(
  world: World,
  { later, isIndexBehind, isDenied, at = depth }: Look,
): Observation<AttemptKind> {
  const { journal } = world
  const isApproval = journal.state === 'APPROVING'
  const head = world.chain.length
  const used = usedBy(world)
  const mined =
    used === undefined || !isOurs(used.tx, journal) || isIndexBehind || isDenied ? undefined : used
  const isCanonical = mined !== undefined && later.chain[mined.height - 1]?.branch === mined.branch
  const usedLater = usedBy(later)
  const deepHeight = head - at
  const isDeep = usedLater !== undefined && usedLater.height <= deepHeight
  const isSwap = usedLater?.tx.startsWith('own') && usedLater.height <= deadline
  return {
    head: blockOf(world, head),
    deep: deepHeight < 0 ? undefined : blockOf(later, deepHeight),
    deepNonce: deepHeight < 0 ? undefined : isDeep || isDenied ? 8 : 7,
    consumed: deepHeight < 0 || isApproval ? undefined : isDeep && isSwap === true && !isDenied,
    unsettled: mined !== undefined && !isCanonical,
    receipts:
      mined === undefined || !isCanonical
        ? []
        : [
            {
              kind: kindOf(mined.tx, isApproval),
              receipt: {
                hash: hashOfTx(mined.tx),
                success: !mined.tx.startsWith('own') || isApproval || mined.height <= deadline,
                blockNumber: mined.height,
                blockHash: hashOf(mined.height, mined.branch),
                ...{ gasUsed: 1n, gasPaid: 1n, tipPaid: 0n, basePaid: 1n, logs: [] },
              },
            },
          ],
  }
}

/** The journal as the table reads it. */
export function situationOf({ journal }: World): Situation {
  const { state, own, cancels, included, sentAtBlock, verdict } = journal
  const bids = state === 'CANCELLING' ? cancels : own
  return {
    state: state as Situation['state'],
    nonce: 7,
    deadline: state === 'APPROVING' ? undefined : deadline,
    authorization: state === 'APPROVING' ? undefined : hashOf(0, 3),
    included,
    offer: {
      ...{ maxFeePerGas: BigInt(bids), bids, sentAtBlock, verdict },
      ...{ since: 0, storedAt: 0, isPublished: false },
    },
  }
}

/** The newest bytes of what is offered. */
const offered = ({ journal: { state, own } }: World): Transaction =>
  state === 'CANCELLING' ? 'cancel1' : own > 1 ? 'own2' : 'own1'

const note = (world: World, changes: Partial<Journal>): World => ({
  ...world,
  journal: { ...world.journal, ...changes },
})

/** Nothing was offered of bytes that are new. */
const fresh = { sentAtBlock: undefined, verdict: undefined } as const

/**
 * The worlds that a step may lead to: its commit is one, and around it the process may die, which leaves what it had done by
 * then. Undefined where the step needs a second look.
 */
export function perform(step: NextStep, world: World): readonly World[] {
  const { journal, chain } = world
  const head = chain.length
  switch (step.do) {
    case 'send': {
      const arrived = arrive(world, offered(world))
      const sent = {
        state: journal.state === 'SIGNED' ? ('SENT' as const) : journal.state,
        sentAtBlock: head,
      }
      return [
        note(arrived, { ...sent, verdict: 'accepted' }),
        // Its answer is lost, and the bytes with it, or not.
        note(arrived, { ...sent, verdict: 'ambiguous' }),
        note(world, { ...sent, verdict: 'ambiguous' }),
        note(world, { ...sent, verdict: 'underpriced' }),
        // The process dies before it writes that down.
        arrived,
      ]
    }
    // Above the owner's ceiling, which is two bids and one cancellation, the bytes are offered again.
    case 'bump':
      return journal.own > 1
        ? [note(arrive(world, offered(world)), { sentAtBlock: head, verdict: 'accepted' })]
        : [
            note(world, {
              ...fresh,
              own: 2,
              state: journal.state === 'APPROVING' ? 'APPROVING' : 'SIGNED',
            }),
          ]
    case 'cancel':
      return journal.cancels > 0
        ? [note(arrive(world, offered(world)), { sentAtBlock: head, verdict: 'accepted' })]
        : [note(world, { ...fresh, cancels: 1, state: 'CANCELLING' })]
    case 'include': {
      const { hash, blockHash } = step.receipt
      return [note(world, { state: 'INCLUDED', included: { hash, blockHash } })]
    }
    case 'uninclude':
      return [
        note(world, { included: undefined, state: journal.cancels > 0 ? 'CANCELLING' : 'SENT' }),
      ]
    case 'finish':
      return [note(world, { state: step.as })]
    case 'approved':
      return [note(world, { state: 'APPROVED' })]
    case 'displace':
      return [note(world, { state: journal.state === 'APPROVING' ? 'GIVEN_UP' : 'DISPLACED' })]
    default:
      return [world]
  }
}

/** Each choice by its place, from 1 on; 0 is none of them. */
const places = <name extends string>(...names: readonly name[]) =>
  new Map<string | undefined, number>(names.map((name, index) => [name, index + 1]))
const placeOfTx = places<Transaction>('own1', 'own2', 'cancel1', 'stranger')
const placeOfHash = new Map<string | undefined, number>(
  [...placeOfTx].map(([tx, place]) => [hashOfTx(tx as Transaction), place]),
)
const placeOfState = places<Journal['state']>(
  ...(['APPROVING', 'SIGNED', 'SENT', 'CANCELLING', 'INCLUDED'] as const),
  ...(['SETTLED', 'REVERTED', 'EXPIRED_DEAD', 'DISPLACED', 'APPROVED', 'GIVEN_UP'] as const),
)
/** Bytes that may have been taken are one to the table, whatever the node said of them. */
const placeOfVerdict = new Map<Journal['verdict'], number>([
  ['accepted', 1],
  ['ambiguous', 1],
  ['underpriced', 2],
])

/**
 * A world as one number below 2 ** 53, which is found again faster than a text. What no later step can tell apart is the
 * same: the branch of an empty block, bytes that were long since sent.
 */
export function keyOf({ chain, baseFee, final, reorganisations, pool, journal }: World): number {
  const { state, own, cancels, sentAtBlock, verdict, included } = journal
  const height = chain.length
  let used = 0
  while (used < height && chain[used]?.tx === undefined) used += 1
  const mined = chain[used]
  let waiting = 0
  for (const tx of pool) waiting += 2 ** ((placeOfTx.get(tx) ?? 0) - 1)
  const old = height - oldAfterBlocks
  let key = digit(0, height, heightLimit)
  key = digit(key, mined === undefined ? 0 : used + 1, heightLimit)
  key = digit(key, placeOfTx.get(mined?.tx) ?? 0, 5)
  key = digit(key, mined?.branch ?? 0, branches)
  key = digit(key, baseFee - 1, 2)
  key = digit(key, final - height + depth, depth + 1)
  key = digit(key, reorganisations, branches)
  key = digit(key, waiting, 16)
  key = digit(key, placeOfState.get(state) ?? 0, 12)
  key = digit(key, own, 3)
  key = digit(key, cancels, 2)
  key = digit(key, sentAtBlock === undefined ? 0 : Math.max(sentAtBlock - old, 0) + 1, 16)
  key = digit(key, placeOfVerdict.get(verdict) ?? 0, 3)
  key = digit(key, placeOfHash.get(included?.hash) ?? 0, 5)
  return digit(key, included === undefined ? 0 : Number(included.blockHash), heightLimit * branches)
}

/** A number with a digit more. */
function digit(key: number, value: number, base: number): number {
  if (!(value >= 0 && value < base)) throw new RangeError(`${value} is no digit of base ${base}`)
  return key * base + value
}

/** A world in short, with what {@link keyOf} tells apart. */
export const textOf = ({
  chain,
  baseFee,
  final,
  reorganisations,
  pool,
  journal,
}: World): string => {
  const { state, own, cancels, sentAtBlock, verdict, included } = journal
  const used = chain.findIndex(({ tx }) => tx !== undefined)
  const mined = chain[used]
  const block = mined?.tx === undefined ? '' : `${codes[mined.tx]}${mined.branch}@${used}`
  const sent = sentAtBlock === undefined ? '' : Math.max(sentAtBlock, chain.length - oldAfterBlocks)
  const at = included && `${included.hash.slice(-2)}${included.blockHash.slice(-3)}`
  return `${chain.length}${block} ${baseFee}${final}${reorganisations} ${pool.map((tx) => codes[tx]).join('')} ${state} ${own}${cancels} ${sent} ${verdict?.[0]} ${at}`
}

/** From then on bytes are offered again, however far the head goes back. */
const oldAfterBlocks = 3 + depth
