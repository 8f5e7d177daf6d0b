import type { Dossier } from '../bot/dossier.ts'

/** The time one live swap took: to its quote, approvals included, to its signature, and until it was settled. */
export type SwapTiming = {
  /** When its turn was due. */
  readonly at: number
  readonly quoteMs: number
  readonly signMs: number
  readonly settleMs: number
  /** What its firm quote gave for what: addresses and smallest units. */
  readonly quoted?:
    | {
        readonly sell: string
        readonly buy: string
        readonly sold: string
        readonly received: string
      }
    | undefined
}

/** The timings of the swaps that settled, as a journal has them. One that waited for a restart in between is none. */
export function timingsOf(dossiers: readonly Dossier[]): readonly SwapTiming[] {
  const sorted = [...dossiers].sort((a, b) => a.createdAt - b.createdAt)
  return sorted.flatMap((dossier, place) => {
    const { state, signedAt, quote, plan, events } = dossier
    const settledAt = events.findLast(({ type }) => type === 'SETTLED')?.at
    const quotedAt = quote?.receivedAt
    if (state !== 'SETTLED' || signedAt === undefined) return []
    if (settledAt === undefined || quotedAt === undefined) return []
    const at = dueAt(dossier, sorted[place - 1])
    const parts = {
      quoteMs: quotedAt - at,
      signMs: signedAt - quotedAt,
      settleMs: settledAt - signedAt,
    }
    return Object.values(parts).every((ms) => ms >= 0 && ms <= pauseMs)
      ? {
          ...{ at, ...parts },
          quoted: quote && {
            ...{ sell: plan.intent.sell.token.address, buy: plan.intent.buy.address },
            ...{ sold: `${plan.intent.sell.wei}`, received: `${quote.amountOut.wei}` },
          },
        }
      : []
  })
}

/** When the turn of a swap was due: at its slot, or when the swap before it in the line had ended. */
function dueAt({ slot, createdAt }: Dossier, before: Dossier | undefined): number {
  const due = Math.max(slot ?? createdAt, before?.events.at(-1)?.at ?? 0)
  // A slot that is tried again, or that waited for a process, says nothing of how long a look takes.
  return due <= createdAt && createdAt - due <= lookMsMax ? due : createdAt
}

/** No look takes longer. */
const lookMsMax = 30_000

/** Nobody waits so long for a swap that goes its way. */
const pauseMs = 600_000

/**
 * Picks a time for an order: that of the swap due nearest to it, if that was within ten minutes, for then the chain and
 * the service were as they were; otherwise any, by chance.
 */
export function createTimingPicker(timings: readonly SwapTiming[]) {
  const sorted = [...timings].sort((a, b) => a.at - b.at)
  return (at: number, chance: () => number): SwapTiming | undefined => {
    let nearest: SwapTiming | undefined
    for (const one of sorted)
      if (Math.abs(one.at - at) <= Math.abs((nearest?.at ?? Number.NEGATIVE_INFINITY) - at))
        nearest = one
    if (nearest !== undefined && Math.abs(nearest.at - at) <= pauseMs) return nearest
    return sorted[Math.floor(chance() * sorted.length)]
  }
}

/** `3.1s, 5.9s` of plan to quote, and of plan to settled: the middle ones. */
export function medianTimings(timings: readonly SwapTiming[]) {
  const middle = (of: (timing: SwapTiming) => number) =>
    timings.map(of).sort((a, b) => a - b)[Math.floor(timings.length / 2)] ?? 0
  return {
    quotedMs: middle(({ quoteMs }) => quoteMs),
    settledMs: middle(({ quoteMs, signMs, settleMs }) => quoteMs + signMs + settleMs),
  }
}
