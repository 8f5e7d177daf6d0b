import { getTransactionCount } from '../chain/calls/account.ts'
import { getBlock } from '../chain/calls/node.ts'
import { finalHeight, showFinality } from '../chain/finality.ts'
import { type Rpc, saysNo } from '../chain/rpc/rpc.ts'
import type { Config } from '../config/config.ts'

type Depth = Pick<Config, 'chain' | 'wallet' | 'locate'>

/**
 * What is wrong with each of these nodes, one line for each that keeps no state of final blocks. It stops nothing: what is
 * open is followed, and an allowance may be taken back. A number of blocks is small at most nodes: `ballast doctor`
 * examines it.
 */
export async function shallowNodes(
  rpcs: readonly Rpc[],
  config: Depth,
): Promise<readonly string[]> {
  if (typeof config.chain.confirmations === 'number') return []
  const found = await Promise.all(
    // A node that is away is read again by each swap.
    rpcs.map((rpc) => finalStateMissing(rpc, config).catch(() => undefined)),
  )
  return found.flatMap((missing, index) =>
    missing === undefined ? [] : `${rpcs[index]?.label}: ${missing}`,
  )
}

/**
 * What is wrong with a node that has dropped the state of the newest final block; undefined where it has it, or has no such
 * block yet. Nonces and authorisations are read there, so each swap would stay undecided.
 */
export async function finalStateMissing(
  rpc: Rpc,
  { chain: { confirmations }, wallet, locate }: Depth,
): Promise<string | undefined> {
  const head = await rpc.request(getBlock('latest'))
  const height = await finalHeight(rpc, confirmations, head?.number ?? 0)
  if (height < 0) return undefined
  try {
    await rpc.request(getTransactionCount(wallet.address, height))
    return undefined
  } catch (error) {
    if (!saysNo(error)) throw error
    const instead = typeof confirmations === 'number' ? 'fewer blocks' : 'a number of blocks'
    return `The RPC endpoint keeps no state of block ${height} (${showFinality(confirmations)}), so every swap would stay undecided: use a node that keeps it, or write ${instead} at ${locate(['chain', 'confirmations'])}.`
  }
}
