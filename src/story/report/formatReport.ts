import { countOf } from '../../core/countOf.ts'
import { formatDecimal } from '../../core/decimal.ts'
import { display, shortAddress } from '../../core/display.ts'
import { toSecond } from '../../core/isoText.ts'
import { showRate } from '../../core/showRate.ts'
import { paragraph, table } from '../../core/textLayout.ts'
import { briefAmount } from '../figures.ts'
import type { ReportText } from './reportText.ts'

/** A report for a person, within eighty columns. */
export function formatReport(
  report: ReportText,
  { currency }: { readonly currency: string },
): string {
  const parts = [
    executionText(report),
    qualityText(report),
    swapsText(report),
    ratesText(report, currency),
    opportunityText(report),
    venuesText(report),
    makersText(report),
    schedulesText(report),
    parityText(report),
  ]
  return parts.flatMap((lines) => (lines.length === 0 ? [] : [lines.join('\n')])).join('\n\n')
}

const costs = ['delay', 'spread', 'slip', 'gas', 'all in']

const whose = (one: { readonly strategy: string; readonly sell: string; readonly buy: string }) => [
  `  ${one.strategy.slice(0, 16)}`,
  `${one.sell}>${one.buy}`,
]

function executionText({ execution }: ReportText): readonly string[] {
  if (execution.length === 0) return []
  const amounts = execution.map((one) => [
    ...whose(one),
    String(one.swaps),
    briefAmount(one.sold),
    briefAmount(one.received),
  ])
  const rows = execution.map((one) => [
    ...whose(one),
    ...(one.bps === null
      ? ['no benchmark']
      : [one.bps.delay ?? 0, one.bps.spread, one.bps.slippage, one.bps.gas ?? 0, one.bps.total].map(
          bps,
        )),
  ])
  const notes = execution.flatMap((one) => {
    const who = `${one.strategy} ${one.sell}>${one.buy}`
    const tips = one.cost?.gasTip
    return [
      ...(tips === undefined || tips.wei === '0'
        ? []
        : [`${who}: ${briefAmount(tips)} of the gas are tips`]),
      ...(one.gasUnpriced === 0
        ? []
        : [`${who}: the gas of ${one.gasUnpriced} swaps has no price and is not in it`]),
      ...(one.indicationOnly + one.withoutBenchmark === 0
        ? []
        : [
            `${who}: ${one.measured} of ${one.swaps} swaps are measured; of ${one.indicationOnly} only the indication is known, of ${one.withoutBenchmark} nothing`,
          ]),
    ]
  })
  return [
    'Execution: cost in bps of the middle at the decision; below zero is a gain',
    table([['  strategy', 'pair', 'swaps', 'sold', 'received'], ...amounts]),
    table([['  strategy', 'pair', ...costs], ...rows]),
    ...notes.map((one) => paragraph('', one)),
  ]
}

/** The instants after a block or an end that have a column. */
const instants = [
  [1, '+1 s'],
  [10, '+10 s'],
  [60, '+1 min'],
  [3_600, '+1 h'],
] as const

type Instant = { readonly afterSeconds: number; readonly bps: number | null }

/** A figure for each of them; empty where it is not due yet, `?` where it is not known. */
const atInstants = (marks: readonly Instant[]) =>
  instants.map(([seconds]) => {
    const found = marks.find(({ afterSeconds }) => afterSeconds === seconds)
    return found === undefined ? '' : orUnknown(found.bps)
  })

const orUnknown = (value: number | null | undefined) =>
  value === null || value === undefined ? '?' : bps(value)

function qualityText({ quality }: ReportText): readonly string[] {
  const seen = quality.filter(({ markouts }) => markouts.length > 0)
  if (seen.length === 0) return []
  const header = ['  strategy', 'pair', 'eff. spread', ...instants.map(([, name]) => name), 'pools']
  const rows = seen.map((one) => [
    ...whose(one),
    orUnknown(one.effectiveSpreadBps),
    ...atInstants(one.markouts),
    orUnknown(one.pools.find(({ when }) => when === 'inclusion')?.bps),
  ])
  const notes = seen.flatMap((one) => {
    const who = `${one.strategy} ${one.sell}>${one.buy}`
    const missing = one.markouts.reduce((sum, mark) => sum + mark.missing, 0)
    const { checked, neighboured, suspected } = one.sandwich
    return [
      ...(missing === 0 ? [] : [`${who}: ${missing} marks could not be read and are in no sum`]),
      ...(neighboured === 0
        ? []
        : [
            `${who}: ${neighboured} of ${checked} swaps through pools had neighbours in their block, ${suspected === 0 ? 'none of them like a sandwich' : `${suspected} LIKE A SANDWICH: --json names the transactions`}`,
          ]),
    ]
  })
  return [
    'Afterwards: bps of the middle then, what came less what it was worth; above zero',
    'the price was good. pools: over the best single pool a block before the swap',
    table([header, ...rows]),
    ...notes.map((one) => paragraph('', one)),
  ]
}

function swapsText({ newest }: ReportText): readonly string[] {
  if (newest.length === 0) return []
  const shown = newest.toReversed()
  const id = (one: (typeof newest)[number]) => `  ${one.id.slice(0, 8)}`
  const prices = shown.map((one) => [
    id(one),
    one.at.slice(5, 16).replace('T', ' '),
    one.sold === null ? '' : briefAmount(one.sold),
    one.benchmark === 'independent sources' ? short(one.prices.decision) : 'no mid',
    one.benchmarkAgeMs === null ? '' : `${Math.round(one.benchmarkAgeMs / 1_000)} s`,
    short(one.prices.realised),
  ])
  const rows = shown.map((one) => [
    id(one),
    ...(one.bps === null
      ? ['no benchmark']
      : [one.bps.delay, one.bps.spread, one.bps.slippage, one.bps.gas, one.bps.total].map((part) =>
          part === null ? '?' : bps(part),
        )),
  ])
  const after = shown
    .filter(({ markouts }) => markouts.length > 0)
    .map((one) => [
      id(one),
      orUnknown(one.effectiveSpreadBps),
      ...atInstants(one.markouts),
      orUnknown(one.pools.find(({ when }) => when === 'inclusion')?.bps),
      one.sandwich?.suspected === true ? 'LIKE A SANDWICH' : '',
    ])
  const lacking = newest.some(({ benchmark }) => benchmark === 'indication')
  return [
    `The newest ${newest.length} (prices: bought per sold; age: of the oldest source then)`,
    table([['  swap', 'at (UTC)', 'sold', 'decided', 'age', 'realised'], ...prices]),
    table([['  swap', ...costs], ...rows]),
    ...(after.length === 0
      ? []
      : [
          table([
            ['  swap', 'eff. spread', ...instants.map(([, name]) => name), 'pools', ''],
            ...after,
          ]),
        ]),
    ...(lacking
      ? [paragraph('no mid', 'held to the indication it was shown, which is no middle of a market')]
      : []),
  ]
}

function opportunityText({ opportunity }: ReportText): readonly string[] {
  const seen = opportunity.filter((one) => one.costs.length > 0)
  if (seen.length === 0) return []
  return [
    'Wishes that came to nothing: bps that the market went away from them since the',
    'decision; below zero, not to trade has paid',
    table([
      ['  strategy', 'pair', 'wishes', ...instants.map(([, name]) => name)],
      ...seen.map((one) => [...whose(one), String(one.wishes), ...atInstants(one.costs)]),
    ]),
  ]
}

function makersText({ makers }: ReportText): readonly string[] {
  if (makers.length === 0) return []
  const header = ['offered', 'taken', 'filled', 'decl.', 'faded', 'ms', 'mid', 'pools', '+1 min']
  return [
    'Makers by leg (ms: firm quotes with one; bps over the middle and over the pools;',
    '+1 min: the mark-out; above zero is good for the wallet)',
    table([
      ['  maker', ...header],
      ...makers.map((one) => [
        `  ${routeText(one.maker)}`,
        ...[one.offered, one.taken, one.filled, one.declined, one.faded].map(String),
        one.quoteMs === null ? '?' : String(one.quoteMs.half),
        orUnknown(one.overMiddleBps),
        orUnknown(one.overPoolsBps),
        atInstants(one.markouts)[2] ?? '',
      ]),
    ]),
  ]
}

function ratesText({ rates, unplanned, timing, gasForNothingWei }: ReportText, currency: string) {
  const { shares, stopped } = rates
  const of = (share: number | null) => (share === null ? '' : ` (${share} %)`)
  const lines = ['How far they came']
  const say = (label: string, text: string) => lines.push(paragraph(label, text))
  say(
    'rates',
    `planned ${rates.planned}, firm quote ${rates.quoted}${of(shares.quotedOfPlanned)}, accepted ${rates.accepted}${of(shares.acceptedOfQuoted)}, signed ${rates.signed}, sent ${rates.sent}${of(shares.sentOfAccepted)}, taken ${rates.taken}${of(shares.takenOfSent)}, settled ${rates.settled}${of(shares.settledOfSent)}`,
  )
  say(
    'ends',
    `reverted ${rates.reverted}, expired ${rates.expired} (${rates.expiredUnsent} unsent), displaced ${rates.displaced}, open ${rates.open}`,
  )
  if (unplanned.length > 0)
    say(
      'not planned',
      unplanned.map(({ code, count }) => `${display(code, 64)} × ${count}`).join(', '),
    )
  if (stopped.length > 0)
    say('stopped', stopped.map(({ code, count }) => `${display(code, 64)} × ${count}`).join(', '))
  const { quoteAgeMs, inclusionMs, inclusionBlocks, leftSeconds } = timing
  // A noun has a plural, and the sign of a unit has none.
  const unitOf = (count: number, unit: string) =>
    unit === 'block' ? countOf(count, unit) : `${count} ${unit}`
  const seen = (
    value: { half: number; most: number } | null,
    unit: string,
    scale = 1,
  ): string | undefined =>
    value === null
      ? undefined
      : `${unitOf(value.half / scale, unit)} (95 %: ${unitOf(value.most / scale, unit)})`
  const times = [
    ['quote age when signed', seen(quoteAgeMs, 'ms')],
    ['sent to seen in a block', seen(inclusionMs, 's', 1_000)],
    ['which took', seen(inclusionBlocks, 'block')],
    ['left of the deadline then', seen(leftSeconds, 's')],
  ].flatMap(([name, text]) => (text === undefined ? [] : [`${name} ${text}`]))
  if (times.length > 0) say('times', times.join('; '))
  if (gasForNothingWei !== '0')
    say(
      'gas',
      `${formatDecimal(BigInt(gasForNothingWei), 18)} ${currency} for swaps that moved nothing`,
    )
  return lines
}

function venuesText({ venues }: ReportText): readonly string[] {
  if (venues.length === 0) return []
  const header = ['  route', 'quotes', 'sent', 'settled', 'faded', 'rate', 'over ind.', 'slip']
  return [
    'Who filled (rate: (faded + 1) / (sent + 20), so that few swaps prove little;',
    'over the indication and slippage in bps)',
    table([
      header,
      ...venues.map((one) => [
        `  ${routeText(one.source)}`,
        String(one.accepted),
        String(one.sent),
        String(one.settled),
        String(one.faded),
        `${(one.fadeRate * 100).toFixed(1)} %`,
        orUnknown(one.overIndicationBps),
        one.slippageBps === null ? '' : bps(one.slippageBps),
      ]),
    ]),
  ]
}

function schedulesText({ schedules, slots }: ReportText): readonly string[] {
  const lines: string[] = []
  const say = (label: string, text: string) => lines.push(paragraph(label, text))
  for (const one of schedules.filter(({ fills }) => fills > 1)) {
    const { averagePrice, scheduledMid, executionSkillBps, timeWeightedMid, timingLuckBps } = one
    const verb = one.side === 'buy' ? 'paid' : 'got'
    lines.push(`  ${display(one.strategy, 40)}, ${one.fills} fills, ${one.price}`)
    say('average', `${verb} ${showRate(averagePrice)}`)
    if (scheduledMid === null || executionSkillBps === null) {
      say('execution', 'no benchmark: no middle of the market was written down at its instants')
      continue
    }
    const mean = one.side === 'buy' ? 'harmonic mean' : 'mean'
    say(
      'execution',
      `${compared(executionSkillBps)} than the ${mean} of the middle at its instants, ${showRate(scheduledMid)} (${one.withMid} of ${one.fills} fills)${one.fixedAmount ? '' : '; the amounts differ, and each instant counts the same'}`,
    )
    if (timeWeightedMid !== null && timingLuckBps !== null)
      say(
        'timing',
        `luck: its instants were ${compared(timingLuckBps)} than the time-weighted middle, ${showRate(timeWeightedMid)}`,
      )
    if (one.firstMid !== null && one.againstFirstBps !== null)
      say(
        'at once',
        `${compared(one.againstFirstBps)} than all at the first instant, ${showRate(one.firstMid)}`,
      )
  }
  for (const { strategy, done, passed, missed, failed } of slots.counts)
    lines.push(
      `  ${display(strategy, 40)}, calendar: ${done} done, ${passed} passed, ${missed} missed, ${failed} failed`,
    )
  for (const { strategy, slot, slots: count, upto, state, reason } of slots.notDone.slice(-20))
    say(
      state,
      `${strategy} ${toSecond(slot)}${count === 1 ? '' : ` to ${toSecond(upto)} (${count} slots)`}: ${reason}; no benchmark`,
    )
  if (slots.notDone.length > 20)
    say('', `and ${slots.notDone.length - 20} more: ballast export --what slots`)
  return lines.length === 0 ? [] : ['Series and calendars', ...lines]
}

function parityText({ parity }: ReportText): readonly string[] {
  if (parity.swaps === 0) return []
  return [
    'Prediction against result, live swaps only',
    paragraph(
      'parity',
      `${parity.exact} of ${parity.swaps} received what the simulation said, to the wei; mean ${bps(parity.meanBps ?? 0)} bps, worst ${bps(parity.worstBps ?? 0)} bps; gas used ${bps(parity.gasMeanBps ?? 0)} bps against it`,
    ),
  ]
}

const bps = (value: number) => (value === 0 ? '0' : `${value > 0 ? '+' : ''}${value.toFixed(2)}`)

const compared = (value: number) =>
  value === 0 ? 'no other' : `${Math.abs(value).toFixed(2)} bps ${value > 0 ? 'better' : 'worse'}`

/** The number of a price alone, in seven digits that mean something. */
function short(price: string | null): string {
  const number = /^[\d.]+/.exec(price ?? '')?.[0]
  return number === undefined ? '' : showRate(Number(number))
}

/** A route in a column: an address is known again by its ends. */
const routeText = (source: string) =>
  display(source.replace(/0x[0-9a-fA-F]{40}/g, shortAddress), 26)
