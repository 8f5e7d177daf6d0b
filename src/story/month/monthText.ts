import { type AmountText, showText } from '../../core/amount.ts'
import { display } from '../../core/display.ts'
import { toSecond } from '../../core/isoText.ts'
import { columnsMin, paragraph, table } from '../../core/textLayout.ts'
import { briefAmount } from '../figures.ts'
import type { MonthReport } from './readMonth.ts'

/** A month for a person, within eighty columns. Sums are exact; amounts of tokens are cut to six decimals, `--json` has all. */
export function monthText(report: MonthReport): string {
  const parts = [
    headText(report),
    sumsText(report),
    tokensText(report),
    holdingsText(report),
    flowsText(report),
    tradingText(report),
    eventsText(report),
    proofText(report),
  ]
  return parts
    .filter((lines) => lines.length > 0)
    .map((lines) => lines.join('\n'))
    .join('\n\n')
}

const brief = (text: string, most: number) => display(text, most)

function headText({ month, zone, from, until, notes }: MonthReport): readonly string[] {
  return [
    `Month ${month} in ${zone}: ${toSecond(from)} to ${toSecond(until)}`,
    ...notes.map((one) => paragraph('note', one)),
  ]
}

/** The steps from the opening to the closing: a sign and the size where it is a step, a name, and a shorter one. */
export function sumLines({ sums, opening, closing }: MonthReport) {
  if (sums === null) return []
  const whole = (name: string, short: string, { text }: AmountText) => ({
    ...{ name, short, sign: '' as const, text },
  })
  const step = (name: string, [short, sign]: readonly [string, '+' | '-'], { text }: AmountText) =>
    text.startsWith('-')
      ? { name, short, sign: sign === '+' ? ('-' as const) : ('+' as const), text: text.slice(1) }
      : { name, short, sign, text }
  return [
    whole(`opening, ${toSecond(opening?.at ?? '')}`, 'opening', sums.opening),
    step('deposits', ['in', '+'], sums.deposits),
    step('withdrawals', ['out', '-'], sums.withdrawals),
    ...(sums.sentOn.wei === '0'
      ? []
      : [step('proceeds to other recipients', ['sent on', '-'], sums.sentOn)]),
    step('realised', ['realised', '+'], sums.realised.fifo),
    step('unrealised', ['unrealised', '+'], sums.unrealised.fifo),
    step('gas', ['gas', '-'], sums.gas),
    whole(`closing, ${toSecond(closing?.at ?? '')}`, 'closing', sums.closing),
  ]
}

function sumsText(report: MonthReport): readonly string[] {
  const { sums, unit, opening, closing } = report
  if (sums === null) {
    const known = (mark: typeof opening) =>
      mark?.total === undefined || mark.total === null ? 'not known' : showText(mark.total)
    return [
      `Value in ${unit}: it cannot be added up, see the notes`,
      paragraph('opening', known(opening)),
      paragraph('closing', known(closing)),
    ]
  }
  const lines = sumLines(report)
  const decimalsOf = (text: string) => text.split('.')[1]?.length ?? 0
  const most = Math.max(...lines.map(({ text }) => decimalsOf(text)))
  // The points stand below each other.
  const figures = lines.map(({ name, sign, text }) => ({
    name,
    figure: `${sign} ${text}${text.includes('.') ? '' : ' '}${' '.repeat(most - decimalsOf(text))}`,
  }))
  return [
    `Value in ${unit}, lots first in first out`,
    ...figures.map(({ name, figure }) =>
      `  ${name.padEnd(columnsMin - 2 - figure.length)}${figure}`.trimEnd(),
    ),
    paragraph(
      'average',
      `realised ${sums.realised.average.text}, unrealised ${sums.unrealised.average.text}`,
    ),
    paragraph('result', `${sums.result.text}: realised and unrealised less gas`),
  ]
}

function tokensText({ tokens, sums }: MonthReport): readonly string[] {
  if (tokens.length === 0) return []
  const figure = (amount: AmountText) =>
    amount.wei === '0' ? '.' : briefAmount({ ...amount, token: '' }).trim()
  const symbol = (name: string) => `  ${brief(name, 10)}`
  const amounts = tokens.map((one) => [
    symbol(one.token),
    ...[one.opening, one.deposits, one.withdrawals, one.bought, one.sold, one.gas, one.closing].map(
      figure,
    ),
  ])
  const header = ['opening', '+ in', '- out', '+ bought', '- sold', '- gas', 'closing']
  const wide = table([['  token', ...header], ...amounts])
  const isWide = wide.split('\n').some((line) => [...line].length > columnsMin)
  return [
    'Amounts by token',
    ...(isWide ? amounts.map(([name = '', ...own]) => tokenLines(name, { header, own })) : [wide]),
    ...(sums === null
      ? []
      : [
          'Realised by token: worth less cost of what left; and the cost of what is held',
          table([
            ['  token', 'FIFO', 'average', 'cost FIFO', 'cost average'],
            ...tokens.map(({ token, realised, cost }) => [
              symbol(token),
              ...[realised.fifo, realised.average, cost.fifo, cost.average].map(figure),
            ]),
          ]),
        ]),
  ]
}

/** A token whose amounts are too long for a row. */
const tokenLines = (
  name: string,
  { header, own }: { readonly header: readonly string[]; readonly own: readonly string[] },
) => [name, ...header.map((label, index) => `    ${label.padEnd(10)} ${own[index]}`)].join('\n')

function holdingsText({ opening, closing }: MonthReport): readonly string[] {
  return Object.entries({ Opening: opening, Closing: closing }).flatMap(([name, mark]) =>
    mark === null
      ? []
      : [
          `${name} holdings at ${toSecond(mark.at)}`,
          ...(mark.holdings.length === 0 ? ['  none'] : []),
          ...mark.holdings.flatMap(({ held, worth, price, sources }) => [
            `  ${briefAmount({ ...held, token: brief(held.token, 10) })}: ${worth === null ? 'NO PRICE' : showText({ ...worth, token: brief(worth.token, 10) })}`,
            ...(price === null || held.token === worth?.token
              ? []
              : [paragraph('', `at ${price}, by ${sourcesText(sources)}`)]),
          ]),
        ],
  )
}

/** The sources of a price. Valuations of older versions name none. */
export const sourcesText = (sources: readonly string[] | null) =>
  sources === null ? 'independent sources that were not written down' : sources.join(', ')

/** Rows of a list in the text; `--json` and the page have more. */
const listMax = 40

function flowsText({ flows }: MonthReport): readonly string[] {
  if (flows.length === 0) return []
  return [
    'Deposits and withdrawals (moves that no swap explains, by the valuation behind)',
    ...flows.slice(-listMax).map(({ at, kind, left, came, worth }) => {
      const amount = came ?? left
      return paragraph(
        kind.slice(0, 11),
        `${toSecond(at)} ${amount === null ? '' : briefAmount(amount)}, worth ${worth === null ? 'not known' : showText(worth)}`,
      )
    }),
    ...(flows.length > listMax
      ? [paragraph('', `and ${flows.length - listMax} before: --json`)]
      : []),
  ]
}

function tradingText({ execution, settled, gas, sums }: MonthReport): readonly string[] {
  const worth = sums === null ? '' : `, worth ${showText(sums.gas)}`
  return [
    `Execution of ${settled} settled swaps: cost in the bought token, below zero a gain`,
    ...execution.flatMap((one) => [
      `  ${brief(one.strategy, 24)}, ${brief(one.sell, 10)} to ${brief(one.buy, 10)}: ${one.swaps}`,
      paragraph('moved', `sold ${briefAmount(one.sold)}, received ${briefAmount(one.received)}`),
      paragraph('cost', costText(one)),
    ]),
    paragraph(
      'gas',
      `${showText(gas.total)} for ${gas.transactions} transactions${worth}; ${gasParts(gas)}`,
    ),
    paragraph('fees', 'those of makers, pools and the service are in the prices of the fills'),
  ]
}

/** The tips and base fees of gas, and on a rollup what its data cost. */
export const gasParts = ({ tips, baseFees, rest, partsUnknown }: MonthReport['gas']): string =>
  partsUnknown > 0
    ? `tips and base fees of ${partsUnknown} swaps were not written down`
    : `tips ${showText(tips)}, base fees ${showText(baseFees)}${rest.wei === '0' ? '' : `, data on the chain below ${showText(rest)}`}`

/** The parts of what execution cost, against the middle of the sources at the decision. */
function costText({ cost, bps, measured, swaps, gasUnpriced }: MonthReport['execution'][number]) {
  if (cost === null || bps === null) return 'not known: no benchmark was written down'
  const { delay, spread, slippage, gas, total } = cost
  const parts = Object.entries({ delay, spread, slippage, gas })
    .map(([name, amount]) => `${name} ${briefAmount(amount)}`)
    .join(', ')
  const unpriced = gasUnpriced === 0 ? '' : `; the gas of ${gasUnpriced} has no price`
  return `${parts}: ${briefAmount(total)} in all, ${bps.total} bps (${measured} of ${swaps} measured${unpriced})`
}

type Lock = MonthReport['events']['locks'][number]

const byWhom = (name: string | null) => (name === null ? '' : ` by ${name}`)

function lockEnd({
  releasedAt,
  releasedBy,
  releasedReason,
  expiredAt,
}: Pick<Lock, 'releasedAt' | 'releasedBy' | 'releasedReason' | 'expiredAt'>): string {
  if (releasedAt !== null)
    return `Released ${toSecond(releasedAt)}${byWhom(releasedBy)}: ${releasedReason ?? 'no reason'}`
  return expiredAt === null
    ? 'Held at the end of this statement.'
    : `Expired ${toSecond(expiredAt)}.`
}

function eventsText({ events: { locks, refusals, stopped, slots } }: MonthReport) {
  const counts = (some: readonly { readonly code: string; readonly count: number }[]) =>
    some.map(({ code, count }) => `${brief(code, 48)} × ${count}`).join(', ') || 'none'
  return [
    'Policy in the calendar month',
    ...(locks.length === 0 ? [paragraph('locks', 'none')] : []),
    ...locks.map(({ kind, scope, code, reason, openedAt, openedBy, ...end }) =>
      paragraph(
        brief(kind, 11),
        `${code} on ${scope} from ${toSecond(openedAt)}${byWhom(openedBy)}: ${reason} ${lockEnd(end)}`,
      ),
    ),
    paragraph('refused', counts(refusals)),
    paragraph('stopped', counts(stopped)),
    ...slots.counts.map(({ strategy, done, passed, missed, failed }) =>
      paragraph(
        'slots',
        `${brief(strategy, 40)}: ${done} done, ${passed} passed, ${missed} missed, ${failed} failed`,
      ),
    ),
    ...slots.notDone
      .slice(-listMax)
      .map(({ state, strategy, slot, slots: count, reason }) =>
        paragraph(state, `${brief(strategy, 40)} ${toSecond(slot)} (${count}): ${reason}`),
      ),
    ...(slots.notDone.length > listMax
      ? [paragraph('', `and ${slots.notDone.length - listMax} before: --json`)]
      : []),
  ]
}

function proofText({ proof: { audit, transaction }, sources }: MonthReport): readonly string[] {
  const line = (label: string, text: string) => `  ${label.padEnd(8)}${text}`
  const block =
    transaction === null || transaction.block === null
      ? []
      : [
          line('block', String(transaction.block)),
          line('', transaction.blockHash ?? 'its hash is not known'),
        ]
  return [
    'Proof of the closing: the last transaction before it, and the log up to it',
    line('last tx', transaction?.hash ?? 'none of this wallet is in the journal'),
    ...block,
    line('entry', String(audit.entry)),
    line('head', audit.head),
    ...(sources.length === 0
      ? []
      : [
          paragraph(
            'fills by',
            sources.map(({ source, swaps }) => `${source} (${swaps})`).join(', '),
          ),
        ]),
  ]
}
