import { Counter, Gauge, type Registry } from 'prom-client'
import type { Venue } from '../venues/venue.ts'
import type { MakerFigure } from './createMakerCounts.ts'

type Name = MakerFigure['name']

const counters: Readonly<Record<Exclude<Name, 'reserved_inventory'>, string>> = {
  maker_requested_total: 'Times a maker was asked for levels or for a signature.',
  maker_success_total: 'Times a maker gave what it was asked for.',
  maker_timeout_total: 'Times a maker did not answer in time.',
  maker_invalid_total: 'Answers of a maker that were not what it was asked for.',
  maker_refused_at_quote_total: 'Times a maker refused to publish levels.',
  maker_refused_at_signing_total: 'Times a maker refused to sign what its levels promised.',
}

/** Shows what makers count, read when somebody looks: the makers themselves know nothing of `/metrics`. */
export function exposeFigures(registry: Registry, venues: readonly Venue[]): void {
  const figuresOf = (name: Name) =>
    venues.flatMap(({ figures }) => figures?.() ?? []).filter((figure) => figure.name === name)
  for (const name of Object.keys(counters) as (keyof typeof counters)[])
    new Counter({
      name,
      help: counters[name],
      labelNames: ['maker'],
      registers: [registry],
      collect() {
        this.reset()
        for (const { labels, value } of figuresOf(name)) this.inc({ maker: labels.maker }, value)
      },
    })
  new Gauge({
    name: 'reserved_inventory',
    help: 'What a maker has promised and not yet paid, in token units.',
    labelNames: ['maker', 'token'],
    registers: [registry],
    collect() {
      this.reset()
      for (const { labels, value } of figuresOf('reserved_inventory')) this.set(labels, value)
    },
  })
}
