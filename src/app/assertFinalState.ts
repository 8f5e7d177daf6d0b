import { getTransactionCount } from '../chain/calls/account.ts'
import { getBlock } from '../chain/calls/node.ts'
import { finalHeight, showFinality } from '../chain/finality.ts'
import { type Rpc, saysNo } from '../chain/rpc/rpc.ts'
import type { Config } from '../config/config.ts'
import { ballastError } from '../core/errors.ts'

type Depth = Pick<Config, 'chain' | 'wallet' | 'locate'>

/**
 * Throws FINAL_STATE_MISSING for a node that has dropped the state of the newest final block: nonces and authorisations are
 * read there, so each swap would stay undecided.
 *
 * Only where `chain.confirmations` is a word: a number of blocks is small at most nodes, and `ballast doctor` examines it. An
 * endpoint that is away or behind stops nothing here: that passes, and the state may be there.
 */
export async function assertFinalState(rpc: Rpc, config: Depth): Promise<void> {
  const { confirmations } = config.chain
  if (typeof confirmations === 'number') return
  const missing = await finalStateMissing(rpc, config).catch(() => undefined)
  if (missing !== undefined)
    throw ballastError('FINAL_STATE_MISSING', missing, { endpoint: rpc.label })
}

/** What is wrong with a node that keeps no state of the newest final block; undefined where it does, or has no such block yet. */
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
