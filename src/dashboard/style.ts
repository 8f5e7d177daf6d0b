import { html } from '../core/html.ts'

/**
 * The whole style sheet. It is inline: the Content-Security-Policy names its hash and allows no other. Colours have a
 * contrast of 4.5 to 1 at least on every ground they stand on, and no state is told by its colour alone.
 */
export const style = html`
:root {
  color-scheme: light dark;
  --ground: #f3f5f8; --card: #ffffff; --line: #d9dee6; --text: #14202d; --soft: #556272;
  --good: #0f6b45; --bad: #ad1f18; --open: #7d5200; --tint: #0b5cad; --band: #cfe0f3;
  --warn-ground: #fff3d6; --warn-text: #5d3e00;
}
@media (prefers-color-scheme: dark) {
  :root {
    --ground: #0b1016; --card: #131a22; --line: #26303c; --text: #e6ebf1; --soft: #9aa8b8;
    --good: #5fd09b; --bad: #ff8f86; --open: #f2bf60; --tint: #82bbf5; --band: #1d3b5c;
    --warn-ground: #33270a; --warn-text: #ffdf9c;
  }
}
* { box-sizing: border-box; }
body {
  margin: 0 auto; padding: .75rem 1rem 1.5rem; max-width: 110rem; background: var(--ground); color: var(--text);
  font: 14px/1.45 system-ui, sans-serif; font-variant-numeric: tabular-nums;
}
header { display: flex; flex-wrap: wrap; align-items: center; gap: .25rem 1rem; padding-bottom: .6rem; margin-bottom: .75rem; border-bottom: 1px solid var(--line); }
h1 { font-size: 1.15rem; margin: 0; }
h1 a { color: var(--text); }
h2 { font-size: .78rem; letter-spacing: .06em; text-transform: uppercase; color: var(--soft); margin: 1.4rem 0 .45rem; }
nav ul { display: flex; flex-wrap: wrap; gap: .1rem; list-style: none; margin: 0; padding: 0; }
nav a { display: block; padding: .3rem .6rem; border-radius: .4rem; color: var(--soft); font-weight: 600; }
nav a[aria-current] { background: var(--card); color: var(--text); box-shadow: inset 0 -2px 0 var(--tint); }
a { color: var(--tint); text-decoration: none; }
a:hover, p a, dd a, li a, footer a, td a { text-decoration: underline; text-underline-offset: .15em; }
nav a:hover { text-decoration: none; color: var(--text); }
nav li a { text-decoration: none; }
code, pre { font: .92em/1.4 ui-monospace, monospace; overflow-wrap: anywhere; }
pre { white-space: pre-wrap; margin: 0; }
.soft { color: var(--soft); }
.good { color: var(--good); }
.bad { color: var(--bad); }
.open { color: var(--open); }
.mark { border: 1px solid currentColor; border-radius: 1rem; padding: 0 .55rem; font-size: .78rem; font-weight: 600; white-space: nowrap; }
.banner { background: var(--warn-ground); color: var(--warn-text); border-radius: .5rem; padding: .55rem .9rem; margin: 0 0 .6rem; overflow-wrap: anywhere; }
.banner ul { margin: .25rem 0 0; padding-left: 1.2rem; }
.banner .soft, .banner a { color: inherit; }
.quiet { background: none; border: 1px dashed var(--line); color: var(--soft); }
.columns { display: grid; gap: 0 1.25rem; grid-template-columns: repeat(auto-fit, minmax(min(100%, 26rem), 1fr)); align-items: start; }
.columns > * { min-width: 0; }
.screen { display: grid; gap: 0 1.25rem; grid-template-columns: minmax(0, 3fr) minmax(0, 2fr); align-items: start; }
.screen h2:first-child { margin-top: 0; }
.screen .cards { grid-template-columns: 1fr; }
.cards { display: grid; gap: .6rem; grid-template-columns: repeat(auto-fill, minmax(min(100%, 19rem), 1fr)); }
.card { background: var(--card); border: 1px solid var(--line); border-radius: .5rem; padding: .7rem .9rem; min-width: 0; }
.card p { margin: .35rem 0 0; overflow-wrap: anywhere; }
.card .top { display: flex; justify-content: space-between; align-items: baseline; gap: .5rem; }
.skip { position: absolute; left: -99rem; }
.skip:focus { left: 1rem; top: .5rem; background: var(--card); padding: .3rem .6rem; z-index: 2; }
:focus-visible { outline: 2px solid var(--tint); outline-offset: 2px; }
.end { margin-left: auto; display: flex; flex-wrap: wrap; align-items: center; gap: .5rem; }
button, select, input { font: inherit; color: var(--text); background: var(--card); border: 1px solid var(--soft); border-radius: .4rem; padding: .3rem .6rem; }
button { cursor: pointer; font-weight: 600; }
#halt { color: var(--bad); background: linear-gradient(var(--bad), var(--bad)) no-repeat 0 0 / 0 100%; border-color: currentColor; touch-action: none; user-select: none; }
#halt[data-state="held"] { background-size: 100% 100%; color: var(--card); transition: background-size 1.5s linear, color .6s linear .7s; }
form { display: flex; flex-wrap: wrap; gap: .5rem .75rem; align-items: end; margin: 0 0 .6rem; }
form label { display: grid; gap: .15rem; color: var(--soft); font-size: .82rem; }
.standing { display: flex; flex-wrap: wrap; align-items: baseline; gap: .25rem 1rem; margin: 0 0 .75rem; }
.state { font-size: 1.25rem; font-weight: 700; letter-spacing: .02em; }
.worth > .soft { grid-column: 1 / -1; }
.worth { display: grid; grid-template-columns: minmax(15rem, 1fr) 2fr; gap: .4rem 1.5rem; align-items: center; margin-bottom: .6rem; }
.figure { font-size: clamp(.95rem, 2.6vw, 1.15rem); font-weight: 600; white-space: nowrap; overflow: hidden; text-overflow: ellipsis; }
.large { font-size: clamp(1.25rem, 4vw, 1.65rem); white-space: normal; overflow: visible; }
.chart { width: 100%; height: 7.5rem; }
.chart .line, .plot .line { fill: none; stroke: var(--tint); stroke-width: 2; vector-effect: non-scaling-stroke; }
.chart .area { fill: var(--tint); opacity: .12; }
.plot { width: 100%; height: 15rem; display: block; overflow: visible; }
.plot .line { stroke-width: 1.5; }
.plot .second { stroke: var(--soft); stroke-dasharray: 2 3; }
.plot .bound { stroke: var(--open); stroke-width: 1; stroke-dasharray: 6 4; }
.plot text { fill: var(--soft); font-size: 11px; }
.plot .fill { fill: var(--good); stroke: var(--card); }
.plot .wish { fill: var(--card); stroke: var(--open); stroke-width: 2; }
.bar { width: 7rem; max-width: 100%; height: .55rem; vertical-align: middle; fill: var(--tint); }
.bar .track { fill: var(--line); }
.bar .rose { fill: var(--good); }
.bar .fell, .bar .full { fill: var(--bad); }
.bar .much { fill: var(--open); }
.bar .band { fill: var(--band); }
.bar .aim { fill: var(--text); }
.wide { width: 8rem; }
.meter { display: flex; gap: .6rem; align-items: center; white-space: nowrap; }
.steps { background: var(--card); border: 1px solid var(--line); border-radius: .5rem; margin: 0; padding: .6rem .9rem; list-style: none; }
.steps li { padding: .3rem 0 .3rem .9rem; border-left: 2px solid var(--line); overflow-wrap: anywhere; }
.long { overflow-wrap: anywhere; }
summary { cursor: pointer; padding: .3rem 0; }
.empty { background: var(--card); border: 1px dashed var(--line); border-radius: .5rem; padding: 1.1rem; color: var(--soft); text-align: center; }
.scroll { background: var(--card); border: 1px solid var(--line); border-radius: .5rem; overflow-x: auto; }
table { border-collapse: collapse; width: 100%; }
th, td { padding: .4rem .65rem; text-align: left; vertical-align: top; border-top: 1px solid var(--line); }
thead th { border-top: 0; color: var(--soft); font-size: .78rem; font-weight: 600; white-space: nowrap; }
td.number, th.number { text-align: right; white-space: nowrap; }
.month { table-layout: fixed; min-width: 44rem; }
.month td { height: 5.2rem; font-size: .82rem; }
.month .today { box-shadow: inset 0 0 0 2px var(--tint); }
dl { display: grid; grid-template-columns: minmax(8rem, max-content) 1fr; gap: .3rem 1rem; margin: 0; }
dt { color: var(--soft); }
dd { margin: 0; overflow-wrap: anywhere; }
footer { margin-top: 1.5rem; color: var(--soft); font-size: .85rem; }
@media (prefers-reduced-motion: reduce) { * { transition: none !important; } }
@media (max-width: 64rem) { .screen { grid-template-columns: minmax(0, 1fr); } }
@media (max-width: 46rem) {
  body { padding: .6rem; }
  .worth { grid-template-columns: 1fr; gap: .6rem; }
  .minor { display: none; }
  .wide { width: 4rem; }
  th, td { padding: .35rem .45rem; }
  dl { grid-template-columns: 1fr; gap: 0; }
  dd { margin-bottom: .5rem; }
}
`
