import { z } from 'zod'
import type { Address } from '../core/token.ts'

const address = z
  .string()
  .regex(/^0x[0-9a-fA-F]{40}$/)
  .transform((text) => text as Address)

/** What was put on the chain, and where. */
export const deploymentSchema = z.strictObject({
  /** Of the world it was made from: another world needs another chain. */
  worldHash: z.string(),
  chainId: z.int(),
  /** Prices count their steps from here. */
  block: z.int(),
  router: address,
  routerCodeHash: z.string().transform((text) => text as `0x${string}`),
  executor: address,
  tokens: z.record(z.string(), address),
  /** In the order of the world. */
  pools: z.array(address),
  /** What a token is worth in US dollars, by symbol: of each token the world gives a price. */
  feeds: z.record(z.string(), address),
  /** Uniswap's own, for whoever trades without us. Absent where the world has no v3 pool. */
  v3SwapRouter: address.optional(),
})
export type Deployment = z.output<typeof deploymentSchema>
