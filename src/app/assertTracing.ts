import { traceReads } from '../chain/calls/traces.ts'
import { type Rpc, RpcGarbled, RpcRefused } from '../chain/rpc/rpc.ts'
import type { Config } from '../config/config.ts'
import { ballastError } from '../core/errors.ts'

/** Refuses a node that cannot trace calls where the configuration asks for it: with one harmless call. */
export async function assertTracing(rpc: Rpc, { chain, wallet, locate }: Config): Promise<void> {
  if (chain.tracing === 'unavailable') return
  const { address } = wallet
  try {
    await rpc.request(traceReads({ from: address, to: address, data: '0x', gas: 50_000n }))
  } catch (error) {
    if (!(error instanceof RpcRefused || error instanceof RpcGarbled)) throw error
    throw ballastError(
      'TRACING_UNAVAILABLE',
      `The RPC endpoint cannot trace calls (debug_traceCall), so what a swap writes would not be seen: use another one, or write tracing: unavailable at ${locate(['chain'])}.`,
      { endpoint: rpc.label },
      error,
    )
  }
}
