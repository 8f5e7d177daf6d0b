import { Counter, Gauge, Histogram, Registry } from 'prom-client'
import type { Clock } from '../core/clock.ts'

/** The service's figures. One registry for each service, so that two in one process do not mix. */
export type Metrics = {
  /** For further metrics of the code that composes the service. */
  readonly registry: Registry
  /** A request came to an end. `outcome` is `ok` or the code of a refusal. */
  answered(kind: string, outcome: string, seconds: number): void
  /** A firm quote uses these sources. */
  routed(sources: readonly string[]): void
  signed(count: number): void
  /** How far a firm quote is from the last indicative quote of the same question. The same block must give 0. */
  drifted(bps: number): void
  /** Seconds; not a number while no block was seen. */
  headAge(seconds: number): void
  /** A version of the order book was written. */
  published(): void
  /** Its result is set before each collection. */
  requestsOpen(count: () => number): void
  text(): Promise<string>
  readonly contentType: string
}

const latencyBuckets = [0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5]
const driftBuckets = [-100, -50, -10, -5, -1, -0.1, 0, 0.1, 1, 5, 10, 50, 100]

/** Starts counting at zero. */
export function createMetrics({ clock }: { clock: Clock }): Metrics {
  const registry = new Registry()
  const registers = [registry]
  const latency = new Histogram({
    name: 'quote_latency',
    help: 'Seconds from a request to its answer, by operation and outcome.',
    labelNames: ['kind', 'outcome'],
    buckets: latencyBuckets,
    registers,
  })
  const sources = new Counter({
    name: 'route_sources',
    help: 'Legs of firm quotes, by liquidity source.',
    labelNames: ['source'],
    registers,
  })
  const drift = new Histogram({
    name: 'firm_vs_indicative_bps',
    help: 'Firm quote against the last indicative quote of the same question, in basis points; below 0 pays less.',
    buckets: driftBuckets,
    registers,
  })
  const signatures = new Counter({
    name: 'signatures_total',
    help: 'Signatures made for firm quotes, by makers and by the service.',
    registers,
  })
  const gauge = (name: string, help: string) => new Gauge({ name, help, registers })
  const headAge = gauge('head_age', 'Seconds between the newest block known and now.')
  let publishedAt: number | undefined
  new Gauge({
    name: 'book_age',
    help: 'Seconds since the order book that is published was written.',
    registers,
    collect() {
      if (publishedAt !== undefined) this.set((clock.now() - publishedAt) / 1_000)
    },
  })

  return {
    registry,
    contentType: registry.contentType,
    answered: (kind, outcome, seconds) => latency.observe({ kind, outcome }, seconds),
    routed(used) {
      for (const source of used) sources.inc({ source })
    },
    signed: (count) => signatures.inc(count),
    drifted: (bps) => drift.observe(bps),
    headAge: (seconds) => headAge.set(seconds),
    published() {
      publishedAt = clock.now()
    },
    requestsOpen(count) {
      new Gauge({
        name: 'requests_open',
        help: 'Requests being answered.',
        registers,
        collect() {
          this.set(count())
        },
      })
    },
    text: () => registry.metrics(),
  }
}
