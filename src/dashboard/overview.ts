import { type Html, html } from '../core/html.ts'
import { partOf, weightBar } from './charts.ts'
import { dataTable, empty } from './dataTable.ts'
import { ago, amount, bps, linked, state } from './figures.ts'
import { layout, type PageSetting } from './layout.ts'
import { limitsTable } from './limitsTable.ts'
import type { PlannedAsk, PlanView } from './planView.ts'
import { holdingsTable, valueCard } from './valueCard.ts'
import type {
  FillView,
  Health,
  LimitView,
  LockView,
  StrategyView,
  SwapView,
  TargetView,
  ValueView,
} from './views.ts'

type Overview = {
  readonly strategies: readonly StrategyView[]
  /** Or why there is none. */
  readonly plan: PlanView | { readonly message: string } | null
  /** Under way. */
  readonly open: readonly SwapView[]
  readonly fills: readonly FillView[]
  readonly value: ValueView | null
  readonly targets: readonly TargetView[]
  readonly limits: readonly LimitView[]
}

/** Limits of the first page: those that are nearest to their end. */
const limitsShown = 4

/** The first page: is it well, what is it worth, is it inside its targets, what is due, what was done and how well. */
export function overview(shown: Overview, setting: PageSetting): Html {
  const { strategies, plan, open, fills, value, targets, limits } = shown
  const { health, now } = setting
  return layout({
    title: `Ballast on ${health.chain}`,
    path: '/',
    setting,
    main: html`${standing(setting, strategies)}
<div class="screen">
<div>${valueCard(value, health, now)}
<h2>Weights and targets</h2>
${targets.length === 0 ? holdingsTable(value, health) : targetTable(targets)}
<h2>Last fills</h2>
${fillTable(fills, now)}
<p><a href="/swaps">All swaps</a></p></div>
<div><h2>Strategies</h2>
${strategies.length === 0 ? empty('No strategy is configured.') : html`<div class="cards">${strategies.map((one) => strategyCard(one, { plan, now }))}</div>`}
${plan !== null && 'message' in plan && html`<p class="soft">No plan: ${plan.message}</p>`}
${plan !== null && !('message' in plan) && plan.unknown.length > 0 && html`<p class="soft">${plan.unknown.map((one) => html`${one} `)}</p>`}
<h2>Limits</h2>
${limitTable(limits)}
<p><a href="/risk">All limits, breakers and locks</a></p></div>
</div>
<h2>Under way</h2>
${openTable(open, now)}
${targets.length > 0 && html`<h2>Holdings</h2>${holdingsTable(value, health)}`}`,
    json: [
      ['health', '/api/health'],
      ['value', '/api/value'],
      ['targets', '/api/targets'],
      ['limits', '/api/limits'],
      ['locks', '/api/locks'],
      ['plan', '/api/plan'],
      ['strategies', '/api/strategies'],
      ['fills', '/api/fills'],
      ['swaps', '/api/swaps'],
    ],
  })
}

/** In one word how it is, and how old the last look of a strategy is. */
function standing({ health, locks, now }: PageSetting, strategies: readonly StrategyView[]): Html {
  const word = stateWord(health, locks)
  const last = strategies
    .flatMap(({ decidedAt }) => decidedAt ?? [])
    .sort()
    .at(-1)
  const { wallet, head, explorer } = health
  return html`<p class="standing"><span class="state ${word === 'RUNNING' ? 'good' : 'bad'}">${word}</span>
<span>${last === undefined ? 'no strategy has looked yet' : html`last look ${ago(last, now)}`}</span>
<span>${head === null ? 'head block not known' : html`head block ${head.block}, ${ago(head.at, now)}`}</span>
<span class="soft">wallet ${linked(explorer, 'address', wallet)}</span></p>`
}

/** How a wallet is, in one word or two. */
export function stateWord(
  { head, ready }: Pick<Health, 'head' | 'ready'>,
  locks: readonly Pick<LockView, 'kind'>[],
): string {
  if (locks.some(({ kind }) => kind === 'halt')) return 'HALTED'
  if (locks.length > 0) return 'LOCKED'
  if (head === null) return 'NO NODE'
  return ready ? 'RUNNING' : 'NEEDS ATTENTION'
}

const percent = (hundredths: number) => `${(hundredths / 100).toFixed(2)} %`

const targetTable = (targets: readonly TargetView[]) =>
  dataTable({
    label: 'Weights beside their targets',
    columns: [
      { name: 'Asset' },
      { name: 'Now', isNumber: true },
      { name: 'Target', isNumber: true },
      { name: 'Band', isNumber: true, isMinor: true },
      { name: 'In the band' },
      { name: 'Part' },
    ],
    rows: targets.map((target) => {
      const { strategy, token, shareBps, bandBps, nowBps } = target
      const isIn = nowBps !== null && Math.abs(nowBps - shareBps) <= bandBps
      return {
        key: `target-${strategy}-${token}`,
        cells: [
          html`${token} <span class="soft minor">${strategy}</span>`,
          nowBps === null ? 'no price' : percent(nowBps),
          percent(shareBps),
          `± ${percent(bandBps)}`,
          nowBps === null
            ? 'not known'
            : isIn
              ? html`<span class="good">inside</span>`
              : html`<span class="bad">outside</span>`,
          weightBar(target),
        ],
      }
    }),
    empty: 'No strategy keeps weights.',
  })

const limitTable = (limits: readonly LimitView[]) =>
  limitsTable(
    [...limits]
      .sort((a, b) => partOf(b.used.wei, b.most.wei) - partOf(a.used.wei, a.most.wei))
      .slice(0, limitsShown),
  )

type Around = { readonly plan: Overview['plan']; readonly now: number }

function strategyCard(
  { name, summary, decision, reason, decidedAt, nextAt }: StrategyView,
  { plan, now }: Around,
): Html {
  return html`<section class="card" data-key="strategy-${name}">
<div class="top"><strong><a href="/strategies/${encodeURIComponent(name)}" title="${summary}">${name}</a></strong>${decision !== null && html`<span class="mark ${decision === 'swap' ? 'good' : 'soft'}">${decision}</span>`}</div>
<p>${reason ?? 'Has not looked yet.'}</p>
<p class="soft">${decidedAt !== null && html`Decided ${ago(decidedAt, now)}.`} ${nextAt !== null && html`Next slot ${ago(nextAt, now)}${coming(name, { plan, now })}.`}</p>
</section>`
}

/** What it would do next, if prices stay as they are. */
function coming(name: string, { plan, now }: Around): Html | false {
  if (plan === null || 'message' in plan) return false
  const asks = plan.strategies.find((one) => one.name === name)?.asks ?? []
  const next = asks.find(({ at }) => Date.parse(at) >= now)
  return next !== undefined && html`, at today's prices: ${effect(next)}`
}

function effect({ kind, reason, swaps }: PlannedAsk): Html {
  // Why it waits stands above, by its last decision.
  if (kind === 'wait' || kind === 'postpone') return html`${words[kind]}`
  if (swaps.length === 0) return html`${words[kind]} (${reason.replace(/\.$/, '')})`
  return html`${swaps.map(
    ({ sell, buy, blockedBy }, index) =>
      html`${index > 0 && ', '}sell ${sell.text} ${sell.token} for ${buy}${blockedBy.length > 0 && html`, <span class="bad">blocked: ${blockedBy.join(', ')}</span>`}`,
  )}`
}

const words: Readonly<Record<PlannedAsk['kind'], string>> = {
  swap: 'sell',
  blocked: 'blocked',
  wait: 'wait',
  postpone: 'put it off',
  locked: 'locked',
  unknown: 'not known',
}

const openTable = (swaps: readonly SwapView[], now: number) =>
  dataTable({
    label: 'Swaps under way',
    columns: [{ name: 'Planned' }, { name: 'Strategy' }, { name: 'State' }, { name: 'Sells' }],
    rows: swaps.map((swap) => ({
      key: `open-${swap.id}`,
      cells: [
        html`<a href="/swaps/${swap.id}">${ago(swap.createdAt, now)}</a>`,
        swap.strategy,
        state(swap.state),
        html`${amount(swap.sell)} for ${swap.buy}`,
      ],
    })),
    empty: 'No swap is under way.',
  })

const fillTable = (fills: readonly FillView[], now: number) =>
  dataTable({
    label: 'Last fills',
    columns: [
      { name: 'Settled' },
      { name: 'Strategy', isMinor: true },
      { name: 'Sold', isNumber: true },
      { name: 'Received', isNumber: true },
      { name: 'All-in', isNumber: true },
    ],
    rows: fills.map(({ id, at, strategy, sold, received, costBps }) => ({
      key: `fill-${id}`,
      cells: [
        html`<a href="/swaps/${id}">${ago(at, now)}</a>`,
        strategy,
        amount(sold),
        amount(received),
        costBps === null ? 'not known' : bps(-costBps),
      ],
    })),
    empty: 'No swap has settled yet. The strategies above say what they are waiting for.',
  })
