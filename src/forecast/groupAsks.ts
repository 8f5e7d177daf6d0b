import type { Amount } from '../core/amount.ts'
import { sameToken, type Token } from '../core/token.ts'
import type { PlannedAsk } from '../dashboard/planView.ts'

/** Slots that are told in one row. */
export type AskGroup = {
  /** A day or a month where many slots share a row; undefined where the row is of its first slot. */
  readonly span: string | undefined
  readonly asks: readonly PlannedAsk[]
}

/** What fits a screen or two; beyond it nobody reads slot by slot. */
const rowsMax = 40

/** How many days are told one by one. */
const daysMax = 31

/**
 * Slots in rows: slots that wait for the same go together, and where there are still too many, those of a day or a
 * month do. A slot that a change of the clocks concerns is always a row of its own.
 */
export function groupAsks(asks: readonly PlannedAsk[]): readonly AskGroup[] {
  const runs = inRuns(asks, (ask) => (ask.kind === 'swap' ? ask.at : ruleOf(ask)))
  if (runs.length <= rowsMax) return runs.map((some) => ({ span: undefined, asks: some }))
  const days = inRuns(asks, dayOf)
  const [spans, spanOf] =
    new Set(asks.map(dayOf)).size <= daysMax ? [days, dayOf] : [inRuns(asks, monthOf), monthOf]
  return spans.map((some) => {
    const [first] = some
    const alone = first === undefined || some.length === 1
    return { span: alone ? undefined : spanOf(first), asks: some }
  })
}

/** On the clocks of the schedule: `Mon 4 Jan 2027`. */
const dayOf = ({ local }: PlannedAsk) => local.split(' ').slice(0, 4).join(' ')

/** `Jan 2027` */
const monthOf = ({ local }: PlannedAsk) => local.split(' ').slice(2, 4).join(' ')

const ruleOf = ({ kind, swaps }: PlannedAsk) =>
  [kind, ...swaps.flatMap(({ blockedBy }) => blockedBy)].join(' ')

/** Neighbours with the same key together. */
function inRuns(
  asks: readonly PlannedAsk[],
  keyOf: (ask: PlannedAsk) => string,
): readonly (readonly PlannedAsk[])[] {
  const runs: { key: string | undefined; asks: PlannedAsk[] }[] = []
  for (const ask of asks) {
    const key = ask.clocks === null ? keyOf(ask) : undefined
    const last = runs.at(-1)
    if (last !== undefined && key !== undefined && last.key === key) last.asks.push(ask)
    else runs.push({ key, asks: [ask] })
  }
  return runs.map((run) => run.asks)
}

/** Sums by token, in the order in which the tokens came. */
export function createTally() {
  const sums: { token: Token; wei: bigint }[] = []
  const of = (token: Token): Amount => ({
    token,
    wei: sums.find((one) => sameToken(one.token, token))?.wei ?? 0n,
  })
  return {
    add({ token, wei }: Amount): void {
      const sum = sums.find((one) => sameToken(one.token, token))
      if (sum === undefined) sums.push({ token, wei })
      else sum.wei += wei
    },
    of,
    all: (): readonly Amount[] => sums.map((sum) => ({ ...sum })),
  }
}
