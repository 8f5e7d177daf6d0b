/** A number about a maker as `/metrics` shows it. Counters end in `_total`, everything else is a gauge. */
export type MakerFigure = {
  readonly name: `maker_${MakerEvent}_total` | 'reserved_inventory'
  readonly labels: { readonly maker: string; readonly token?: string }
  readonly value: number
}

export type MakerEvent = (typeof makerEvents)[number]

/** Events of requests to makers. Quoting and signing are counted apart: only the second is a broken promise. */
export const makerEvents = [
  'requested',
  'success',
  'timeout',
  'invalid',
  'refused_at_quote',
  'refused_at_signing',
] as const
