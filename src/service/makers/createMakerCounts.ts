/** What can happen when a maker is asked. Quoting and signing are counted apart: only the second is a broken promise. */
const makerEvents = [
  'requested',
  'success',
  'timeout',
  'invalid',
  'refused_at_quote',
  'refused_at_signing',
] as const
export type MakerEvent = (typeof makerEvents)[number]

/** A number about a maker as `/metrics` shows it. Counters end in `_total`, everything else is a gauge. */
export type MakerFigure = {
  readonly name: `maker_${MakerEvent}_total` | 'reserved_inventory'
  readonly labels: { readonly maker: string; readonly token?: string }
  readonly value: number
}

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
