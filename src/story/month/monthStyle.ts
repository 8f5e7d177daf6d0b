import { html } from '../../core/html.ts'

/** The style sheet of a month: light, dark, and on paper. */
export const monthStyle = html`
:root { color-scheme: light dark; --ground: #f6f7f9; --card: #fff; --line: #dfe3e9; --text: #16202c; --soft: #586575; --good: #12724a; --bad: #b3261e; --tint: #0b5cad; --warn: #fff3d6; --warn-text: #5d3e00; }
@media (prefers-color-scheme: dark) {
  :root { --ground: #0e1319; --card: #161d26; --line: #28323e; --text: #e6ebf1; --soft: #94a3b4; --good: #57c794; --bad: #ff8a80; --tint: #7db7f2; --warn: #3a2c0a; --warn-text: #ffdf9c; }
}
* { box-sizing: border-box; }
body { margin: 0 auto; padding: 2rem 1.5rem; max-width: 70rem; background: var(--ground); color: var(--text); font: 14px/1.45 system-ui, sans-serif; font-variant-numeric: tabular-nums; }
header { display: flex; flex-wrap: wrap; justify-content: space-between; gap: 1rem 3rem; border-bottom: 2px solid var(--tint); padding-bottom: 1rem; margin-bottom: 1rem; }
h1 { margin: 0; font-size: 2.2rem; line-height: 1.1; }
h2 { margin: 0 0 .6rem; font-size: 1.05rem; }
h3 { margin: .9rem 0 .4rem; font-size: .9rem; color: var(--soft); }
section { background: var(--card); border: 1px solid var(--line); border-radius: .6rem; padding: 1rem 1.1rem; margin: 0 0 1rem; }
.cards { display: grid; grid-template-columns: repeat(auto-fit, minmax(14rem, 1fr)); gap: 1rem; background: none; border: 0; padding: 0; }
.card { background: var(--card); border: 1px solid var(--line); border-radius: .6rem; padding: .9rem 1.1rem; }
.figure { font-size: 1.5rem; font-weight: 650; overflow-wrap: anywhere; }
.two { display: grid; grid-template-columns: minmax(0, 1fr) minmax(0, 1fr); gap: 1.5rem; }
.soft { color: var(--soft); font-size: .86rem; }
.good { color: var(--good); }
.bad { color: var(--bad); }
.code { font: .8rem/1.4 ui-monospace, monospace; overflow-wrap: anywhere; }
.note { background: var(--warn); color: var(--warn-text); border-radius: .4rem; padding: .5rem .8rem; margin: 0 0 .6rem; overflow-wrap: anywhere; }
.scroll { overflow-x: auto; }
.scroll + .scroll { margin-top: 1rem; }
table { border-collapse: collapse; width: 100%; }
th, td { padding: .4rem .6rem; text-align: left; vertical-align: top; border-top: 1px solid var(--line); overflow-wrap: anywhere; }
th { border-top: 0; color: var(--soft); font-size: .78rem; font-weight: 600; white-space: nowrap; }
.number { text-align: right; overflow-wrap: normal; }
.scroll .number { white-space: nowrap; }
.sums td { padding: .3rem 0; }
.sums .total td { font-weight: 650; border-top: 2px solid var(--line); }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .25rem 1rem; margin: 0; }
dt { color: var(--soft); }
dd { margin: 0; overflow-wrap: anywhere; }
p { overflow-wrap: anywhere; }
figure { margin: 0 0 1rem; }
figcaption { color: var(--soft); font-size: .86rem; margin-bottom: .3rem; }
.chart { display: block; width: 100%; height: auto; }
.chart text { fill: var(--soft); font-size: 13px; text-anchor: middle; }
.whole, .bar { fill: var(--tint); }
.rose { fill: var(--good); }
.fell { fill: var(--bad); }
.line { fill: none; stroke: var(--tint); stroke-width: 2; }
.area { fill: var(--tint); opacity: .12; }
.bar { width: 6rem; height: .5rem; vertical-align: middle; }
.bar .track { fill: var(--line); }
footer { color: var(--soft); font-size: .8rem; }
@media (max-width: 52rem) { .two { grid-template-columns: 1fr; } }
@media print {
  :root { color-scheme: light; --ground: #fff; --card: #fff; --line: #ccc; --text: #000; --soft: #444; --good: #12724a; --bad: #b3261e; --tint: #0b5cad; --warn: #fff; --warn-text: #000; }
  body { padding: 0; font-size: 10px; max-width: none; }
  section, .card, tr, figure { break-inside: avoid; }
  .scroll { overflow: visible; }
  .scroll .number { white-space: normal; }
  .note { border: 1px solid #999; }
  @page { margin: 14mm; }
}
`
