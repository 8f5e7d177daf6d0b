import type { Config } from '../config/config.ts'
import { ballastError } from '../core/errors.ts'

/** Throws WRONG_CHAIN where an endpoint serves another chain than the configured one. */
export function assertChain(
  config: Config,
  { found, endpoint }: { found: number; endpoint: string },
): void {
  const { chainId } = config.chain
  if (found === chainId) return
  const at = config.locate(['chain', 'chainId'])
  throw ballastError(
    'WRONG_CHAIN',
    `The RPC endpoint serves chain ${found}, but ${at} says ${chainId}: correct one of them.`,
    { endpoint },
  )
}
