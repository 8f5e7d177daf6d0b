import type { Address } from '../../core/token.ts'
import { uniswapV3PoolAbi as abi } from '../abi/contracts.ts'
import type { BlockId } from '../calls/fields.ts'
import type { Block } from '../calls/node.ts'
import { readContract } from '../calls/readContract.ts'
import type { RpcCall, RpcOutcome } from '../rpc/rpc.ts'
import type { PoolState } from './poolState.ts'
import { tickMax, ticksPerWord } from './ticks.ts'

/** At least so far around the price ticks are read: about 22 %. Beyond, the pool counts as empty. */
const reachTicks = 2_048

/** Reads of one pool, block by block. */
type PoolReader<state> = {
  reads(block: BlockId): readonly RpcCall<unknown>[]
  at(block: Pick<Block, 'hash'>, answers: Answers): state | Unfinished<state> | undefined
}

/** A state that depends on what was read: these must be requested too, at the same block. */
export type Unfinished<state> = {
  readonly reads: readonly RpcCall<unknown>[]
  finish(answers: Answers): state | Unfinished<state> | undefined
}

type Answers = readonly RpcOutcome<unknown>[]

type TickAnswer = readonly [liquidityGross: bigint, liquidityNet: bigint]

/** The known part of a block so far, by bitmap word and by tick. */
type Found = {
  readonly words: ReadonlyMap<number, bigint>
  readonly ticks: ReadonlyMap<number, TickAnswer>
}

/**
 * Reads a pool's price, the bitmap around it and every tick that is initialised there.
 *
 * The last block's words and ticks are requested again at once, which is all there is unless the price went far or a
 * position was opened. Then the bitmap of the block itself shows what is missing, and one more round reads it: nothing
 * of an earlier block, or of one that was reorganised away, is ever part of a state.
 */
export function readPool<state>(
  { address, fee, spacing }: { address: Address; fee: number; spacing: number },
  quote: (pool: PoolState) => state,
): PoolReader<state> {
  const reach = Math.ceil(reachTicks / (ticksPerWord * spacing))
  let last: { words: readonly number[]; ticks: readonly number[] } = { words: [], ticks: [] }
  const word = (block: BlockId) => (position: number) =>
    readContract({ address, abi, functionName: 'tickBitmap', args: [position], block })
  const tick = (block: BlockId) => (at: number) =>
    readContract({ address, abi, functionName: 'ticks', args: [at], block })

  return {
    reads: (block) => [
      readContract({ address, abi, functionName: 'slot0', args: [], block }),
      readContract({ address, abi, functionName: 'liquidity', args: [], block }),
      ...last.words.map(word(block)),
      ...last.ticks.map(tick(block)),
    ],
    at({ hash }, [slot0, inRange, ...rest]) {
      if (slot0?.ok !== true || inRange?.ok !== true) return undefined
      const [price, current] = slot0.value as readonly [bigint, number]
      if (price === 0n) return undefined
      const block = { blockHash: hash }
      const words = wordsAround(current, { spacing, reach })

      const complete = (found: Found): state | Unfinished<state> | undefined => {
        const unknownWords = words.filter((position) => !found.words.has(position))
        if (unknownWords.length > 0)
          return unfinished(unknownWords.map(word(block)), (more) =>
            complete({ ...found, words: joined(found.words, unknownWords, more) }),
          )
        const ticks = ticksIn(words, found.words, spacing)
        const unknownTicks = ticks.filter((at) => !found.ticks.has(at))
        if (unknownTicks.length > 0)
          return unfinished(unknownTicks.map(tick(block)), (more) =>
            complete({ ...found, ticks: joined(found.ticks, unknownTicks, more) }),
          )
        last = { words, ticks }
        return quote({
          price,
          tick: current,
          liquidity: inRange.value as bigint,
          fee: BigInt(fee),
          spacing,
          ticks: ticks.map((at) => ({ tick: at, net: found.ticks.get(at)?.[1] ?? 0n })),
          ...boundsOf(words, spacing),
        })
      }
      const { length } = last.words
      return complete({
        words: joined(new Map<number, bigint>(), last.words, rest.slice(0, length)),
        ticks: joined(new Map<number, TickAnswer>(), last.ticks, rest.slice(length)),
      })
    },
  }
}

/** A failed read ends the pool for this block: retries would never end. */
function unfinished<state>(
  reads: readonly RpcCall<unknown>[],
  finish: (answers: Answers) => state | Unfinished<state> | undefined,
): Unfinished<state> {
  return {
    reads,
    finish: (answers) =>
      answers.length === reads.length && answers.every(({ ok }) => ok)
        ? finish(answers)
        : undefined,
  }
}

function joined<value>(
  known: ReadonlyMap<number, value>,
  keys: readonly number[],
  answers: Answers,
): ReadonlyMap<number, value> {
  const entries = keys.flatMap((key, index): [number, value][] => {
    const answer = answers[index]
    return answer?.ok === true ? [[key, answer.value as value]] : []
  })
  return new Map([...known, ...entries])
}

function wordsAround(
  tick: number,
  { spacing, reach }: { spacing: number; reach: number },
): readonly number[] {
  const middle = Math.floor(Math.floor(tick / spacing) / ticksPerWord)
  const edge = Math.floor(Math.floor(tickMax / spacing) / ticksPerWord)
  return Array.from({ length: 2 * reach + 1 }, (_, index) => middle - reach + index).filter(
    (position) => position >= -edge - 1 && position <= edge,
  )
}

function ticksIn(
  positions: readonly number[],
  words: ReadonlyMap<number, bigint>,
  spacing: number,
): readonly number[] {
  return positions.flatMap((position) => {
    const bits = words.get(position) ?? 0n
    if (bits === 0n) return []
    return Array.from({ length: ticksPerWord }, (_, bit) => bit)
      .filter((bit) => ((bits >> BigInt(bit)) & 1n) === 1n)
      .map((bit) => (position * ticksPerWord + bit) * spacing)
  })
}

/** The first and the last stop the words know of. */
function boundsOf(
  words: readonly number[],
  spacing: number,
): { readonly lowest: number; readonly highest: number } {
  const [first, last] = [Math.min(...words), Math.max(...words)]
  return {
    lowest: Math.max(first * ticksPerWord * spacing, -tickMax),
    highest: Math.min((last * ticksPerWord + ticksPerWord - 1) * spacing, tickMax),
  }
}
