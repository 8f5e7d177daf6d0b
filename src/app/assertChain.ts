import type { Config } from '../config/config.ts'
import { BallastError } from '../core/errors.ts'

/** Throws WRONG_CHAIN where an endpoint serves another chain than the configured one. */
export function assertChain(
  config: Config,
  { found, endpoint }: { found: number; endpoint: string },
): void {
  const { chainId } = config.chain
  if (found === chainId) return
  const at = config.locate(['chain', 'chainId'])
  throw new BallastError(
    `The RPC endpoint serves chain ${found}, but ${at} says ${chainId}: correct one of them.`,
    { code: 'WRONG_CHAIN', remedy: 'halt', fault: 'usage', facts: { endpoint } },
  )
}
