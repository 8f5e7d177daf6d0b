import type { Clock } from '../../core/clock.ts'
import type { Snapshots } from '../createSnapshots.ts'
import type { Market } from '../market.ts'

/** Query parameters as they came: text, none repeated. */
export type Query = Readonly<Record<string, string>>

/** What an operation works with. */
export type Desk = {
  readonly market: Market
  readonly snapshots: Snapshots
  readonly clock: Clock
  /** Never the same twice, also across restarts: the router fills an id once. */
  readonly nextOrderId: () => bigint
}

/** One operation of the API as a value; the server adds HTTP and keys. */
export type Operation = {
  readonly path: string
  answer(desk: Desk, query: Query): Promise<unknown>
}
