import { formatDecimal } from '../../core/decimal.ts'
import { display, foreignMax } from '../../core/display.ts'
import type { SwapRecord } from '../record.ts'

/** One readable line about a swap that reached its end. */
export function endLine(swap: SwapRecord, currency: string): string {
  if (swap.state === 'SETTLED') return settledLine(swap, currency)
  return swap.code === null ? openLine(swap) : otherLine(swap)
}

function settledLine(swap: SwapRecord, currency: string): string {
  const { sold, received, againstIndicationBps, checks, gasUsed, gasPaidInAllWei, txHash } = swap
  const price =
    againstIndicationBps === null
      ? 'no indication to compare with'
      : `${againstIndicationBps >= 0 ? '+' : ''}${againstIndicationBps.toFixed(2)} bps against the indication`
  const gas = `gas ${gasUsed} (${formatDecimal(BigInt(gasPaidInAllWei ?? 0), 18).slice(0, 10)} ${currency})`
  const parts = [
    `SETTLED ${swap.strategy}: sold ${sold?.text} ${sold?.token} for ${received?.text} ${received?.token}`,
    price,
    `${checks?.passed}/${checks?.total} checks`,
    gas,
    // Only what was signed has a transaction.
    txHash === null ? `on paper, at block ${swap.block}` : `tx ${txHash}`,
  ]
  if (txHash === null) return parts.join(' · ')
  if (swap.agrees === false) parts.push('BALANCES MOVED BY OTHER AMOUNTS TOO')
  if (swap.agrees === null) parts.push('balances too old to compare')
  return parts.join(' · ')
}

function openLine({ state, strategy, sell, buy, txHash }: SwapRecord): string {
  const transaction = txHash === null ? '' : ` · tx ${txHash}`
  // What is not signed is not taken up again: its quote is long over by then.
  const left = ['PLANNED', 'VERIFIED'].includes(state)
    ? 'was not signed; the next start abandons it'
    : 'is still under way; the next start finishes it'
  return `${state} ${strategy}: ${sell.text} ${sell.token} for ${buy} ${left}${transaction}`
}

function otherLine({ state, strategy, sell, buy, reason, code, txHash }: SwapRecord): string {
  const transaction = txHash === null ? '' : ` · tx ${txHash}`
  return `${state} ${strategy}: ${sell.text} ${sell.token} for ${buy}: ${display(reason, foreignMax)} (${code})${transaction}`
}
