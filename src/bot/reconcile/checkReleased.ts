import { findTransactions } from '../../chain/calls/findTransactions.ts'
import { getReceipt } from '../../chain/calls/getReceipt.ts'
import type { Rpc } from '../../chain/rpc/rpc.ts'
import { isSwapCall } from '../../chain/settlement/codec.ts'
import { isSettledBy } from '../../chain/settlement/isSettledBy.ts'
import { BallastError } from '../../core/errors.ts'
import { type Address, sameAddress } from '../../core/token.ts'
import type { Adoption } from '../books.ts'
import type { BreakTally } from './createTally.ts'

/**
 * I12: no nonce that a person released carried a swap of the router; one of a former router is named. Every other nonce is
 * one attempt of the books (I1), so no swap of this wallet is without its row.
 *
 * A node without the states of those blocks cannot say; a person has looked at these nonces, so that is told and breaks
 * nothing.
 */
export async function checkReleased(
  {
    rpc,
    router,
    wallet,
    adoption,
    depth,
  }: {
    rpc: Rpc
    router: Address
    wallet: Address
    adoption: Adoption
    depth: number
  },
  tally: BreakTally,
): Promise<string> {
  const ranges = adoption.releases.filter(({ from, to }) => to > from)
  const count = ranges.reduce((sum, { from, to }) => sum + to - from, 0)
  if (count === 0) return 'no nonce was ever released'
  try {
    for (const { from, to: until } of ranges) {
      const sent = await findTransactions(rpc, {
        ...{ sender: wallet, from, until, after: 0, to: depth, blocksMax: 0 },
      })
      for (const { hash, nonce, to, data } of sent) {
        if (to === undefined || !isSwapCall(data)) continue
        const receipt = await rpc.request(getReceipt(hash))
        if (receipt === undefined || !isSettledBy(receipt, { router: to, caller: wallet })) continue
        // Older versions knew a swap of today's router alone, and nothing books it any more.
        if (!sameAddress(to, router))
          tally.pruned(`the released transaction ${hash} is a swap of the former router ${to}`)
        else
          tally.broke({
            key: `I12 ${hash}`,
            code: 'SWAP_UNBOOKED',
            facts: { wallet, nonce, transaction: hash },
            next: 'restore the newest backup, then: ballast recover --reason "…"',
            lock: 'LEDGER_BROKEN',
          })
      }
    }
    return `${count} released nonces, looked at one by one`
  } catch (error) {
    if (!(error instanceof BallastError) || error.fault !== 'upstream') throw error
    return `${count} released nonces; the endpoint does not show them: ${error.summary}`
  }
}
