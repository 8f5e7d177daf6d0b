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
  pools: z.array(address),
})
export type Deployment = z.output<typeof deploymentSchema>
