import type { AmountText } from '../../core/amount.ts'
import { table } from '../../core/textLayout.ts'
import type { Combination } from '../../tape/parameterGrid.ts'
import type { ReplayReport } from '../../tape/replayReport.ts'
import { type About, labelled, labelledColumns, printAbout } from './printReplay.ts'

/** The text under every grid. */
export const overfitting =
  'The best row of a grid is mostly the luckiest one: it was chosen by the tape it was measured on. Believe it only if its neighbours are close to it, and if it holds on another tape.'

type Outcome = { readonly combination: Combination; readonly report: ReplayReport }

/** One row for each combination and each direction its strategies traded in, the cheapest first. */
export function gridRows(outcomes: readonly Outcome[]): readonly Row[] {
  return outcomes.flatMap(rowsOf).sort((a, b) => rank(a) - rank(b))
}

type Row = {
  readonly parameters: Readonly<Record<string, string>>
  readonly strategy: string
  readonly decided: number
  /** Swaps that were wanted and did not come about. */
  readonly reverted: number
  readonly unsent: number
  readonly direction: string | null
  readonly swaps: number
  readonly sold: AmountText | null
  readonly bought: AmountText | null
  readonly average: number | null
  readonly allInAgainstTwapBps: number | null
  readonly executionSkillBps: number | null
}

/** Rows that cannot be compared come last. */
const rank = ({ allInAgainstTwapBps }: Row) => allInAgainstTwapBps ?? Number.POSITIVE_INFINITY

function rowsOf({ combination, report }: Outcome): readonly Row[] {
  const parameters = Object.fromEntries(
    combination.map(({ strategy, key, value }) => [`${strategy}.${key}`, value]),
  )
  const touched = new Set(combination.map(({ strategy }) => strategy))
  return report.strategies
    .filter(({ strategy }) => touched.has(strategy))
    .flatMap(({ strategy, pairs, decided, reverted, unsent }): readonly Row[] => {
      const shared = {
        parameters,
        strategy,
        decided,
        reverted,
        unsent: unsent.reduce((sum, { times }) => sum + times, 0),
      }
      const empty = {
        direction: null,
        swaps: 0,
        sold: null,
        bought: null,
        average: null,
        allInAgainstTwapBps: null,
        executionSkillBps: null,
      }
      if (pairs.length === 0) return [{ ...shared, ...empty }]
      return pairs.map(({ sell, buy, swaps, sold, bought, benchmarks }) => ({
        ...shared,
        direction: `${sell} -> ${buy}`,
        swaps,
        sold,
        bought,
        average: benchmarks?.average ?? null,
        allInAgainstTwapBps: benchmarks?.allInAgainstTwapBps ?? null,
        executionSkillBps: benchmarks?.schedule?.executionSkillBps ?? null,
      }))
    })
}

/** The grid for a person. */
export function printGrid(about: About, rows: readonly Row[], columns: number): string {
  const names = Object.keys(rows[0]?.parameters ?? {})
  const text = (value: number | null) => (value === null ? '-' : String(value))
  const cells = rows.map((row) => [
    ...names.map((name) => row.parameters[name] ?? ''),
    row.direction ?? 'none',
    String(row.swaps),
    row.sold?.text ?? '-',
    row.bought?.text ?? '-',
    text(row.average),
    text(row.allInAgainstTwapBps),
    text(row.executionSkillBps),
    String(row.unsent + row.reverted),
  ])
  const head = [
    ...names,
    'direction',
    'swaps',
    'sold',
    'bought',
    'average',
    'all-in bps',
    'skill bps',
    'came to nothing',
  ]
  const parts = [printAbout(about), table([head, ...cells], labelledColumns(columns)), overfitting]
  return labelled(parts.join('\n\n'), about.source, columns)
}
