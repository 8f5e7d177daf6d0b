import { Counter, Gauge, Registry } from 'prom-client'
import type { FiguresView, Health, LockView, StrategyView } from './views.ts'

type Measured = {
  readonly health: Health
  readonly locks: readonly LockView[]
  readonly strategies: readonly StrategyView[]
  readonly figures: FiguresView
  /** Milliseconds since the epoch. */
  readonly now: number
}

/** Decimals of every chain's own currency. */
const coin = 1e18

/** The bot in Prometheus' text format. Totals are those of the journal: a restart does not set them back. */
export async function botMetrics({ health, locks, strategies, figures, now }: Measured) {
  const registry = new Registry()
  const registers = [registry]
  const age = (iso: string) => (now - Date.parse(iso)) / 1_000
  const gauge = (name: string, help: string, value: number | null) => {
    if (value !== null) new Gauge({ name, help, registers }).set(value)
  }
  gauge('ballast_up', 'Always 1: the process answers.', 1)
  gauge('ballast_ready', '1 where nothing needs attention, as at /readyz.', health.ready ? 1 : 0)
  const byCode = (name: string, help: string, items: readonly { readonly code: string }[]) => {
    const held = new Gauge({ name, help, labelNames: ['code'], registers })
    for (const { code } of items) held.inc({ code })
  }
  byCode('ballast_lock', 'Locks that hold now, by code.', locks)
  byCode('ballast_attention', 'Things a person must know now, by code.', health.attention)
  const byState = (name: string, help: string, rows: FiguresView['slots']) => {
    const counter = new Counter({ name, help, labelNames: ['state'], registers })
    for (const { state, count } of rows) counter.inc({ state }, count)
  }
  byState('ballast_swaps_total', 'Swaps that ended, by final state.', figures.swapsEnded)
  gauge('ballast_swaps_open', 'Swaps that are not decided.', figures.swapsOpen)
  byState('ballast_slots_total', 'Calendar slots that are over, by state.', figures.slots)
  new Counter({
    name: 'ballast_gas_paid_total',
    help: "Cost of all gas, in the chain's own currency.",
    labelNames: ['currency'],
    registers,
  }).inc({ currency: health.currency }, Number(figures.gasPaidWei) / coin)
  const headAge = health.head === null ? null : age(health.head.at)
  gauge('ballast_head_age_seconds', 'Age of the newest block; absent where unknown.', headAge)
  const looks = new Gauge({
    name: 'ballast_look_age_seconds',
    help: 'Time since the last decision, by strategy; absent before the first.',
    labelNames: ['strategy'],
    registers,
  })
  for (const { name, decidedAt } of strategies)
    if (decidedAt !== null) looks.set({ strategy: name }, age(decidedAt))
  const { journalBytes, diskFreeBytes } = figures
  gauge('ballast_journal_bytes', "Size of the journal's file and its log.", journalBytes)
  gauge('ballast_disk_free_bytes', "Free space of the journal's volume.", diskFreeBytes)
  return { text: await registry.metrics(), contentType: registry.contentType }
}
