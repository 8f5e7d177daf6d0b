import type { Votes } from './fields.ts'
import type { Memory } from './strategy.ts'

type Vote = Votes & {
  readonly yes: boolean
  readonly slot: number
  /** Outcomes older than this confirm nothing any more: there was a pause in between. */
  readonly withinSeconds: number
}

/** How many of the last outcomes were a yes, whether that is enough, and what a strategy is to remember of them. */
export type Tally = Votes & {
  readonly count: number
  readonly enough: boolean
  readonly memory: Memory
}

/** Counts one more outcome to those a strategy remembers. */
export function tally(
  memory: Memory | undefined,
  { need, of, yes, slot, withinSeconds }: Vote,
): Tally {
  const { votes, votedAt } = memory ?? {}
  const known = typeof votes === 'string' && typeof votedAt === 'number'
  const recent = known && slot - votedAt <= withinSeconds * 1_000 ? votes : ''
  const last = `${recent}${yes ? 1 : 0}`.slice(-of)
  const count = last.split('1').length - 1
  return { need, of, count, enough: count >= need, memory: { votes: last, votedAt: slot } }
}
