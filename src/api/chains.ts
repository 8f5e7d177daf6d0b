import { z } from 'zod'
import { defineEndpoint } from './endpoint.ts'

/** One supported blockchain (specification, "Chain"). */
const chain = z.looseObject({
  chainId: z.int().positive(),
  chain: z.string().min(1),
  label: z.string(),
  token: z.string().min(1),
  isMainnet: z.boolean(),
})
export type ChainListing = z.infer<typeof chain>

/** `GET /v1/chains`: every supported chain; its `chain` is the name other requests take. */
export const chains = defineEndpoint({
  name: 'chains',
  path: '/v1/chains',
  query: z.object({}),
  response: z.array(chain),
})
