import { findBlockAt } from '../../chain/calls/findBlockAt.ts'
import { type Block, getBlock } from '../../chain/calls/node.ts'
import type { Rpc } from '../../chain/rpc/rpc.ts'
import { medianAmount } from '../../core/amount.ts'
import type { Clock } from '../../core/clock.ts'
import { display } from '../../core/display.ts'
import { BallastError } from '../../core/errors.ts'
import { hourMs, minuteMs, secondMs } from '../../core/spans.ts'
import type { Address, Token } from '../../core/token.ts'
import type { Awaited, Found, Looked, Mark } from '../aftermath.ts'
import type { Appraise } from '../stages.ts'
import { readBlock } from './readBlock.ts'
import { type AlonePool, readPoolsAlone } from './readPoolsAlone.ts'

type Looking = {
  readonly rpc: Rpc
  readonly appraise: Appraise
  readonly pools: readonly AlonePool[]
  /** Whether a source is not on the chain: it has to be read at the instant itself. */
  readonly hasOrderBook: boolean
  readonly wrapped: Token
  readonly router: Address
  readonly clock: Clock
}

/** So long after a swap's block, or after a wish came to nothing, the middle of the sources is looked at again. */
const horizonsMs = [0, secondMs, 10 * secondMs, minuteMs, hourMs] as const

/** So much later an order book that is not on the chain no longer speaks of the instant. */
const lateMsMax = 5 * secondMs

/** So long sources that are silent, or a node that is away, are asked again; then the mark is missing. */
const silentMsMax = 2 * minuteMs
const awayMsMax = hourMs

/** The next look after one that failed: later each time, so that an hour of failures is a dozen looks. */
const laterMs = (since: number) => Math.min(Math.max(since, secondMs), 5 * minuteMs)

/**
 * Takes one step of an aftermath: the block of a swap, or the next mark that is due. What cannot be read yet is tried
 * again, what cannot be read any more is missing with its reason. It only reads, and never throws what an endpoint did.
 */
export async function lookAfter(looking: Looking, awaited: Awaited): Promise<Looked> {
  const now = looking.clock.now()
  const { found, at } = awaited
  const afterMs = horizonsMs[found.marks.length]
  if (afterMs === undefined) return { found, at, nextAt: undefined }
  const due = at + afterMs
  try {
    const isBegun = found.marks.length > 0
    if (awaited.filled && !isBegun) return await lookAtBlock(looking, awaited, now)
    const newest = await findBlockAt(looking.rpc, due)
    if (newest === undefined) throw new Error('the node does not show its own blocks')
    const { block, isHead } = newest
    // A block reaches the node seconds after its time: before a later one is seen, one of this instant may still come.
    if (isHead && now < due + (looking.hasOrderBook ? lateMsMax : silentMsMax))
      return { found, at, nextAt: now + secondMs }
    const mark = await markOf(looking, awaited, { afterMs, due, block })
    if (mark.missing !== undefined && now < due + silentMsMax) return later({ found, at }, now, due)
    return withMark({ found, at }, mark)
  } catch (error) {
    if (now < due + awayMsMax) return later({ found, at }, now, due)
    const missing = display(error instanceof BallastError ? error.summary : String(error), 200)
    return withMark({ found, at }, { afterMs, readAt: now, block: undefined, missing })
  }
}

/** The state so far. */
type SoFar = Pick<Looked, 'found' | 'at'>

const later = (soFar: SoFar, now: number, due: number): Looked => ({
  ...soFar,
  nextAt: now + laterMs(now - due),
})

function withMark({ found, at }: SoFar, mark: Mark): Looked {
  const marks = [...found.marks, mark]
  const afterMs = horizonsMs[marks.length]
  return {
    found: { ...found, marks },
    at,
    nextAt: afterMs === undefined ? undefined : at + afterMs,
  }
}

/** The first look at a swap that was mined: its block's time is what marks count from. */
async function lookAtBlock(looking: Looking, awaited: Awaited, now: number): Promise<Looked> {
  const { rpc, router } = looking
  const { block: number = 0, hash, decisionBlock, found } = awaited
  const header = await rpc.request(getBlock(number))
  if (header === undefined) throw new Error(`the node does not show block ${number}`)
  const at = header.timestamp * 1_000
  const seen: Found =
    found.pools !== undefined
      ? found
      : {
          ...found,
          ...(hash === undefined
            ? {}
            : await readBlock(rpc, { blockHash: header.hash, hash, router })),
          pools: await Promise.all([
            ...(decisionBlock === undefined
              ? []
              : [
                  readPoolsAlone(
                    rpc,
                    { ...looking, ...awaited },
                    { when: 'decision', block: decisionBlock },
                  ),
                ]),
            readPoolsAlone(
              rpc,
              { ...looking, ...awaited },
              { when: 'inclusion', block: Math.max(0, number - 1) },
            ),
          ]),
        }
  const mark = await markOf(looking, awaited, { afterMs: 0, due: at, block: header })
  if (mark.missing !== undefined && now < awaited.at + silentMsMax)
    return { found: seen, at: awaited.at, nextAt: now + laterMs(now - awaited.at) }
  return withMark({ found: seen, at }, mark)
}

/** The middle of the independent sources as of an instant. */
async function markOf(
  { appraise, clock }: Looking,
  { sell, buy }: Awaited,
  {
    afterMs,
    due,
    block,
  }: { readonly afterMs: number; readonly due: number; readonly block: Block },
): Promise<Mark> {
  const { references, absent } = await appraise({
    sell,
    buy,
    asOf: { block: block.number, at: due },
  })
  const own = references.filter(
    ({ independent, at }) =>
      independent && at <= Math.max(due, block.timestamp * 1_000) + lateMsMax,
  )
  const fair = medianAmount(own.map((one) => one.fair))
  const read = { afterMs, readAt: clock.now(), block: block.number }
  if (fair !== undefined)
    return { ...read, fair: fair.wei, sources: own.map(({ source }) => source) }
  const reasons = absent.map(({ source, reason }) => `${source}: ${reason}`)
  return {
    ...read,
    missing: display(reasons.join('; ') || 'no independent source answered in time', 300),
  }
}
