import type { Dossier } from '../dossier.ts'
import { isFinal } from '../state.ts'

/** How far swaps came. Each counts the swaps that came at least so far. */
export type Rates = {
  readonly planned: number
  /** Of those that have ended before or after: had a firm quote that could be looked at. */
  readonly quoted: number
  /** Passed every check and the simulation. */
  readonly accepted: number
  readonly signed: number
  /** Left this machine. */
  readonly sent: number
  /** At least one endpoint took it. */
  readonly taken: number
  readonly settled: number
  readonly reverted: number
  readonly expired: number
  /** Of the expired ones: never left this machine. */
  readonly expiredUnsent: number
  readonly displaced: number
  readonly open: number
  /** Refused or given up before a signature, by code, the most frequent first. */
  readonly stopped: readonly { readonly code: string; readonly count: number }[]
}

/** A check of these stages is made on a firm quote. */
const onQuote = /^(?:VERIFY|POLICY|SIMULATE)_/

/** Counts swaps by how far they came. */
export function createRates() {
  const counts = {
    planned: 0,
    quoted: 0,
    accepted: 0,
    signed: 0,
    sent: 0,
    taken: 0,
    settled: 0,
    reverted: 0,
    expired: 0,
    expiredUnsent: 0,
    displaced: 0,
    open: 0,
  }
  const stopped = new Map<string, number>()
  const count = (name: keyof typeof counts, holds: boolean) => {
    if (holds) counts[name] += 1
  }
  return {
    add({ state, code, quote, attempts, nonce, events }: Dossier): void {
      const swaps = attempts.filter(({ kind }) => kind === 'SWAP')
      // One that was recovered from the chain has come as far, whatever is written of its way.
      const isMined = state === 'SETTLED' || state === 'REVERTED'
      const sent = isMined || swaps.some(({ sentAtBlock }) => sentAtBlock !== null)
      count('planned', true)
      count('quoted', isMined || quote !== undefined || onQuote.test(code ?? ''))
      count('accepted', isMined || quote !== undefined)
      count('signed', isMined || nonce !== undefined)
      count('sent', sent)
      count('taken', isMined || events.some(({ type }) => type === 'SENT'))
      count('settled', state === 'SETTLED')
      count('reverted', state === 'REVERTED')
      count('expired', state === 'EXPIRED_DEAD')
      count('expiredUnsent', state === 'EXPIRED_DEAD' && !sent)
      count('displaced', state === 'DISPLACED')
      count('open', !isFinal(state))
      if (state !== 'REJECTED' && state !== 'ABANDONED') return
      const why = code ?? state
      stopped.set(why, (stopped.get(why) ?? 0) + 1)
    },
    result: (): Rates => ({
      ...counts,
      stopped: [...stopped]
        .map(([code, count]) => ({ code, count }))
        .sort((a, b) => b.count - a.count || (a.code < b.code ? -1 : 1)),
    }),
  }
}
