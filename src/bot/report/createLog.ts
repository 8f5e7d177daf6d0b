import { type Logger, pino } from 'pino'
import { formatDecimal } from '../../core/decimal.ts'
import { display, displayJson, foreignMax } from '../../core/display.ts'
import { BallastError } from '../../core/errors.ts'
import { withoutSecrets } from '../../core/secret.ts'
import type { SwapRecord } from '../record.ts'

export type Log = Logger

/** Structured log, one event a line: `{ swapId, stage, … }`. Values of loaded secrets never reach the sink, nor anything that steers a terminal. */
export function createLog({ level, sink }: { level: string; sink: (line: string) => void }): Log {
  return pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      serializers: { err: (error: unknown) => told(error, level) },
    },
    { write: (line: string) => sink(withoutSecrets(displayJson(line))) },
  )
}

/** The part that a reader can act on. The place in the code is for `LOG_LEVEL=debug`. */
function told(error: unknown, level: string): object {
  const deep = level === 'debug' || level === 'trace'
  if (!(error instanceof Error)) return { message: display(String(error), foreignMax) }
  const stack = deep ? { stack: error.stack } : {}
  if (!(error instanceof BallastError))
    return { message: display(error.message, foreignMax), ...stack }
  const { code, summary, facts, remedy } = error
  return { code, message: summary, facts: written(facts), remedy, ...stack }
}

const written = (facts: BallastError['facts']) =>
  Object.fromEntries(
    Object.entries(facts).map(([name, value]) => [name, display(String(value), foreignMax)]),
  )

/** One readable line about a swap that reached its end. */
export function endLine(swap: SwapRecord, currency: string): string {
  if (swap.state === 'SETTLED') return settledLine(swap, currency)
  return swap.code === null ? openLine(swap) : otherLine(swap)
}

function settledLine(swap: SwapRecord, currency: string): string {
  const { sold, received, recipient, againstIndicationBps, checks, txHash } = swap
  const { gasUsed, gasPaidInAllWei } = swap
  const price =
    againstIndicationBps === null
      ? 'no indication to compare with'
      : `${againstIndicationBps >= 0 ? '+' : ''}${againstIndicationBps.toFixed(2)} bps against the indication`
  const gas = `gas ${gasUsed} (${formatDecimal(BigInt(gasPaidInAllWei ?? 0), 18).slice(0, 10)} ${currency})`
  const parts = [
    `SETTLED ${swap.strategy}: sold ${sold?.text} ${sold?.token} for ${received?.text} ${received?.token}${recipient === null ? '' : ` to ${recipient}`}`,
    price,
    `${checks?.passed}/${checks?.total} checks`,
    gas,
    // Only what was signed has a transaction.
    txHash === null ? `on paper, at block ${swap.block}` : `tx ${txHash}`,
  ]
  if (txHash === null) return parts.join(' · ')
  if (swap.agrees === false) parts.push('BALANCES MOVED BY OTHER AMOUNTS TOO')
  if (swap.agrees === null) parts.push('nothing else proves the amounts')
  return parts.join(' · ')
}

function openLine({ state, strategy, sell, buy, txHash }: SwapRecord): string {
  const transaction = txHash === null ? '' : ` · tx ${txHash}`
  // An unsigned swap is not taken up again: its quote is long over by then.
  const left = ['PLANNED', 'VERIFIED'].includes(state)
    ? 'was not signed; the next start abandons it'
    : 'is still under way; the next start finishes it'
  return `${state} ${strategy}: ${sell.text} ${sell.token} for ${buy} ${left}${transaction}`
}

function otherLine({ state, strategy, sell, buy, reason, code, txHash }: SwapRecord): string {
  const transaction = txHash === null ? '' : ` · tx ${txHash}`
  return `${state} ${strategy}: ${sell.text} ${sell.token} for ${buy}: ${display(reason, foreignMax)} (${code})${transaction}`
}
