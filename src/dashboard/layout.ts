import { fixedScript, type Html, html } from '../core/html.ts'
import { ago, lockBanner } from './figures.ts'
import { liveScript } from './liveScript.ts'
import { style } from './style.ts'
import type { AttentionView, Health, LockView } from './views.ts'

/** What every page shows beside its own subject. */
export type PageSetting = {
  readonly health: Health
  readonly locks: readonly LockView[]
  /** Milliseconds since the epoch. */
  readonly now: number
}

/** The pages of the menu, each with the key that leads there after `g`. */
const pages = [
  { path: '/', name: 'Overview', key: 'o' },
  { path: '/swaps', name: 'Swaps', key: 's' },
  { path: '/market', name: 'Market', key: 'm' },
  { path: '/calendar', name: 'Calendar', key: 'c' },
  { path: '/risk', name: 'Risk', key: 'r' },
  { path: '/reports', name: 'Reports', key: 'p' },
  { path: '/audit', name: 'Audit', key: 'a' },
] as const

type Page = {
  readonly title: string
  readonly setting: PageSetting
  /** The path of its entry in the menu, where it has one. */
  readonly path?: (typeof pages)[number]['path']
  readonly main: Html
  /** Where the same is as JSON: a name and a path each. */
  readonly json: readonly (readonly [string, string])[]
}

type FleetPage = {
  readonly title: string
  /** Whether every wallet is halted. */
  readonly isHalted: boolean
  /** Milliseconds since the epoch. */
  readonly now: number
  readonly main: Html
}

/** A whole page of the bot. */
export function layout({ title, setting, path, main, json }: Page): Html {
  return shell({
    title,
    body: html`${heading(setting, path)}
<section id="banners" aria-label="What to know first">${banners(setting)}</section>
<main id="main">
${main}
</main>
<footer>Follows the journal. Calendar days are those of ${setting.health.timeZone}. As JSON: ${json.map(
      ([name, at], index) => html`${index > 0 && ', '}<a href="${at}">${name}</a>`,
    )}.
<details id="keys"><summary>Keys</summary>${pages.map(({ name, key }) => html`<code>g ${key}</code> ${name}, `)}<code>/</code> search, <code>?</code> this list. Hold Enter on the button to halt.</details>
</footer>
${script}`,
  })
}

/** The page of several wallets: the same script follows it, and its button halts all of them. */
export const fleetLayout = ({ title, isHalted, now, main }: FleetPage) =>
  shell({
    title,
    body: html`<header><h1><a href="/">Ballast</a></h1><div class="end">${controls({ isHalted, now })}</div></header>
<main id="main">
${main}
</main>
<footer>Follows the journals. As JSON: <a href="/api/wallets">wallets</a>. Hold Enter on the button to halt every wallet.</footer>
${script}`,
  })

/** The page of a failure, which knows nothing of the bot. */
export const failureLayout = (message: string): Html =>
  shell({
    title: 'Ballast',
    body: html`<header><h1><a href="/">Ballast</a></h1></header>
<main id="main"><p class="banner">${message}</p></main>`,
  })

const shell = ({ title, body }: { readonly title: string; readonly body: Html }) =>
  html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<link rel="icon" href="/favicon.svg" type="image/svg+xml">
<style>${style}</style>
</head>
<body>
<a class="skip" href="#main">Skip to the content</a>
${body}
</body>
</html>
`

/** The script, inline: the Content-Security-Policy names its hash. */
const script = fixedScript(liveScript)

/** What the script speaks through, and where it reads whether the halt holds and the bot's clock. */
const controls = ({ isHalted, now }: Pick<FleetPage, 'isHalted' | 'now'>) =>
  html`<span class="mark soft" id="live" role="status" data-now="${now}"${isHalted && html` data-halted`}>not connected</span>
<span id="halt-said" role="status"></span>
<button id="halt" type="button" title="Hold for a second and a half, by pointer or by Enter">Hold to halt</button>`

/** Stays as it is while the page is brought up to date: a button that is held must not move. */
function heading(
  { health: { chain, chainId, mode }, locks, now }: PageSetting,
  current: Page['path'],
): Html {
  return html`<header><h1><a href="/">Ballast</a></h1>
<nav aria-label="Pages"><ul>${pages.map(
    ({ path, name, key }) =>
      html`<li><a href="${path}" data-go="${key}"${path === current && html` aria-current="page"`}>${name}</a></li>`,
  )}</ul></nav>
<div class="end"><span class="soft">${chain} (${chainId})</span>
<span class="mark ${mode === 'live' ? 'good' : 'soft'}">${mode}</span>
${controls({ isHalted: locks.some(({ kind }) => kind === 'halt'), now })}</div>
</header>`
}

/** What a reader must know first: locks, whose money it is, and what needs attention. */
function banners({ health: { mode, sandbox, attention }, locks, now }: PageSetting): Html {
  // Locks have a banner of their own.
  const others = attention.filter(({ kind }) => kind !== 'lock')
  return html`${lockBanner(locks, now)}
${others.length > 0 && html`<div class="banner" id="attention"><strong>Needs attention</strong><ul>${graded(others).map((one) => attentionItem(one, now))}</ul></div>`}
${
  mode === 'paper' &&
  html`<p class="banner"><strong>On paper.</strong> Nothing is signed or sent. Balances and swaps are virtual: what verified quotes would have brought.</p>`
}
${
  sandbox &&
  html`<p class="banner quiet"><strong>Synthetic prices.</strong> This is the embedded market: its prices are made up, and nothing here is real money.</p>`
}`
}

const grades: readonly AttentionView['severity'][] = ['critical', 'warning', 'info']

/** The gravest first. */
const graded = (all: readonly AttentionView[]) =>
  grades.flatMap((grade) => all.filter(({ severity }) => severity === grade))

const attentionItem = ({ severity, code, sentence, since, next }: AttentionView, now: number) =>
  html`<li><strong>${severity}</strong> ${sentence} (${code}, since ${ago(since, now)}) ${next}</li>`

/** A hull with its ballast. */
export const favicon = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32">
<rect width="32" height="32" rx="7" fill="#0b5cad"/>
<path d="M5 13h22l-4 10a4 4 0 0 1-4 3h-6a4 4 0 0 1-4-3z" fill="#fff"/>
<circle cx="16" cy="20" r="3" fill="#0b5cad"/>
</svg>
`
