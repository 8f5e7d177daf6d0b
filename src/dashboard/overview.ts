import { ago, amount, bps, gas, lockBanner, showHash, showQuantity, state } from './figures.ts'
import { type Html, html } from './html.ts'
import { layout } from './layout.ts'
import type { PlannedAsk, PlanView } from './planView.ts'
import type { Health, LockView, StrategyView, SwapView } from './queries.ts'

/** Seconds between two loads of the page: the market moves every block, a reader does not. */
const refreshSeconds = 5

type Overview = {
  readonly health: Health
  readonly locks: readonly LockView[]
  readonly strategies: readonly StrategyView[]
  /** Or why there is none. */
  readonly plan: PlanView | { readonly message: string }
  readonly swaps: readonly SwapView[]
  /** Milliseconds since the epoch. */
  readonly now: number
  /** Where older swaps are; undefined on the last page. */
  readonly older?: string | undefined
}

/** The first page: is it well, what does it think, what has it done. */
export function overview({ health, locks, strategies, plan, swaps, now, older }: Overview): Html {
  return layout({
    title: `Ballast on ${health.chain}`,
    refreshSeconds,
    body: html`${heading(health, locks)}
<main>
${lockBanner(locks, now)}
${problems(health, now)}
<h2>Wallet</h2>
${wallet(health, now)}
<h2>Strategies</h2>
${strategies.length === 0 ? empty('No strategy is configured.') : html`<div class="cards">${strategies.map((one) => strategy(one, now))}</div>`}
<h2>Coming up</h2>
${'message' in plan ? empty(`No plan: ${plan.message}`) : planTable(plan, now)}
<h2>Swaps</h2>
${swaps.length === 0 ? empty('No swap yet. The strategies above say what they are waiting for.') : swapTable(swaps, { health, now })}
${older !== undefined && html`<p><a href="/?before=${older}">Older swaps</a></p>`}
</main>
<footer>Loads again every ${refreshSeconds} s. The same as JSON: <a href="/api/health">health</a>, <a href="/api/locks">locks</a>, <a href="/api/plan">plan</a>, <a href="/api/strategies">strategies</a>, <a href="/api/swaps">swaps</a>.</footer>`,
  })
}

function heading({ chain, chainId, mode, ready }: Health, locks: readonly LockView[]): Html {
  const standing = locks.length > 0 ? 'locked' : ready ? 'ready' : 'not ready'
  return html`<header><h1>Ballast</h1>
<span class="soft">${chain} (${chainId})</span>
<span class="mark ${mode === 'live' ? 'good' : 'soft'}">${mode}</span>
<span class="mark ${standing === 'ready' ? 'good' : 'bad'}">${standing}</span>
</header>`
}

function problems({ mode, sandbox, attention }: Health, now: number): Html {
  // Locks have a banner of their own.
  const others = attention.filter(({ kind }) => kind !== 'lock')
  return html`${
    mode === 'paper' &&
    html`<p class="banner"><strong>On paper.</strong> Nothing is signed or sent. Balances and swaps are virtual: what verified quotes would have brought.</p>`
  }
${
  sandbox &&
  html`<p class="banner"><strong>Synthetic prices.</strong> This is the embedded market: its prices are made up, and nothing here is real money.</p>`
}
${others.length > 0 && html`<div class="banner"><strong>Needs attention</strong><ul>${others.map(({ code, sentence, since, next }) => html`<li>${sentence} (${code}, since ${ago(since, now)}) <span class="soft">${next}</span></li>`)}</ul></div>`}`
}

function wallet({ wallet, balances, head }: Health, now: number): Html {
  return html`<div class="cards figures">
<div class="card"><div class="soft">Head block</div><div class="figure">${head === null ? '–' : head.block}</div>
<div class="soft">${head === null ? 'not known yet' : ago(head.at, now)}</div></div>
${balances.map((balance) => html`<div class="card"><div class="soft">${balance.token}</div><div class="figure">${showQuantity(balance)}</div></div>`)}
</div>
<p class="soft">Wallet <code>${wallet}</code></p>`
}

function strategy(
  { name, summary, decision, reason, decidedAt, nextAt }: StrategyView,
  now: number,
): Html {
  return html`<section class="card">
<div class="top"><strong>${name}</strong>${decision !== null && html`<span class="mark ${decision === 'swap' ? 'good' : 'soft'}">${decision}</span>`}</div>
<div class="soft">${summary}</div>
<p>${reason ?? 'Not asked yet.'}</p>
<p class="soft">${decidedAt !== null && html`Decided ${ago(decidedAt, now)}.`} ${nextAt !== null && html`Next: ${ago(nextAt, now)}.`}</p>
</section>`
}

function swapTable(
  swaps: readonly SwapView[],
  { health, now }: { readonly health: Health; readonly now: number },
): Html {
  return html`<div class="scroll"><table>
<thead><tr><th>When</th><th>Strategy</th><th>State</th><th class="number">Sold</th><th class="number">Received</th><th class="number">Against indication</th><th class="number">Gas</th><th>Transaction</th></tr></thead>
<tbody>${swaps.map(
    (swap) => html`<tr>
<td data-label="When"><a href="/swaps/${swap.id}">${ago(swap.createdAt, now)}</a></td>
<td data-label="Strategy">${swap.strategy}</td>
<td data-label="State">${state(swap.state)}${swap.code !== null && html`<div class="soft" title="${swap.reason}">${swap.code}</div>`}</td>
<td data-label="Sold" class="number">${swap.sold === null ? html`<span class="soft">wants ${amount(swap.sell)}</span>` : amount(swap.sold)}</td>
<td data-label="Received" class="number">${swap.received === null ? html`<span class="soft">at least ${amount(swap.floor)}</span>` : amount(swap.received)}</td>
<td data-label="Against indication" class="number">${swap.againstIndicationBps === null ? '–' : bps(swap.againstIndicationBps)}</td>
<td data-label="Gas" class="number">${swap.gasPaidWei === null ? '–' : gas(swap.gasPaidWei, health.currency)}</td>
<td data-label="Transaction">${swap.txHash === null ? '–' : showHash(swap.txHash)}</td>
</tr>`,
  )}</tbody>
</table></div>`
}

function empty(sentence: string): Html {
  return html`<div class="empty">${sentence}</div>`
}

/** Rows a reader takes in; `ballast plan` has the rest. */
const rowsMax = 8

/** The next slots of all strategies, if prices stay as they are. */
function planTable({ strategies, unknown }: PlanView, now: number): Html {
  const coming = strategies
    .flatMap(({ name, asks }) => asks.map((ask) => ({ name, ask })))
    .filter(({ ask }) => Date.parse(ask.at) >= now)
    .sort((a, b) => a.ask.at.localeCompare(b.ask.at))
  const gap = unknown.length > 0 && html`<p class="soft">${unknown.map((one) => html`${one} `)}</p>`
  if (coming.length === 0)
    return html`<div class="empty">Nothing is due within a week, or nothing changes.</div>${gap}`
  return html`<div class="scroll"><table>
<thead><tr><th>When</th><th>Strategy</th><th>Would, at today's prices</th></tr></thead>
<tbody>${coming.slice(0, rowsMax).map(
    ({ name, ask }) => html`<tr>
<td data-label="When">${ask.local} <span class="soft">${ago(ask.at, now)}</span></td>
<td data-label="Strategy">${name}</td>
<td data-label="Would">${effect(ask)}</td>
</tr>`,
  )}</tbody>
</table></div>${gap}`
}

function effect({ kind, reason, swaps }: PlannedAsk): Html {
  if (swaps.length === 0) return html`${words[kind]} <span class="soft">${reason}</span>`
  return html`${swaps.map(
    ({ sell, buy, blockedBy }) =>
      html`<div>sell ${sell.text} ${sell.token} for ${buy}${blockedBy.length > 0 && html` <span class="bad">blocked: ${blockedBy.join(', ')}</span>`}</div>`,
  )}`
}

const words: Readonly<Record<PlannedAsk['kind'], string>> = {
  swap: 'sell',
  blocked: 'be blocked',
  wait: 'wait.',
  postpone: 'put it off.',
  locked: 'not be asked.',
  unknown: 'depends on what is not known.',
}
