import type { AmountText } from '../../core/amount.ts'
import { type Html, html } from '../../core/html.ts'
import type { sumLines } from './monthText.ts'
import type { MonthReport } from './readMonth.ts'

const [width, height, edge] = [600, 170, 22]

/** Where a value lies from bottom to top. Doubles are good enough to draw with; every figure beside it is exact. */
function scaleOf(values: readonly number[]) {
  const [low, high] = [Math.min(...values), Math.max(...values)]
  const span = high === low ? 1 : high - low
  return (value: number) =>
    Number((height - edge - ((value - low) / span) * (height - 2 * edge)).toFixed(1))
}

/** Steps from the opening to the closing, each from where the one before it ended. */
export function bridgeChart(lines: ReturnType<typeof sumLines>): Html {
  let level = 0
  const bars = lines.map(({ name, short, sign, text }) => {
    const size = Number(text) * (sign === '-' ? -1 : 1)
    const from = sign === '' ? 0 : level
    level = from + size
    return {
      name,
      short,
      from,
      to: level,
      tone: sign === '' ? 'whole' : size < 0 ? 'fell' : 'rose',
    }
  })
  const levels = bars.flatMap(({ from, to, tone }) => (tone === 'whole' ? [to] : [from, to]))
  const [low, high] = [Math.min(...levels), Math.max(...levels)]
  // Cut off below what moved: from zero on a quiet month is a flat line.
  const floor = Math.max(0, low - (high - low) * 0.5)
  const place = scaleOf([floor, ...levels])
  const step = width / bars.length
  return html`<figure><figcaption>From opening to closing (the axis does not begin at zero)</figcaption><svg class="chart" viewBox="0 0 ${width} ${height}" role="img" aria-label="Steps from opening to closing; the table beside it has every figure">${bars.map(
    ({ name, short, from, to, tone }, index) => {
      const [top, bottom] = [Math.max(from, to), tone === 'whole' ? floor : Math.min(from, to)]
      const y = place(top)
      const x = Number((index * step + step * 0.15).toFixed(1))
      return html`<rect class="${tone}" x="${x}" y="${y}" width="${Number((step * 0.7).toFixed(1))}" height="${Math.max(1, Number((place(bottom) - y).toFixed(1)))}" rx="2"><title>${name}</title></rect><text x="${Number((x + step * 0.35).toFixed(1))}" y="${height - 6}">${short}</text>`
    },
  )}</svg></figure>`
}

/** The value over the month. */
export function valueChart({ series, unit }: MonthReport): Html | undefined {
  const [first, last] = [series[0], series.at(-1)]
  if (first === undefined || last === undefined || series.length < 2) return undefined
  const [left, right] = [Date.parse(first.at), Date.parse(last.at)]
  const place = scaleOf(series.map(({ total }) => Number(total.text)))
  const points = series.map(({ at, total }) => ({
    x: Number((((Date.parse(at) - left) / (right - left)) * width).toFixed(1)),
    y: place(Number(total.text)),
  }))
  // In pieces: a text as long as a line would be cut.
  const path = points.map(({ x, y }, index) => html`${index === 0 ? 'M' : 'L'}${x} ${y}`)
  return html`<figure><figcaption>Value in ${unit}, ${first.at.slice(0, 10)} to ${last.at.slice(0, 10)}</figcaption><svg class="chart" viewBox="0 0 ${width} ${height}" role="img" aria-label="Value from ${first.total.text} to ${last.total.text} ${unit}"><path class="area" d="${path}L${width} ${height}L0 ${height}Z"/><path class="line" d="${path}"/></svg></figure>`
}

/** The share of a holding, as a bar and in percent. */
export function shareBar(worth: AmountText | null, total: AmountText | null): Html {
  if (worth === null || total === null || total.wei === '0') return html`not known`
  const hundredths = Number((BigInt(worth.wei) * 10_000n) / BigInt(total.wei))
  return html`<svg class="bar" viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true"><rect class="track" width="100" height="8" rx="2"/><rect width="${hundredths / 100}" height="8" rx="2"/></svg> ${(hundredths / 100).toFixed(2)} %`
}
