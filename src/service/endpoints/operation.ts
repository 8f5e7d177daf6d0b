import type { Logger } from 'pino'
import type { z } from 'zod'
import type { Endpoint } from '../../api/endpoint.ts'
import type { Clock } from '../../core/clock.ts'
import type { createBalances } from '../createBalances.ts'
import type { Metrics } from '../createMetrics.ts'
import type { PublishedBook } from '../createPublishedBook.ts'
import type { Snapshot, Snapshots } from '../createSnapshots.ts'
import type { ServiceMarket } from '../market.ts'
import type { Query } from '../request/readChain.ts'
import type { Drift } from './createDrift.ts'

/** The parts an operation works with. */
export type Desk = {
  readonly market: ServiceMarket
  readonly snapshots: Snapshots
  readonly balanceOf: ReturnType<typeof createBalances>
  readonly clock: Clock
  /** Never the same twice, also across restarts: the router fills an id once. */
  readonly nextOrderId: () => bigint
  readonly bookOf: (snapshot: Snapshot) => PublishedBook
  readonly metrics: Metrics
  readonly drift: Drift
  readonly log: Logger
}

/** A request as an operation sees it. */
export type Asked = {
  readonly query: Query
  readonly requestId: string
  /** The API key, or the network where none is needed, as the gate names it. */
  readonly caller: string
}

/** One operation of the API as a value; the server adds HTTP, keys and limits. */
export type Operation = {
  readonly endpoint: Endpoint<z.ZodObject, z.ZodType>
  readonly summary: string
  /** Sends its answer with a version, and 304 to a client that has it. */
  readonly hasVersions?: true
  /** Another party's process may be slow. */
  readonly waitsForMakers?: true
  /** A value to be written as JSON, or a {@link PublishedBook} that is written already. */
  answer(desk: Desk, asked: Asked): Promise<OperationAnswer>
}

export type OperationAnswer =
  | { readonly value: unknown; readonly book?: never }
  | { readonly book: PublishedBook; readonly value?: never }
