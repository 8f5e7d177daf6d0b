import type { BookedSwap } from '../books.ts'
import { deadStates } from '../state.ts'
import type { Tally } from './createTally.ts'
import type { Sight } from './sight.ts'

const isDead = ({ state }: BookedSwap) => deadStates.some((one) => one === state)

/**
 * I2: a swap settles once at most, and one that ended dead never did: neither by a receipt of its bytes nor by the word
 * of the router, which consumes each authorisation once.
 */
export function checkDead(swap: BookedSwap, sight: Sight, tally: Tally): void {
  const { swapId, state, authorization } = swap
  const bytes = swap.attempts.filter(({ kind }) => kind !== 'APPROVE' && kind !== 'CANCEL')
  const seen = bytes.map(({ hash }) => ({ hash, found: sight.transaction(hash) }))
  const settled = seen.filter(({ found }) => found.is === 'mined' && found.receipt.success)
  const transactions = settled.map(({ hash }) => hash).join(', ')
  if (settled.length > 1)
    tally.broke({
      key: `I2 twice ${swapId}`,
      code: 'SETTLED_TWICE',
      facts: { swapId, transactions },
      next: `ballast halt, then: ballast history ${swapId}`,
      lock: 'LEDGER_BROKEN',
    })
  if (!isDead(swap)) return
  const consumed = authorization === undefined ? false : sight.consumed(authorization)
  if (settled.length > 0 || consumed === true)
    tally.broke({
      key: `I2 dead ${swapId}`,
      code: 'SETTLED_AFTER_ALL',
      facts: { swapId, state, transactions: transactions || undefined, consumed },
      next: `ballast history ${swapId}; book what it moved by hand, then: ballast resume --reason "…"`,
      lock: 'REORG_BEYOND_DEPTH',
      undone: swapId,
    })
  else if (consumed === undefined)
    tally.unknown(`swap ${swapId}: the router did not say whether it was consumed`)
  else
    for (const { hash, found } of seen)
      if (found.is === 'unknown') tally.unknown(`swap ${swapId}: ${hash}: ${found.why}`)
}

/** I11: what settled is still on the chain, in the very block it was booked for. Says whether it is. */
export function checkSettled(swap: BookedSwap, sight: Sight, tally: Tally): boolean {
  const { swapId, state, included } = swap
  if (state !== 'SETTLED' || included === undefined) return false
  const { transaction, number, hash } = included
  const found = sight.transaction(transaction)
  const block = sight.block(included)
  if (block === 'gone') {
    tally.broke({
      key: `I11 ${swapId} block ${hash}`,
      code: 'REORG_BEYOND_DEPTH',
      facts: {
        swapId,
        transaction,
        block: number,
        booked: hash,
        now: sight.hashAt(number),
        transactionIs:
          found.is === 'mined'
            ? `in block ${found.receipt.blockNumber}, ${found.receipt.success ? 'successful' : 'reverted'}`
            : found.is,
      },
      next: `ballast history ${swapId}; once it is clear what became of it: ballast resume --reason "…"`,
      lock: 'REORG_BEYOND_DEPTH',
      undone: swapId,
    })
    return false
  }
  if (found.is === 'mined' && block === 'stands') {
    if (found.receipt.success && found.receipt.blockHash === hash) return true
    tally.broke({
      key: `I11 ${swapId} receipt`,
      code: 'SETTLED_OTHERWISE',
      facts: {
        swapId,
        transaction,
        booked: hash,
        in: found.receipt.blockHash,
        success: found.receipt.success,
      },
      next: `ballast halt, then: ballast history ${swapId}`,
      lock: 'LEDGER_BROKEN',
    })
    return false
  }
  tally.unknown(
    `swap ${swapId}: ${
      block === 'unknown'
        ? `the node does not have block ${number}`
        : found.is === 'unknown'
          ? found.why
          : 'the node has its block and not its receipt'
    }`,
  )
  return false
}
