import type { AmountText } from '../core/amount.ts'
import { columnsMin, table, tableRows, wrapText } from '../core/textLayout.ts'
import type {
  PlannedAsk,
  PlannedBlock,
  PlannedMonth,
  PlannedStrategy,
  PlannedSwapView,
  PlanView,
} from '../dashboard/planView.ts'

/** `0.199203… WETH`: cut, never rounded, so that nothing looks like more than it is. The whole is in --json. */
export function shortAmount({ text, token }: AmountText): string {
  const [whole = '', fraction = ''] = text.split('.')
  if (fraction === '') return `${text} ${token}`
  const zeros = /^0*/.exec(fraction)?.[0].length ?? 0
  const kept = whole === '0' ? zeros + 4 : whole.length > 4 ? 2 : 6 - whole.length
  const cut = fraction.slice(0, kept)
  return `${whole}.${cut}${fraction.length > kept ? '…' : ''} ${token}`
}

/** Slots that share one row. */
type AskGroup = {
  /** A day or a month where many slots share a row; undefined where the row is of its first slot. */
  readonly span: string | undefined
  readonly asks: readonly PlannedAsk[]
}

/** The rows that fit a screen or two; beyond it no reader goes slot by slot. */
const rowsMax = 40

/** The number of days listed one by one. */
const daysMax = 31

/**
 * Slots in rows: slots that wait for the same go together, and where there are still too many, those of a day or a
 * month do. A slot that a change of the clocks concerns is always a row of its own.
 */
function groupAsks(asks: readonly PlannedAsk[]): readonly AskGroup[] {
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

/** A plan for a terminal of eighty columns. `all` leaves no slot out. */
export function formatPlan(plan: PlanView, { all }: { all: boolean }): string {
  const parts = [
    `Plan from ${minute(plan.from)} to ${minute(plan.until)}, if prices stay as they are.`,
    ...plan.strategies.map((one) => strategyText(one, all)),
    plan.months.length > 0 &&
      `By month\n${indented(table([monthHeader, ...plan.months.map(monthRow)], columnsMin - rowIndent))}`,
    plan.blocks.length > 0 &&
      `What will stand in the way\n${plan.blocks.map((one) => wrapText(blockText(one), 2)).join('\n')}`,
    plan.unknown.length > 0 &&
      `Not known\n${plan.unknown.map((sentence) => wrapText(sentence, 2)).join('\n')}`,
  ]
  return parts.filter((part) => part !== false).join('\n\n')
}

/** `2026-11-22 00:16Z` */
const minute = (iso: string) => `${iso.slice(0, 16).replace('T', ' ')}Z`

/** Below the name of the strategy. */
const rowIndent = 2

const indented = (text: string) => text.replace(/^(?=.)/gm, ' '.repeat(rowIndent))

function strategyText(strategy: PlannedStrategy, all: boolean): string {
  const { name, schedule, jitterSeconds, slots, facts, asks, plannedUntil } = strategy
  const jitter = jitterSeconds === null ? '' : `, each up to ${jitterSeconds} s later`
  const times = slots === 1 ? '1 slot' : `${slots} slots`
  const groups = all ? asks.map((ask) => ({ span: undefined, asks: [ask] })) : groupAsks(asks)
  // Of a period only those slots are listed at which something else comes than before.
  const noun = schedule.startsWith('every ') ? 'changes' : 'slots'
  const end =
    plannedUntil === null
      ? []
      : [wrapText(`Planned until ${minute(plannedUntil)}: what comes after is left out.`, 2)]
  return [
    wrapText(`${name}: ${schedule}${jitter}, ${times}`, 0),
    ...facts.map((fact) => wrapText(fact, 2)),
    ...(asks.length === 0 ? [] : [indented(rowsText(groups, noun))]),
    ...end,
  ].join('\n')
}

const header = ['slot', 'sells', 'for about', 'sold so far', 'impact']

/** A table of the rows that sell, with words and sentences of any length between them. */
function rowsText(groups: readonly AskGroup[], noun: string): string {
  const rows = groups.flatMap((group) =>
    cellsOf(group).map((cells, index, { length }) => ({
      cells,
      ...(index === length - 1 ? { word: wordOf(group, noun), notes: notesOf(group) } : {}),
    })),
  )
  const sells = rows.some(({ cells }) => cells.length > 1)
  const cells = rows.map((row) => row.cells)
  const [head = '', ...lines] = tableRows(
    sells ? [header, ...cells] : [[''], ...cells],
    columnsMin - rowIndent,
  )
  const width = Math.max(...cells.map(([first = '']) => first.length))
  const body = lines.flatMap((line, index) => {
    const { word = '', notes = [] } = rows[index] ?? {}
    const told = word === '' ? line : `${line.padEnd(width)}  ${word}`
    return [told, ...notes.map((note) => `    ${note}`)]
  })
  return [...(sells ? [head] : []), ...body].join('\n')
}

/** The title has the year. */
const dayAndTime = (local: string) => local.replace(/ \d{4}(?= \d{2}:)/, '')

/** The first swap stands for all of a group that wants the same. */
function cellsOf({ span, asks }: AskGroup): string[][] {
  const [first] = asks
  if (first === undefined) return []
  if (span !== undefined || first.swaps.length === 0) return [[span ?? dayAndTime(first.local)]]
  return first.swaps.map((swap, index) => [
    index === 0 ? dayAndTime(first.local) : '',
    ...swapCells(swap),
  ])
}

function wordOf({ span, asks }: AskGroup, noun: string): string {
  const [first] = asks
  if (span !== undefined) return `${asks.length} ${noun}: ${counted(asks)}`
  return first === undefined || first.swaps.length > 0 ? '' : words[first.kind]
}

const words: Readonly<Record<PlannedAsk['kind'], string>> = {
  swap: 'sells',
  blocked: 'blocked',
  wait: 'waits',
  postpone: 'puts it off',
  locked: 'locked',
  unknown: 'depends on what is not known',
}

function swapCells({
  sell,
  buy,
  recipient,
  received,
  soldSoFar,
  impactBps,
  blockedBy,
}: PlannedSwapView): string[] {
  const brings = received === null ? buy : shortAmount(received)
  const gets = recipient === null ? brings : `${brings} to ${recipient.slice(0, 6)}…`
  if (blockedBy.length > 0) return [shortAmount(sell), gets, blockedText(blockedBy)]
  const impact = impactBps === null ? '' : `${impactBps.toFixed(2)} bps`
  return [shortAmount(sell), gets, shortAmount(soldSoFar), impact]
}

/** The first rule; below the table all of them have their sentence, and the table its eighty columns. */
function blockedText([first = '', ...more]: readonly string[]): string {
  return more.length === 0 ? `blocked ${first}` : `blocked ${first} and ${more.length} more`
}

/** `1430 sell, 10 wait; 715 USDC so far` */
function counted(asks: readonly PlannedAsk[]): string {
  const kinds = [...new Set(asks.map(({ kind }) => kind))]
  const counts = kinds.map(
    (kind) => `${asks.filter((ask) => ask.kind === kind).length} ${plural[kind]}`,
  )
  const last = asks.flatMap(({ swaps }) => swaps).at(-1)
  const sum = last === undefined ? '' : `; ${shortAmount(last.soldSoFar)} so far`
  return `${counts.join(', ')}${sum}`
}

const plural: Readonly<Record<PlannedAsk['kind'], string>> = {
  swap: 'sell',
  blocked: 'blocked',
  wait: 'wait',
  postpone: 'are put off',
  locked: 'locked',
  unknown: 'depend on what is not known',
}

function notesOf({ span, asks }: AskGroup): readonly string[] {
  const [first] = asks
  const last = asks.at(-1)
  if (first === undefined || last === undefined || span !== undefined) return []
  const clocks = first.clocks === null ? [] : [first.clocks]
  const reason = first.swaps.length > 0 || first.reason === '' ? [] : [first.reason]
  const more =
    asks.length === 1
      ? []
      : [
          asks.length === 2
            ? `So does the next one, ${last.local}.`
            : `So do the next ${asks.length - 1}, until ${last.local}.`,
        ]
  return [...clocks, ...reason, ...more]
}

const monthHeader = ['month', 'strategy', 'swaps', 'sold', 'received', 'impact', 'gas']

function monthRow({ month, strategy, swaps, sold, received, impact, gas }: PlannedMonth): string[] {
  const sum = (amounts: PlannedMonth['sold']) =>
    amounts.length === 0 ? '?' : amounts.map(shortAmount).join(' + ')
  return [
    month,
    strategy,
    String(swaps),
    sum(sold),
    sum(received),
    sum(impact),
    gas === null ? '?' : shortAmount(gas),
  ]
}

function blockText({ strategy, rule, local, where, slots, sentence }: PlannedBlock): string {
  const place = where === null ? rule : `${rule} (${where})`
  const often = slots === null ? '' : slots === 1 ? '; one slot' : `; ${slots} slots`
  return `${local} ${strategy}: ${place}: ${sentence.replace(/\.$/, '')}${often}.`
}
