import type { Amount } from '../../core/amount.ts'
import { assert } from '../../core/assert.ts'
import type { Token } from '../../core/token.ts'
import type { BookEntry } from './bookFacts.ts'
import type { Books } from './books.ts'

/** What came at once, and how much of it is left, first in, first out. Costs in the unit of account. */
export type Lot = {
  readonly entry: BookEntry
  readonly came: Amount
  readonly left: bigint
  /** Of what is left. */
  readonly cost: bigint
}

/** The same figure by both methods: first in first out, and weighted average. */
export type ByMethod = { readonly fifo: bigint; readonly average: bigint }

type Changing = { -readonly [name in keyof Lot]: Lot[name] }

/** All that is held of one token. */
type Pile = { token: Token; lots: Changing[]; first: number; wei: bigint; cost: bigint }

/**
 * The lots of a wallet by both methods. A part of a lot costs its share, rounded down; the rest stays with what is left, and
 * goes with the last of it: no unit of cost is ever lost.
 */
export function createLots() {
  const piles = new Map<string, Pile>()
  const pileOf = (token: Token): Pile => {
    const key = token.address.toLowerCase()
    const pile = piles.get(key) ?? { token, lots: [], first: 0, wei: 0n, cost: 0n }
    piles.set(key, pile)
    return pile
  }
  return {
    /** Enters one, and returns the cost of what left by it. */
    enter(entry: BookEntry): ByMethod {
      const { left, came, worth } = entry
      const gone = left === undefined ? { fifo: 0n, average: 0n } : take(pileOf(left.token), left)
      if (came !== undefined && came.wei > 0n) {
        const pile = pileOf(came.token)
        const cost = worth ?? 0n
        pile.lots.push({ entry, came, left: came.wei, cost })
        pile.wei += came.wei
        pile.cost += cost
      }
      return gone
    },
    /** Every lot there was, by token and in the order in which they came. */
    all: (): readonly Lot[] => [...piles.values()].flatMap(({ lots }) => lots),
    /** What is held by token, and its cost. */
    held: (): readonly { readonly held: Amount; readonly cost: ByMethod }[] =>
      [...piles.values()].map(({ token, lots, wei, cost }) => ({
        held: { token, wei },
        cost: { fifo: lots.reduce((sum, lot) => sum + lot.cost, 0n), average: cost },
      })),
  }
}

function take(pile: Pile, { wei }: Amount): ByMethod {
  assert(wei <= pile.wei, 'no more leaves the books than is in them')
  const average = wei === pile.wei ? pile.cost : (pile.cost * wei) / pile.wei
  pile.wei -= wei
  pile.cost -= average
  let [wanted, fifo] = [wei, 0n]
  for (; wanted > 0n; pile.first += 1) {
    const lot = pile.lots[pile.first]
    assert(lot !== undefined, 'lots come to what is held')
    const part = lot.left < wanted ? lot.left : wanted
    const cost = part === lot.left ? lot.cost : (lot.cost * part) / lot.left
    wanted -= part
    fifo += cost
    lot.left -= part
    lot.cost -= cost
    if (lot.left > 0n) break
  }
  return { fifo, average }
}

/** The entries that lots are made of: from those that open the books to the last quiet valuation, behind which flows are unknown. */
export function completeEntries(books: Books): readonly BookEntry[] {
  const last = books.quiet.at(-1)
  return last === undefined ? [] : openedEntries(books).filter(({ at }) => at <= last.at)
}

/** From the valuation that opens the books on, which holds what came before it; all where there is none yet. */
export function openedEntries({ entries, quiet: [first] }: Books): readonly BookEntry[] {
  if (first === undefined) return entries
  const begin = entries.findIndex(({ kind, at }) => kind === 'opening' || at > first.at)
  return begin < 0 ? [] : entries.slice(begin)
}
