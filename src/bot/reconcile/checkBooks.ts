import type { BookedSwap, QuoteEvent } from '../books.ts'
import { isFinal, liveStates } from '../state.ts'
import type { Tally } from './createTally.ts'

const isLive = ({ state }: BookedSwap) => liveStates.some((one) => one === state)

/** I3: all bytes of a swap are for one nonce, so at most one of them is ever mined. */
export function checkOneNonce(swap: BookedSwap, tally: Tally): void {
  const { swapId, nonce, attempts } = swap
  const nonces = attempts.filter(({ kind }) => kind !== 'APPROVE').map((one) => one.nonce)
  const all = new Set(nonce === undefined ? nonces : [nonce, ...nonces])
  if (all.size > 1)
    tally.broke({
      key: `I3 ${swapId} ${[...all].join(' ')}`,
      code: 'NONCES_DIFFER',
      facts: { swapId, nonces: [...all].join(', ') },
      next: `ballast halt, then: ballast history ${swapId}`,
      lock: 'LEDGER_BROKEN',
    })
}

/** I4: no quote is taken while earlier bytes of the wallet may still be mined. */
export function createQuoteCheck(tally: Tally) {
  const live = new Set<string>()
  let quotes = 0
  return {
    add({ seq, swapId, does }: QuoteEvent): void {
      if (does === 'sign') live.add(swapId)
      if (does === 'end') live.delete(swapId)
      if (does !== 'quote') return
      quotes += 1
      if (live.size > 0)
        tally.broke({
          key: `I4 entry ${seq}`,
          code: 'QUOTED_WHILE_LIVE',
          facts: { swapId, entry: seq, live: [...live].join(', ') },
          next: `ballast halt, then: ballast history ${swapId}`,
          lock: 'LEDGER_BROKEN',
        })
    },
    evidence: () => `${quotes} quotes, each after everything signed before it was decided`,
  }
}

/** A healthy endpoint shows the end of a swap within seconds of its depth: this is for one that was away a while. */
const graceSeconds = 10 * 60

/** What is not signed is decided within its quote's life; its approvals may take longer, and this is longer still. */
const unsignedGraceMs = 60 * 60 * 1_000

/** I7: what has a deadline is decided once that is deep. A halt would keep it undecided, so none is opened. */
export function checkDecided(
  { swapId, state, deadline, createdAt, attempts }: BookedSwap,
  { deepAt, now }: { deepAt: number | undefined; now: number },
  tally: Tally,
): void {
  if (isFinal(state)) return
  const late = (facts: Record<string, string | number>) =>
    tally.broke({
      key: `I7 ${swapId}`,
      code: 'SWAP_UNDECIDED',
      facts: { swapId, state, ...facts },
      next: 'ballast run: it follows what is open to its end (a halt must be released first: ballast resume --reason "…")',
      lock: undefined,
    })
  if (isLive({ state } as BookedSwap)) {
    if (deepAt === undefined) tally.unknown(`swap ${swapId}: the chain’s time is not known`)
    else if (deadline !== undefined && deepAt > deadline + graceSeconds)
      late({ deadline, chainTime: deepAt })
    return
  }
  // An approval has no deadline: it may wait for a cheaper block for as long as it takes.
  const waits = attempts.some(({ closed, displaced }) => closed === undefined && !displaced)
  if (!waits && now - createdAt > unsignedGraceMs)
    late({ since: new Date(createdAt).toISOString() })
}

/** I9: bytes exist only for swaps of the log, so nothing was signed for a dry run, which reserves nothing. */
export function checkSigned({ swapId, attempts }: BookedSwap, tally: Tally): void {
  for (const { hash, kind, logged } of attempts)
    if (!logged)
      tally.broke({
        key: `I9 ${hash}`,
        code: 'SIGNED_WITHOUT_ENTRY',
        facts: { swapId, transaction: hash, kind },
        next: 'ballast halt, and find out who wrote to the journal',
        lock: 'LEDGER_BROKEN',
      })
}
