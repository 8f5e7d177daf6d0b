import type { z } from 'zod'

/** One operation of the quoting API as a value. The bot and the service meet in these and nowhere else. */
export type Endpoint<query extends z.ZodType, response extends z.ZodType> = {
  readonly name: string
  readonly path: `/v1/${string}`
  readonly query: query
  readonly response: response
}

/** Ties the schemas of an operation to its path. */
export function defineEndpoint<query extends z.ZodType, response extends z.ZodType>(
  endpoint: Endpoint<query, response>,
): Endpoint<query, response> {
  return endpoint
}
