import { type Html, html } from './html.ts'

type Page = {
  readonly title: string
  /** Seconds after which the browser loads the page again; undefined for one that does not change. */
  readonly refreshSeconds?: number
  readonly body: Html
}

/** A whole document around the body of a page. */
export function layout({ title, refreshSeconds, body }: Page): Html {
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
${refreshSeconds !== undefined && html`<meta http-equiv="refresh" content="${refreshSeconds}">`}
<title>${title}</title>
<link rel="icon" href="/favicon.svg" type="image/svg+xml">
<style>${style}</style>
</head>
<body>
${body}
</body>
</html>
`
}

/** A hull with its ballast. */
export const favicon = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32">
<rect width="32" height="32" rx="7" fill="#0b5cad"/>
<path d="M5 13h22l-4 10a4 4 0 0 1-4 3h-6a4 4 0 0 1-4-3z" fill="#fff"/>
<circle cx="16" cy="20" r="3" fill="#0b5cad"/>
</svg>
`

/** The whole style sheet. It is inline: the Content-Security-Policy names its hash and allows no other. */
export const style = html`
:root {
  color-scheme: light dark;
  --ground: #f6f7f9; --card: #ffffff; --line: #dfe3e9; --text: #16202c; --soft: #586575;
  --good: #12724a; --bad: #b3261e; --open: #8a5a00; --tint: #0b5cad;
  --warn-ground: #fff3d6; --warn-text: #5d3e00;
}
@media (prefers-color-scheme: dark) {
  :root {
    --ground: #0e1319; --card: #161d26; --line: #28323e; --text: #e6ebf1; --soft: #94a3b4;
    --good: #57c794; --bad: #ff8a80; --open: #f0b955; --tint: #7db7f2;
    --warn-ground: #3a2c0a; --warn-text: #ffdf9c;
  }
}
* { box-sizing: border-box; }
body {
  margin: 0 auto; padding: 1rem; max-width: 76rem; background: var(--ground); color: var(--text);
  font: 15px/1.45 system-ui, sans-serif; font-variant-numeric: tabular-nums;
}
header { display: flex; flex-wrap: wrap; align-items: baseline; gap: .25rem .75rem; margin-bottom: 1rem; }
h1 { font-size: 1.25rem; margin: 0; }
h2 { font-size: .8rem; letter-spacing: .06em; text-transform: uppercase; color: var(--soft); margin: 1.75rem 0 .5rem; }
a { color: var(--tint); text-decoration: none; }
a:hover { text-decoration: underline; }
code { font: .9em/1.4 ui-monospace, monospace; overflow-wrap: anywhere; }
.soft { color: var(--soft); }
.good { color: var(--good); }
.bad { color: var(--bad); }
.open { color: var(--open); }
.mark { border: 1px solid currentColor; border-radius: 1rem; padding: 0 .55rem; font-size: .8rem; font-weight: 600; white-space: nowrap; }
.banner { background: var(--warn-ground); color: var(--warn-text); border-radius: .5rem; padding: .6rem .9rem; margin: 0 0 .75rem; }
.banner ul { margin: .25rem 0 0; padding-left: 1.2rem; }
.cards { display: grid; gap: .75rem; grid-template-columns: repeat(auto-fill, minmax(min(100%, 17rem), 1fr)); }
.figures { grid-template-columns: repeat(auto-fill, minmax(min(100%, 10rem), 1fr)); }
.card { background: var(--card); border: 1px solid var(--line); border-radius: .6rem; padding: .8rem .95rem; min-width: 0; }
.card p { margin: .35rem 0 0; overflow-wrap: anywhere; }
.card .top { display: flex; justify-content: space-between; align-items: baseline; gap: .5rem; }
.figure { font-size: clamp(.95rem, 2.6vw, 1.15rem); font-weight: 600; white-space: nowrap; overflow: hidden; text-overflow: ellipsis; }
.empty { background: var(--card); border: 1px dashed var(--line); border-radius: .6rem; padding: 1.2rem; color: var(--soft); text-align: center; }
.scroll { background: var(--card); border: 1px solid var(--line); border-radius: .6rem; overflow-x: auto; }
table { border-collapse: collapse; width: 100%; }
th, td { padding: .5rem .7rem; text-align: left; vertical-align: top; border-top: 1px solid var(--line); }
thead th { border-top: 0; color: var(--soft); font-size: .8rem; font-weight: 600; white-space: nowrap; }
td.number, th.number { text-align: right; white-space: nowrap; }
dl { display: grid; grid-template-columns: minmax(8rem, max-content) 1fr; gap: .35rem 1rem; margin: 0; }
dt { color: var(--soft); }
dd { margin: 0; overflow-wrap: anywhere; }
footer { margin-top: 1.5rem; color: var(--soft); font-size: .85rem; }
@media (max-width: 46rem) {
  body { padding: .75rem; }
  .scroll { border: 0; background: none; overflow: visible; }
  thead { display: none; }
  table, tbody, tr, td { display: block; width: 100%; }
  tr { background: var(--card); border: 1px solid var(--line); border-radius: .6rem; padding: .5rem .8rem; margin-bottom: .6rem; }
  td, td.number { display: flex; justify-content: space-between; gap: 1rem; border: 0; padding: .15rem 0; text-align: right; white-space: normal; }
  td::before { content: attr(data-label); color: var(--soft); text-align: left; flex: none; }
  dl { grid-template-columns: 1fr; gap: 0; }
  dd { margin-bottom: .5rem; }
}
`
