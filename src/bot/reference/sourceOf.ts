import type { Reference } from './reference.ts'

/** The name of a source in checks and reports: `feed WETH/USD 0x…`. */
export function sourceOf(reference: Reference): string {
  const pair = reference.pair.map(({ symbol }) => symbol).join('/')
  switch (reference.kind) {
    case 'pool':
      return `${reference.venue} ${pair} ${reference.address}`
    case 'feed':
      return `feed ${pair} ${reference.address}`
    case 'order-book':
      return `order-book ${pair} ${reference.book.label}`
  }
}
