/**
 * Options of an HTTP server, of Fastify's form: how long a request may take to arrive, in milliseconds. Slower than this
 * is not a network but an attack, whose connections take the files that the process needs.
 */
export const requestBounds = {
  requestTimeout: 5_000,
  http: {
    headersTimeout: 5_000,
    /** Between two looks for slow requests: Node's own half minute would be the limit. */
    connectionsCheckingInterval: 1_000,
  },
} as const
