import type { AmountText } from '../core/amount.ts'
import { formatDecimal } from '../core/decimal.ts'
import { type Html, html } from '../core/html.ts'
import { dayMs, hourMs } from '../core/spans.ts'
import { partOf, pathOf } from './charts.ts'
import { dataTable } from './dataTable.ts'
import { ago, amount, worthText } from './figures.ts'
import type { Health, ValueView } from './views.ts'

/** A balance of now, and its worth at the last prices; null where none is known. */
type Worth = { readonly held: AmountText; readonly worth: AmountText | null }

/** What the wallet is worth, and its line over time. */
export function valueCard(value: ValueView | null, { balances }: Health, now: number): Html {
  const { total } = worthNow(balances, value)
  return html`<div class="card worth">
<div><div class="soft">Worth</div>
<div class="figure large">${total === null ? 'not known yet' : worthText(total)}</div>
${value !== null && html`<div class="soft">${changes(value.series, now)}at prices of ${ago(value.at, now)}</div>`}</div>
${value !== null && line(value.series, value.unit)}
${value !== null && seededPast(value.series)}
</div>`
}

/** Each holding, its worth and its share. */
export function holdingsTable(value: ValueView | null, { balances }: Health): Html {
  const { holdings, total } = worthNow(balances, value)
  return dataTable({
    label: 'Holdings',
    columns: [
      { name: 'Holding' },
      { name: 'Worth', isNumber: true },
      { name: 'Share', isNumber: true },
    ],
    rows: holdings.map(({ held, worth }) => {
      const share =
        worth === null || total === null || total.wei === '0'
          ? undefined
          : partOf(worth.wei, total.wei)
      return {
        key: `holding-${held.token}`,
        cells: [
          amount(held),
          worth === null ? html`<span class="soft">no price</span>` : worthText(worth),
          share === undefined ? null : `${(share / 100).toFixed(2)} %`,
        ],
      }
    }),
    empty: 'The wallet holds nothing, or the node does not answer.',
  })
}

/**
 * The balances of now at the prices of the last valuation, rounded down. What is held of a token that it had not is worth
 * nothing that is known, and then so is the whole.
 */
export function worthNow(
  balances: readonly AmountText[],
  value: ValueView | null,
): { readonly holdings: readonly Worth[]; readonly total: AmountText | null } {
  const some = balances.filter(({ wei }) => wei !== '0')
  if (value === null) return { holdings: some.map((held) => ({ held, worth: null })), total: null }
  const inUnit = (wei: bigint): AmountText => ({
    token: value.unit,
    wei: wei.toString(),
    text: formatDecimal(wei, value.decimals),
  })
  const holdings = some.map((held): Worth => {
    const known = value.holdings.find((one) => one.held.token === held.token)
    if (known === undefined || known.worth === null) return { held, worth: null }
    const wei = (BigInt(held.wei) * BigInt(known.worth.wei)) / BigInt(known.held.wei)
    return { held, worth: inUnit(wei) }
  })
  const worths = holdings.flatMap(({ worth }) => worth ?? [])
  // Balances that were read are all there, also those of nothing.
  const isRead = ({ held }: Worth) => balances.some(({ token }) => token === held.token)
  const isWhole = worths.length === holdings.length && value.holdings.every(isRead)
  const total = worths.reduce((sum, { wei }) => sum + BigInt(wei), 0n)
  return { holdings, total: isWhole ? inUnit(total) : null }
}

type Series = ValueView['series']

const realOf = (series: Series): Series => series.filter(({ seeded }) => seeded !== true)

/** Says where the made-up part of the line ends; nothing where all of it was seen. */
function seededPast(series: Series): Html | undefined {
  const end = realOf(series)[0] ?? series.at(-1)
  if (series[0]?.seeded !== true || end === undefined) return undefined
  return html`<div class="soft">Before <time datetime="${end.at}">${end.at}</time> (dashed): seeded past, worth of the first holdings at made-up prices.</div>`
}

/** From an earlier value of the line to the newest; nothing where there is no such, or it was nothing. */
function change(first: Series[number] | undefined, last: Series[number] | undefined) {
  if (first === undefined || last === undefined || first === last) return undefined
  const [from, to] = [BigInt(first.total.wei), BigInt(last.total.wei)]
  if (from === 0n) return undefined
  const bps = Number(((to - from) * 1_000_000n) / from) / 100
  const tone = bps < 0 ? 'bad' : 'good'
  return html`<span class="${tone}">${bps < 0 ? '−' : '+'}${Math.abs(bps / 100).toFixed(2)} %</span>`
}

/** Points are no farther apart where the wallet was valued all the time. */
const apartMsMax = 4 * hourMs

/** Over a day, and over all that the line shows. */
function changes(shown: Series, now: number): Html {
  const series = realOf(shown)
  const last = series.at(-1)
  const isAbout = (one: Series[number] | undefined, instant: number) =>
    one !== undefined && instant - Date.parse(one.at) < apartMsMax
  const before = series.findLast(({ at }) => Date.parse(at) <= now - dayMs)
  const dayAgo = isAbout(before, now - dayMs) && isAbout(last, now) ? before : undefined
  const [day, whole] = [change(dayAgo, last), change(series[0], last)]
  return html`${day !== undefined && html`${day} in 24 hours, `}${whole !== undefined && html`${whole} since ${ago(series[0]?.at ?? '', now)}, `}`
}

const [width, height, edge] = [600, 120, 6]

/** Drawn once: a page is read again and again while its line is the same. */
const drawn = new WeakMap<Series, Html>()

function line(series: Series, unit: string): Html | undefined {
  if (series.length < 2) return undefined
  const known = drawn.get(series) ?? drawLine(series, unit)
  drawn.set(series, known)
  return known
}

/** A line of values. Doubles are good enough to draw with; every figure beside it is exact. */
function drawLine(series: Series, unit: string): Html {
  const points = series.map(({ at, total }) => ({ x: Date.parse(at), y: Number(total.text) }))
  const xs = points.map(({ x }) => x)
  const ys = points.map(({ y }) => y)
  const [left, right] = [Math.min(...xs), Math.max(...xs)]
  const [low, high] = [Math.min(...ys), Math.max(...ys)]
  const place = (value: number, from: number, to: number) =>
    to === from ? 0.5 : (value - from) / (to - from)
  const places = points.map(({ x, y }) => {
    const across = (place(x, left, right) * width).toFixed(1)
    return `${across} ${(height - edge - place(y, low, high) * (height - 2 * edge)).toFixed(1)}`
  })
  const path = pathOf(places)
  const seeded = series.filter((point) => point.seeded === true).length
  // The line goes on where the made-up part ends.
  const dashed = seeded === 0 ? undefined : pathOf(places.slice(0, seeded + 1))
  const seen = pathOf(places.slice(seeded))
  const [first, last] = [series[0], series.at(-1)]
  return html`<svg class="chart" viewBox="0 0 ${width} ${height}" preserveAspectRatio="none" role="img" aria-label="Worth in ${unit}: ${first?.total.text} at ${first?.at}, ${last?.total.text} at ${last?.at}; between ${low} and ${high}${seeded > 0 && `; before ${series[seeded]?.at ?? last?.at} made up`}"><path class="area" d="${path}L${width} ${height}L0 ${height}Z"/>${dashed !== undefined && html`<path class="line" stroke-dasharray="2 4" d="${dashed}"/>`}<path class="line" d="${seen}"/></svg>`
}
