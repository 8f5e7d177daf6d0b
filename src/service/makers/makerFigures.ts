import { Counter, Gauge, type Registry } from 'prom-client'
import { formatDecimal } from '../../core/decimal.ts'
import type { Token } from '../../core/token.ts'
import type { Inventory } from '../inventory/createInventory.ts'
import { type MakerEvent, type MakerFigure, makerEvents } from '../venues/makerEvents.ts'
import type { Venue } from '../venues/venue.ts'

/** What `/metrics` shows of a maker besides its counts. */
export const makerFigures = {
  /** In token units; 0 again when everything was settled or has expired. */
  reserved(
    inventory: Inventory,
    { name, tokens }: { name: string; tokens: readonly Token[] },
  ): readonly MakerFigure[] {
    return tokens.map(({ address, symbol, decimals }) => ({
      name: 'reserved_inventory',
      labels: { maker: name, token: symbol },
      value: Number(formatDecimal(inventory.reserved(address), decimals)),
    }))
  },
}

/** The counts of one maker's answers. */
export type MakerCounts = {
  add(event: MakerEvent): void
  figures(): readonly MakerFigure[]
}

/** Counts what one maker answered, from zero. */
export function createMakerCounts(maker: string): MakerCounts {
  const counts = new Map<MakerEvent, number>(makerEvents.map((event) => [event, 0]))
  return {
    add: (event) => {
      counts.set(event, (counts.get(event) ?? 0) + 1)
    },
    figures: () =>
      makerEvents.map((event) => ({
        name: `maker_${event}_total`,
        labels: { maker },
        value: counts.get(event) ?? 0,
      })),
  }
}

type Name = MakerFigure['name']

const counters: Readonly<Record<Exclude<Name, 'reserved_inventory'>, string>> = {
  maker_requested_total: 'Times a maker was called for levels or for a signature.',
  maker_success_total: 'Times a maker gave what was requested.',
  maker_timeout_total: 'Times a maker did not answer in time.',
  maker_invalid_total: 'Answers of a maker that were not what was requested.',
  maker_refused_at_quote_total: 'Times a maker refused to publish levels.',
  maker_refused_at_signing_total: 'Times a maker refused to sign what its levels promised.',
}

/** Shows the counts of makers, read on demand: the makers themselves know nothing of `/metrics`. */
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
