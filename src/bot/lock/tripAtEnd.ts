import { formatDecimal } from '../../core/decimal.ts'
import type { NewLock } from '../lock.ts'
import type { EndFacts } from '../stages.ts'
import type { Limits } from './limits.ts'

const day = 24 * 60 * 60 * 1_000

/** Stages whose refusals say that the service or the chain is not what it should be; policy and funds are our own. */
const suspicious = /^(?:VERIFY|SIMULATE)_/

/** A witness that could not be asked said nothing: its swap is refused, and that is all. */
const witnessAway = 'simulate.witness-reachable'

/** The locks that the end of a swap opens. Pure: facts in, locks out. */
export function tripAtEnd(facts: EndFacts, limits: Limits): readonly NewLock[] {
  return [
    refusals(facts, limits),
    failures(facts, limits),
    shortfall(facts),
    witness(facts, limits),
    gas(facts, limits),
  ].filter((lock) => lock !== undefined)
}

function refusals(
  { at, strategy, swap, strategyEnds }: EndFacts,
  { refusals: { count, lockMs } }: Limits,
): NewLock | undefined {
  if (swap.state !== 'REJECTED') return undefined
  const row = leading(strategyEnds, ({ state, code }) => {
    return state === 'REJECTED' && suspicious.test(code ?? '')
  })
  if (row < count) return undefined
  return {
    kind: 'breaker',
    scope: `strategy ${strategy}`,
    code: 'REFUSALS',
    reason: `${row} swaps in a row were refused, the last one with ${swap.code}`,
    expiresAt: at + lockMs,
  }
}

function failures(
  { at, wallet, swap, walletEnds }: EndFacts,
  { failures: { count, lockMs } }: Limits,
): NewLock | undefined {
  const failed = (state: string) => state === 'REVERTED' || state === 'EXPIRED_DEAD'
  if (!failed(swap.state)) return undefined
  const row = leading(walletEnds, ({ state }) => failed(state))
  if (row < count) return undefined
  return {
    kind: 'breaker',
    scope: `wallet ${wallet.toLowerCase()}`,
    code: 'FAILURES',
    reason: `${row} swaps in a row were sent and only cost gas`,
    expiresAt: at + lockMs,
  }
}

function shortfall({ id, swap }: EndFacts): NewLock | undefined {
  const { received, minimum, short } = swap
  const below = received !== undefined && minimum !== undefined && received < minimum
  if (!below && short !== true) return undefined
  return {
    kind: 'breaker',
    scope: 'all',
    code: 'SHORTFALL',
    reason: below
      ? `swap ${id} received ${received}, less than its minimum ${minimum}`
      : `less came in, or more left, with swap ${id} than the router says`,
    expiresAt: undefined,
  }
}

function witness({ at, swap }: EndFacts, { witness: { lockMs } }: Limits): NewLock | undefined {
  const failed = swap.failedChecks.find(
    (name) => name.startsWith('simulate.witness') && name !== witnessAway,
  )
  if (failed === undefined) return undefined
  return {
    kind: 'breaker',
    scope: 'all',
    code: 'RPC_DISAGREEMENT',
    reason: `two nodes disagree about the chain: ${failed}`,
    expiresAt: at + lockMs,
  }
}

/** Until so much has left the window that the rest is within the limit. */
function gas({ at, wallet, gasPaid }: EndFacts, { gasPerDayMax }: Limits): NewLock | undefined {
  if (gasPerDayMax === undefined) return undefined
  const oldestFirst = gasPaid.filter((one) => one.at > at - day).sort((a, b) => a.at - b.at)
  const total = oldestFirst.reduce((sum, { wei }) => sum + wei, 0n)
  if (total <= gasPerDayMax) return undefined
  let left = total
  const freed = oldestFirst.find(({ wei }) => {
    left -= wei
    return left <= gasPerDayMax
  })
  return {
    kind: 'breaker',
    scope: `wallet ${wallet.toLowerCase()}`,
    code: 'GAS_SPENT',
    reason: `gas cost ${formatDecimal(total, 18)} in 24 hours, more than breakers.maxGasPerDay (${formatDecimal(gasPerDayMax, 18)})`,
    expiresAt: (freed?.at ?? at) + day,
  }
}

/** How many at the beginning of a list hold. */
function leading<item>(list: readonly item[], holds: (one: item) => boolean): number {
  const end = list.findIndex((one) => !holds(one))
  return end === -1 ? list.length : end
}
