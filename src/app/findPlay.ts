import { type Play, simulate } from '../chain/calls/simulate.ts'
import { simulateByProbe } from '../chain/calls/simulateByProbe.ts'
import { type Rpc, RpcGarbled, RpcRefused } from '../chain/rpc/rpc.ts'
import type { Address } from '../core/token.ts'

/** Finds out, with one harmless call, how a node plays a scenario through. Throws when it does not answer. */
export async function findPlay(rpc: Rpc, wallet: Address): Promise<Play> {
  const nothing = { calls: [{ from: wallet, to: wallet, data: '0x', gas: 50_000n }] } as const
  try {
    await rpc.request(simulate(nothing))
    return simulate
  } catch (error) {
    if (!(error instanceof RpcRefused || error instanceof RpcGarbled)) throw error
    // It has no such method, or another one of that name.
    return simulateByProbe
  }
}
