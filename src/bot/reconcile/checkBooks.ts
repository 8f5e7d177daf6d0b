import type { BookedSwap, BooksScope, JournalBooks, QuoteEvent } from '../books.ts'
import { deadStates, isFinal, liveStates } from '../state.ts'
import type { BreakTally } from './createTally.ts'
import type { ReconcileView } from './sight.ts'

const isLive = ({ state }: BookedSwap) => liveStates.some((one) => one === state)

/** I3: all bytes of a swap are for one nonce, so at most one of them is ever mined. */
export function checkOneNonce(swap: BookedSwap, tally: BreakTally): void {
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
export function createQuoteCheck(tally: BreakTally) {
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

/** An unsigned swap is decided within its quote's life; its approvals may take longer, and this is longer still. */
const unsignedGraceMs = 60 * 60 * 1_000

/** I7: what has a deadline is decided once that is deep. A halt would keep it undecided, so none is opened. */
export function checkDecided(
  { swapId, state, deadline, createdAt, attempts }: BookedSwap,
  { deepAt, now }: { deepAt: number | undefined; now: number },
  tally: BreakTally,
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
export function checkSigned({ swapId, attempts }: BookedSwap, tally: BreakTally): void {
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

/** I13: each total that limits and budgets are read from is the sum of its settled swaps. */
export async function checkTotals(
  { books, scope }: { books: JournalBooks; scope: BooksScope },
  tally: BreakTally,
): Promise<string> {
  const defects = await books.totalDefects(scope)
  for (const { name, booked, counted, shown } of defects)
    tally.broke({
      key: `I13 ${name} ${booked}`,
      code: 'TOTAL_DIFFERS',
      facts: { total: name, booked, counted },
      shown,
      next: 'ballast halt, and find out who wrote to the journal; a backup has the total: ballast restore',
      lock: 'LEDGER_BROKEN',
    })
  return defects.length === 0 ? 'each is the sum of its swaps' : `${defects.length} are another sum`
}

const isDead = ({ state }: BookedSwap) => deadStates.some((one) => one === state)

/**
 * I2: a swap settles once at most, and one that ended dead never did: neither by a receipt of its bytes nor by the word
 * of the router, which consumes each authorisation once.
 */
export function checkDead(swap: BookedSwap, sight: ReconcileView, tally: BreakTally): void {
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
  // Of one that a person wrote off the success is on record: I5 holds that it moved nothing.
  if (!isDead(swap) || swap.isWrittenOff) return
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

/** I11: a settled swap is still on the chain, in the block it was booked for. Returns whether it is. */
export function checkSettled(swap: BookedSwap, sight: ReconcileView, tally: BreakTally): boolean {
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
