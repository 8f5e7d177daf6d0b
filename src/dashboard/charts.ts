import { type Html, html } from '../core/html.ts'
import { showRate } from '../core/showRate.ts'
import type { LimitView, PriceChartView, RatePoint, TargetView } from './views.ts'

// Doubles are good enough to draw with; every figure beside a drawing is exact.

/** A part of a limit as a bar, in words beside it. Amber from three quarters on, red where all is used. */
export function meter({ used, most }: Pick<LimitView, 'used' | 'most'>): Html {
  const part = partOf(used.wei, most.wei)
  const tone = part >= 10_000 ? 'full' : part >= 7_500 ? 'much' : ''
  return html`<span class="meter"><svg class="bar wide" viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true"><rect class="track" width="100" height="8"/><rect class="${tone}" width="${(Math.min(part, 10_000) / 100).toFixed(2)}" height="8"/></svg> ${(part / 100).toFixed(1)} %</span>`
}

/** Hundredths of a percent; all of it where nothing is allowed. */
export const partOf = (used: string, most: string): number =>
  BigInt(most) === 0n ? 10_000 : Number((BigInt(used) * 10_000n) / BigInt(most))

/** A line through places such as `12.5 3.1`, in pieces: a text of any length would be cut. */
export const pathOf = (places: readonly string[]): Html =>
  html`${places.map((place, index) => html`${index === 0 ? 'M' : 'L'}${place}`)}`

/** A weight over its band: the band is pale, the target a line, the weight of now a block. */
export function weightBar({ shareBps, bandBps, nowBps }: TargetView): Html {
  const at = (bps: number) => Math.max(0, Math.min(100, bps / 100)).toFixed(2)
  const isOut = nowBps !== null && Math.abs(nowBps - shareBps) > bandBps
  return html`<svg class="bar wide" viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true"><rect class="track" width="100" height="8"/><rect class="band" x="${at(shareBps - bandBps)}" width="${at(2 * bandBps)}" height="8"/>${
    nowBps !== null &&
    html`<rect class="${isOut ? 'fell' : ''}" y="2" width="${at(nowBps)}" height="4"/>`
  }<rect class="aim" x="${at(shareBps)}" width="0.8" height="8"/></svg>`
}

/** Rows above and below, and columns left and right, that a drawing leaves free; in hundredths of it. */
const edge = { top: 8, bottom: 10, left: 1, right: 12 } as const

/** A price against what it was held to, with what came of it. */
export function priceChart({
  sell,
  buy,
  points,
  references,
  bounds,
  marks,
}: PriceChartView): Html | undefined {
  const [first, last] = [points[0], points.at(-1)]
  if (first === undefined || last === undefined) return undefined
  const seen = [...points, ...references, ...marks].map(({ rate }) => rate)
  const [least, most] = [Math.min(...seen), Math.max(...seen)]
  // A bound that is far away would press the price flat: it is named instead of drawn.
  const room = Math.max(most - least, most * 0.002)
  const near = bounds.filter(({ rate }) => rate > least - 2 * room && rate < most + 2 * room)
  const all = [...seen, ...near.map(({ rate }) => rate)]
  const [low, high] = [Math.min(...all), Math.max(...all)]
  const instants = [...points, ...marks].map(({ at }) => Date.parse(at))
  const [from, to] = [Math.min(...instants), Math.max(...instants)]
  const x = (at: string) =>
    edge.left + share(Date.parse(at), from, to) * (100 - edge.left - edge.right)
  const y = (rate: number) =>
    100 - edge.bottom - share(rate, low, high) * (100 - edge.top - edge.bottom)
  const path = (some: readonly RatePoint[]) =>
    pathOf(some.map(({ at, rate }) => `${x(at).toFixed(2)} ${y(rate).toFixed(2)}`))
  const label = `Price in ${buy} of one ${sell}: ${showRate(first.rate)} at ${first.at}, ${showRate(last.rate)} at ${last.at}; between ${showRate(least)} and ${showRate(most)}. ${bounds.map(({ name, rate }) => `${name} ${showRate(rate)}`).join(', ')}`
  return html`<div class="card"><svg class="plot" role="img" aria-label="${label}">
<svg viewBox="0 0 100 100" preserveAspectRatio="none" width="100%" height="100%">
${near.map(({ rate }) => html`<path class="line bound" d="M${edge.left} ${y(rate).toFixed(2)}L${100 - edge.right} ${y(rate).toFixed(2)}"/>`)}
${references.length > 1 && html`<path class="line second" d="${path(references)}"/>`}
<path class="line" d="${path(points)}"/>
</svg>
${marks.map(
  ({ at, rate, kind }) =>
    html`<circle class="${kind}" cx="${x(at).toFixed(2)}%" cy="${y(rate).toFixed(2)}%" r="4"><title>${kind === 'fill' ? 'Filled' : 'Decided to swap'} at ${showRate(rate)}, ${at}</title></circle>`,
)}
${near.map(({ name, rate }) => html`<text x="100%" y="${(y(rate) + 1).toFixed(2)}%" text-anchor="end">${name} ${showRate(rate)}</text>`)}
<text x="100%" y="${(y(last.rate) - 2).toFixed(2)}%" text-anchor="end">${showRate(last.rate)}</text>
<text x="1%" y="99%">${first.at.slice(0, 16).replace('T', ' ')}Z</text>
<text x="88%" y="99%" text-anchor="end">${last.at.slice(0, 16).replace('T', ' ')}Z</text>
</svg>
<p class="soft">Line: what the service showed for one ${sell}, in ${buy}. ${references.length > 1 && 'Dotted: the middle of the independent sources. '}${near.length > 0 && 'Dashed: what it is held to. '}Circle: decided to swap; dot: filled.${bounds.length > near.length && html` Far away: ${bounds.filter((one) => !near.includes(one)).map(({ name, rate }) => html`${name} ${showRate(rate)} `)}`}</p></div>`
}

/** Where a value lies between two; in the middle where they are one. */
const share = (value: number, from: number, to: number) =>
  to === from ? 0.5 : (value - from) / (to - from)

/** Differences in bps around zero, as a small line. */
export function gapLine(
  gaps: readonly { readonly at: string; readonly bps: number }[],
): Html | undefined {
  if (gaps.length < 2) return undefined
  const most = Math.max(1, ...gaps.map(({ bps }) => Math.abs(bps)))
  const d = pathOf(
    gaps.map(({ bps }, index) => {
      const x = (index / (gaps.length - 1)) * 100
      return `${x.toFixed(1)} ${(50 - (bps / most) * 46).toFixed(1)}`
    }),
  )
  return html`<svg class="chart" viewBox="0 0 100 100" preserveAspectRatio="none" role="img" aria-label="The service against the independent sources at the last ${gaps.length} looks, at most ${most.toFixed(2)} bps apart"><path class="line" d="M0 50L100 50" stroke-dasharray="2 3" opacity=".4"/><path class="line" d="${d}"/></svg>`
}
