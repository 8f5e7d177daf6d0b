import { priceSources } from '../../chain/abi/contracts.ts'
import { readContract } from '../../chain/calls/readContract.ts'
import { type Rpc, type RpcCall, type RpcOutcome, saysNo } from '../../chain/rpc/rpc.ts'
import { sameAddress } from '../../core/token.ts'
import type { Pool, Reference } from './reference.ts'

/** A reference that cannot be right on this chain, and why. */
export type WrongPool = { readonly reference: Pool; readonly sentence: string }

/**
 * Compares each pool with its pair. Tokens of a pool never change, so once is enough; a pool of other tokens would give
 * a price of something else. Throws when the chain does not answer.
 */
export async function checkPools(
  rpc: Rpc,
  references: readonly Reference[],
): Promise<readonly WrongPool[]> {
  const pools = references.filter((one) => one.kind === 'pool')
  const outcomes = await rpc.batch(pools.flatMap(callsOf))
  return pools.flatMap((reference, index) => {
    const sentence = judge(reference, outcomes.slice(3 * index, 3 * index + 3))
    return sentence === undefined ? [] : [{ reference, sentence }]
  })
}

function callsOf({ venue, address }: Pool): readonly RpcCall<unknown>[] {
  const at = { address, args: [] } as const
  return [
    readContract({ ...at, abi: priceSources.pool, functionName: 'token0' }),
    readContract({ ...at, abi: priceSources.pool, functionName: 'token1' }),
    venue === 'uniswap-v2'
      ? readContract({ ...at, abi: priceSources[venue], functionName: 'getReserves' })
      : readContract({ ...at, abi: priceSources[venue], functionName: 'slot0' }),
  ]
}

function judge(
  { venue, address, pair }: Pool,
  answers: readonly RpcOutcome<unknown>[],
): string | undefined {
  const values: unknown[] = []
  for (const answer of answers) {
    if (answer.ok) values.push(answer.value)
    else if (saysNo(answer.error)) return `There is no ${venue} pool at ${address}`
    else throw answer.error
  }
  const found = values.slice(0, 2).map(String)
  const inPool = (token: { address: string }) =>
    found.some((one) => sameAddress(one, token.address))
  if (pair.every(inPool)) return undefined
  const names = pair.map(({ symbol }) => symbol).join('/')
  return `The pool at ${address} is not of ${names} but of ${found.join(' and ')}`
}
