import type { Amount } from '../../core/amount.ts'
import type { Token } from '../../core/token.ts'
import type { Found } from '../aftermath.ts'

/** A wish that came to nothing: a refused intent, or a swap that did not settle. */
export type Unfilled = {
  readonly strategy: string
  readonly sell: Amount
  readonly buy: Token
  /** The middle when it was decided; undefined where nothing was written down: then that of its end counts. */
  readonly decided: bigint | undefined
  readonly found: Found
}

/** What it cost not to trade, by strategy and pair. Money in the smallest unit of the bought token. */
export type OpportunityTotal = {
  readonly strategy: string
  readonly sell: Token
  readonly buy: Token
  readonly wishes: number
  /** By milliseconds after they came to nothing. Above zero is a cost: the market went away from the wish. */
  readonly costs: readonly {
    readonly afterMs: number
    readonly wishes: number
    readonly missing: number
    /** What would have been sold, at the middle of the decision. */
    readonly worth: bigint
    readonly cost: bigint
  }[]
}

type Cost = { wishes: number; missing: number; worth: bigint; cost: bigint }

type Own = Pick<OpportunityTotal, 'strategy' | 'sell' | 'buy'> & {
  wishes: number
  readonly costs: Map<number, Cost>
}

/** Adds up what the market did after wishes that came to nothing. */
export function createOpportunityTally() {
  const sums = new Map<string, Own>()
  return {
    add({ strategy, sell, buy, decided, found }: Unfilled): void {
      const key = [strategy, sell.token.address, buy.address].join(' ').toLowerCase()
      const own: Own = sums.get(key) ?? {
        ...{ strategy, sell: sell.token, buy, wishes: 0 },
        costs: new Map(),
      }
      sums.set(key, own)
      own.wishes += 1
      const before = decided ?? found.marks.find(({ afterMs }) => afterMs === 0)?.fair
      for (const { afterMs, fair } of found.marks) {
        const cost = own.costs.get(afterMs) ?? { wishes: 0, missing: 0, worth: 0n, cost: 0n }
        own.costs.set(afterMs, cost)
        if (before === undefined || fair === undefined) {
          cost.missing += 1
          continue
        }
        cost.wishes += 1
        cost.worth += before
        cost.cost += before - fair
      }
    },
    result: (): readonly OpportunityTotal[] =>
      [...sums.entries()]
        .sort(([a], [b]) => (a < b ? -1 : 1))
        .map(([, { costs, ...own }]) => ({
          ...own,
          costs: [...costs]
            .map(([afterMs, cost]) => ({ afterMs, ...cost }))
            .sort((a, b) => a.afterMs - b.afterMs),
        })),
  }
}
