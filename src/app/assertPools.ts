import { checkPools } from '../bot/reference/checkPools.ts'
import type { Pool } from '../bot/reference/reference.ts'
import type { Rpc } from '../chain/rpc/rpc.ts'
import { ballastError } from '../core/errors.ts'

/** Refuses pools of other tokens than their configuration says: a price out of such a one gives away what it is for. */
export async function assertPools(rpc: Rpc, pools: readonly Omit<Pool, 'kind'>[]): Promise<void> {
  const [wrong] = await checkPools(
    rpc,
    pools.map((pool) => ({ kind: 'pool', ...pool })),
  )
  if (wrong === undefined) return
  const { address } = wrong.reference
  throw ballastError('WRONG_CHAIN', `${wrong.sentence}.`, { pool: address })
}
