import { table, wrapLines } from '../../core/textLayout.ts'
import type { Parity } from '../../tape/createParity.ts'
import type { ReplayReport, StrategyReport } from '../../tape/replayReport.ts'

/** A replay's description of itself before any result. */
export type About = {
  readonly mode: 'replay'
  readonly source: 'recorded' | 'synthetic'
  readonly tape: {
    readonly files: readonly string[]
    readonly chain: string
    readonly service: string
    readonly from: string
    readonly until: string
    readonly books: number
    readonly booksMissing: number
    readonly heads: number
    readonly torn: readonly string[]
    readonly steppedBack: number
    readonly indicativeQuotes: Parity
  }
  readonly assumptions: readonly string[]
  /** Facts that the figures below do not show by themselves. */
  readonly hints: readonly string[]
}

/** Enough to see what kept a strategy from trading; the rest is in --json. */
const reasonsShown = 6
const slotsShown = 10

/** A replay for a person. */
export function printReplay(
  about: About,
  { strategies, wallet, value }: ReplayReport,
  columns: number,
): string {
  const parts = [
    printAbout(about),
    ...strategies.map(printStrategy),
    table(
      [
        ['wallet', 'before', 'after'],
        ...wallet.map(({ token, before, after }) => [token, before.text, after.text]),
        ...(value === null
          ? []
          : [[`worth in ${value.after.token}`, value.before.text, value.after.text]]),
      ],
      labelledColumns(columns),
    ),
    ...(value === null
      ? []
      : [
          `Held without a swap it would be worth ${value.holding.text} ${value.holding.token}: ${value.againstHoldingBps} bps against that.`,
        ]),
  ]
  return labelled(parts.join('\n\n'), about.source, columns)
}

/** The tape and what is assumed: above every result. */
export function printAbout({ tape, assumptions, hints }: About): string {
  const { torn, steppedBack, booksMissing, indicativeQuotes: parity } = tape
  return [
    `tape: ${tape.chain}, ${tape.service}, ${tape.from} to ${tape.until}`,
    `${tape.books} looks at the book, ${booksMissing} without one; ${tape.heads} heads`,
    ...(parity.compared === 0
      ? []
      : [
          `${parity.compared} indicative quotes against the walk of their books: median ${parity.medianBps} bps, furthest ${parity.furthestBps} bps (above zero: the service indicated more)`,
        ]),
    ...torn.map((place) => `torn: ${place} is cut off, and was left out`),
    ...(steppedBack === 0
      ? []
      : [`${steppedBack} lines were written after the clock was set back`]),
    'Assumed:',
    ...assumptions.map((sentence) => `  - ${sentence}`),
    ...hints,
  ].join('\n')
}

function printStrategy(report: StrategyReport): string {
  const { strategy, asked, decided, wanted, settled, reverted, revertedGas, slots } = report
  const lines = [
    `${strategy}: called ${asked} times, saw a market ${decided} times, wanted ${wanted} swaps, ${settled} settled, ${reverted} reverted${reverted === 0 ? '' : ` (${revertedGas.text} ${revertedGas.token} of gas)`}`,
  ]
  for (const pair of report.pairs) lines.push(...printPair(pair))
  for (const [title, counts, whose] of [
    ['waited', report.waits, ', the last'],
    ['no market', report.unseen, ''],
    ['not sent', report.unsent, ''],
  ] as const) {
    for (const { reason, times } of counts.slice(0, reasonsShown))
      lines.push(`  ${title} ${times} times${times === 1 ? '' : whose}: ${reason}`)
    if (counts.length > reasonsShown)
      lines.push(`  ${title}: ${counts.length - reasonsShown} more reasons`)
  }
  if (slots !== null) {
    const { done, passed, failed, missed, notDone } = slots
    lines.push(`  slots: ${done} done, ${passed} passed, ${failed} failed, ${missed} missed`)
    for (const { at, state, reason } of notDone.slice(0, slotsShown))
      lines.push(`    ${at} ${state}: ${reason}`)
    if (notDone.length > slotsShown) lines.push(`    … ${notDone.length - slotsShown} more`)
  }
  return lines.join('\n')
}

function printPair(pair: StrategyReport['pairs'][number]): readonly string[] {
  const { sell, buy, swaps, sold, bought, gas, benchmarks } = pair
  const first = `  ${sell} -> ${buy}: ${swaps} swaps, sold ${sold.text} ${sell}, bought ${bought.text} ${buy}, gas ${gas.text} ${gas.token}`
  if (benchmarks === null) return [first, '    no benchmark: the tape has no middle of this pair']
  const { unit, schedule } = benchmarks
  const line = (name: string, price: number | null, bps: number | null) =>
    `    ${name.padEnd(16)}${price === null ? 'none' : `${price} ${unit}`}${bps === null ? '' : `: cost ${bps} bps`}`
  return [
    first,
    line('average', benchmarks.average, benchmarks.costAgainstDecisionBps).replace(
      ': cost',
      ', against the middles it was decided at',
    ),
    line('with gas', benchmarks.averageAllIn, benchmarks.allInAgainstTwapBps).replace(
      ': cost',
      ', against the time-weighted average',
    ),
    line('time-weighted', benchmarks.twap, benchmarks.costAgainstTwapBps),
    line('arrival', benchmarks.arrival, benchmarks.costAgainstArrivalBps),
    `    ${'all at once'.padEnd(16)}${benchmarks.lumpSum === null ? 'more than the first book had' : `${benchmarks.lumpSum} ${unit}`}`,
    ...(schedule === null
      ? []
      : [
          `    ${'schedule'.padEnd(16)}${schedule.scheduledMid} ${unit} at ${schedule.slotsWithMid} of ${schedule.slots} slots: execution ${schedule.executionSkillBps} bps, luck of timing ${schedule.timingLuckBps ?? 'unknown'} bps${schedule.fixedAmount ? '' : '; the amounts differ, and each slot counts the same'}`,
        ]),
  ]
}

const label = 'SYNTHETIC  '

/** The width that every line leaves to its label. */
export const labelledColumns = (columns: number) => columns - label.length

/** Every line of a result that no market made states so: lines are cut out and passed on. */
export function labelled(text: string, source: About['source'], columns: number): string {
  if (source === 'recorded') return text
  return wrapLines(text, labelledColumns(columns))
    .split('\n')
    .map((line) => (label + line).trimEnd())
    .join('\n')
}
