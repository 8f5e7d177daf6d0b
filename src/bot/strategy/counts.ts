import type { Amount } from '../../core/amount.ts'
import type { Price } from '../../core/price.ts'
import type { Token } from '../../core/token.ts'
import { maxOf, minOf } from './amounts.ts'
import type { Votes } from './fields.ts'
import type { Memory } from './strategy.ts'

/** The intended sales of all slots until now, in the smallest unit. */
export type SlotCount = {
  /** Intended before this slot in all, as far as it was sold or is carried. */
  readonly before: bigint
  /** Added by this slot. */
  readonly intended: bigint
  /** Whether that is the slot's last word. */
  readonly final: boolean
  /** Intended by earlier slots, not sold, and not carried. */
  readonly dropped: bigint
  /** Due by now and not sold. A swap that failed after its slot is carried like any other, or dropped. */
  readonly owed: bigint
  readonly memory: Memory
}

type Slot = {
  readonly slot: number
  /** Sold by now, swaps in flight included. From the journal. */
  readonly spent: bigint
  /** The share of the amount earlier slots left unsold that is carried to this one. */
  readonly carries: bigint
  readonly intended: bigint
  readonly final: boolean
}

/** Whether a slot was counted already: it is evaluated again, or out of turn. */
export function isCounted(memory: Memory | undefined, slot: number): boolean {
  return typeof memory?.slot === 'number' && slot <= memory.slot
}

/**
 * Counts the intention of a slot once, however often it is evaluated: its first final one stays. What is missing
 * of it is `before + intended` less what was really sold, so a swap that failed is wanted again and one that settled
 * is not. All that was ever intended is sold, carried or dropped.
 */
export function countSlot(memory: Memory | undefined, { slot, spent, ...now }: Slot): SlotCount {
  const last = memory && recall(memory)
  const owing = (count: Kept) => {
    const missing = count.before + count.intended - spent
    return remembered(count, maxOf(0n, minOf(missing, count.intended + now.carries)))
  }
  if (last !== undefined && isCounted(memory, slot)) {
    const { intended, final } = last.final ? last : now
    return owing({ ...last, intended, final })
  }
  const unsold = last === undefined ? 0n : maxOf(0n, last.before + last.intended - spent)
  const carried = minOf(unsold, now.carries)
  return owing({
    slot,
    before: spent + carried,
    intended: now.intended,
    final: now.final,
    dropped: (last?.dropped ?? 0n) + unsold - carried,
  })
}

type Kept = Omit<SlotCount, 'owed' | 'memory'> & { readonly slot: number }

function remembered({ slot, ...count }: Kept, owed: bigint): SlotCount {
  const { before, intended, final, dropped } = count
  const memory = {
    slot,
    final,
    before: `${before}`,
    intended: `${intended}`,
    dropped: `${dropped}`,
  }
  return { ...count, owed, memory }
}

function recall({ slot, final, before, intended, dropped }: Memory): Kept | undefined {
  if (typeof slot !== 'number') return undefined
  return {
    slot,
    final: final === true,
    before: BigInt(before ?? 0),
    intended: BigInt(intended ?? 0),
    dropped: BigInt(dropped ?? 0),
  }
}

type Vote = Votes & {
  readonly yes: boolean
  readonly slot: number
  /**
   * When the look happens, `now` of its context: a look that waited for the swap of another strategy makes no pause before
   * the next slot. Without it, the slot.
   */
  readonly at?: number
  /** A slot that is due later than this after the last look confirms nothing any more: there was a pause in between. */
  readonly withinSeconds: number
}

/** The number of yes among the last outcomes, whether it is enough, and the strategy's memory of them. */
export type VoteCount = Votes & {
  readonly count: number
  readonly enough: boolean
  readonly memory: Memory
}

/** A price in the notes of a strategy, under `<name>Sold` and `<name>Bought`. */
export const notePrice = (name: string, { sold, bought }: Price): Memory => ({
  [`${name}Sold`]: `${sold.wei}`,
  [`${name}Bought`]: `${bought.wei}`,
})

/** The price of a pair that a strategy noted under this name; undefined where it did not. */
export function recallPrice(
  memory: Memory | undefined,
  name: string,
  { sell, buy }: { readonly sell: Amount; readonly buy: Token },
): Price | undefined {
  const [sold, bought] = [memory?.[`${name}Sold`], memory?.[`${name}Bought`]]
  if (typeof sold !== 'string' || typeof bought !== 'string') return undefined
  return {
    sold: { token: sell.token, wei: BigInt(sold) },
    bought: { token: buy, wei: BigInt(bought) },
  }
}

/** Counts one more outcome to those a strategy remembers. A slot has one: a later turn at it replaces the earlier. */
export function countVotes(
  memory: Memory | undefined,
  { need, of, yes, slot, at = slot, withinSeconds }: Vote,
): VoteCount {
  const { votes, votedAt, votedSlot } = memory ?? {}
  const known = typeof votes === 'string' && typeof votedAt === 'number'
  const recent = known && slot - votedAt <= withinSeconds * 1_000 ? votes : ''
  const earlier = votedSlot === slot ? recent.slice(0, -1) : recent
  const last = `${earlier}${yes ? 1 : 0}`.slice(-of)
  const count = last.split('1').length - 1
  return {
    need,
    of,
    count,
    enough: count >= need,
    memory: { votes: last, votedAt: at, votedSlot: slot },
  }
}
