import { swapRouterAbi } from '../../../contracts/abi/swapRouter.ts'
import { getChainId } from '../../chain/calls/node.ts'
import { readContract } from '../../chain/calls/readContract.ts'
import { type Rpc, RpcGarbled, RpcRefused } from '../../chain/rpc/rpc.ts'
import type { ServiceConfig } from '../../config/service/readServiceConfig.ts'
import { type BallastError, ballastError, type Facts } from '../../core/errors.ts'
import { sameAddress } from '../../core/token.ts'

/** Refuses to serve what could never settle: another chain, no router, another executor. */
export async function examineChain(
  rpc: Rpc,
  { chain, router, executor }: ServiceConfig,
): Promise<void> {
  const chainId = await rpc.request(getChainId)
  if (chainId !== chain.chainId)
    throw wrong('The RPC endpoint serves another chain than chain.chainId.', {
      expected: chain.chainId,
      actual: chainId,
    })
  const actual = await executorOf(rpc, router)
  if (actual === undefined) throw wrong('There is no router at the configured address.', { router })
  if (!sameAddress(actual, executor))
    throw wrong('The router has another executor than the configured one.', {
      expected: executor,
      actual,
    })
}

async function executorOf(rpc: Rpc, router: `0x${string}`): Promise<`0x${string}` | undefined> {
  try {
    return await rpc.request(
      readContract({ address: router, abi: swapRouterAbi, functionName: 'executor', args: [] }),
    )
  } catch (error) {
    // No code there, or other code: both answer, neither with an address.
    if (error instanceof RpcGarbled || error instanceof RpcRefused) return undefined
    throw error
  }
}

function wrong(summary: string, facts: Facts): BallastError {
  return ballastError('WRONG_CHAIN', summary, facts)
}
