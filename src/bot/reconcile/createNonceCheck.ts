import type { Hex } from '../../chain/calls/fields.ts'
import { type Address, sameAddress } from '../../core/token.ts'
import type { Adoption, BookedAttempt, BookedSwap } from '../books.ts'
import { isFinal } from '../state.ts'
import type { BreakTally } from './createTally.ts'
import type { ReconcileView } from './sight.ts'

type Lost = { readonly hash: Hex; readonly swap: BookedSwap; readonly attempt: BookedAttempt }

type Range = { readonly to: number; readonly adoption: Adoption; readonly whole: boolean }

/** The nonces that the chain has spent. */
type SpentNonces = {
  readonly from: number
  readonly to: number
  readonly adoption: Adoption
  /** Nonces that there are bytes for at all: of a swap that was not looked at, too. */
  readonly booked: ReadonlySet<number>
}

/** The observed state of the attempts of one nonce. */
type Seen = { readonly mined: Hex[]; readonly unclear: string[]; readonly lost: Lost[] }

/**
 * I1: every transaction of the wallet since adoption is one attempt of the books. A nonce is spent by exactly one
 * transaction, so that one is looked up for each nonce below the one the chain expects at the depth.
 */
export function createNonceCheck(wallet: Address, tally: BreakTally) {
  const byNonce = new Map<number, Seen>()
  return {
    add(swap: BookedSwap, sight: ReconcileView): void {
      for (const attempt of swap.attempts) {
        const { nonce, hash } = attempt
        const seen = byNonce.get(nonce) ?? { mined: [], unclear: [], lost: [] }
        byNonce.set(nonce, seen)
        const found = sight.transaction(hash)
        if (found.is === 'mined') {
          seen.mined.push(hash)
          const { from } = found.receipt
          if (!sameAddress(from, wallet))
            tally.broke(foreignSender({ swapId: swap.swapId, transaction: hash, from, wallet }))
        } else if (found.is === 'orphaned')
          seen.unclear.push(`${hash} is in a block that is being replaced`)
        else if (found.is === 'unknown') seen.unclear.push(`${hash}: ${found.why}`)
        else if (bookedBlocks(swap, attempt).some((block) => sight.block(block) !== 'gone'))
          seen.unclear.push(`the node has the block of ${hash} and not its receipt`)
        else seen.lost.push({ hash, swap, attempt })
      }
    },
    /** Of a part of the books: from its first nonce on, and at the latest from where the books end. */
    from: ({ to, adoption, whole }: Range): number =>
      whole
        ? (adoption.nonce ?? to)
        : [...byNonce.keys(), adoption.nextNonce ?? to].reduce((a, b) => Math.min(a, b)),
    conclude({ from, to, adoption, booked }: SpentNonces): string {
      let own = 0
      let released = 0
      let elsewhere = 0
      let foreignFrom: number | undefined
      const endForeign = (end: number) => {
        if (foreignFrom !== undefined) tally.broke(foreign(foreignFrom, end - 1, wallet))
        foreignFrom = undefined
      }
      for (let nonce = from; nonce < to; nonce += 1) {
        const seen = byNonce.get(nonce)
        if (seen === undefined) {
          if (booked.has(nonce)) elsewhere += 1
          else if (adoption.releases.some((one) => nonce >= one.from && nonce < one.to))
            released += 1
          else {
            foreignFrom ??= nonce
            continue
          }
        } else if (seen.mined.length > 0) {
          own += 1
          if (seen.mined.length > 1) tally.broke(twice(nonce, seen.mined))
        } else if (seen.unclear.length > 0)
          tally.unknown(`nonce ${nonce}: ${seen.unclear.join('; ')}`)
        else if (seen.lost.some(({ swap, attempt }) => isOpen(swap, attempt)))
          tally.unknown(`nonce ${nonce} is spent, and its swap is still being followed`)
        else if (seen.lost.every((lost) => isReleased(lost, adoption))) released += 1
        else tally.broke(taken(nonce, seen.lost, wallet))
        endForeign(nonce)
      }
      endForeign(to)
      return [
        `${Math.max(0, to - from)} nonces from ${from} on: ${own} of one attempt each`,
        ...(elsewhere === 0 ? [] : [`${elsewhere} of swaps that ended before`]),
        ...(released === 0 ? [] : [`${released} released by a person`]),
      ].join(', ')
    },
  }
}

/** The block of this exact attempt, by the journal. */
function bookedBlocks({ included }: BookedSwap, { hash, closed }: BookedAttempt) {
  return [
    ...(closed === undefined ? [] : [closed]),
    ...(included?.transaction === hash ? [included] : []),
  ]
}

const isOpen = (swap: BookedSwap, { kind, closed, displaced }: BookedAttempt) =>
  !isFinal(swap.state) || (kind === 'APPROVE' && closed === undefined && !displaced)

/** A later release of the wallet by an operator explains a displaced nonce. */
function isReleased({ swap, attempt }: Lost, { releases }: Adoption): boolean {
  if (swap.state !== 'DISPLACED' && !attempt.displaced) return false
  return releases.some(({ at, to }) => at >= swap.updatedAt && to > attempt.nonce)
}

const foreignSender = (facts: {
  readonly swapId: string
  readonly transaction: Hex
  readonly from: string
  readonly wallet: Address
}) => ({
  key: `I1 sender ${facts.transaction}`,
  code: 'FOREIGN_SENDER',
  facts,
  next: 'ballast halt, and find out who else signs with this key',
  lock: 'LEDGER_BROKEN' as const,
})

const foreign = (from: number, to: number, wallet: Address) => ({
  key: `I1 nonces ${from} to ${to}`,
  code: 'NONCE_FOREIGN',
  facts: { wallet, from, to, count: to - from + 1 },
  next: 'find out who sent them, or restore the newest journal; to adopt them: ballast resume --reason "…"',
  lock: 'LEDGER_BROKEN' as const,
})

const twice = (nonce: number, mined: readonly Hex[]) => ({
  key: `I1 nonce ${nonce} twice`,
  code: 'NONCE_TWICE',
  facts: { nonce, transactions: mined.join(', ') },
  next: 'ask another endpoint: set chain.rpcUrl and repeat ballast reconcile',
  lock: 'LEDGER_BROKEN' as const,
})

const taken = (nonce: number, lost: readonly Lost[], wallet: Address) => ({
  key: `I1 nonce ${nonce}`,
  code: 'NONCE_TAKEN',
  facts: {
    wallet,
    nonce,
    swapId: lost[0]?.swap.swapId,
    ours: lost.map(({ hash }) => hash).join(', '),
  },
  next: 'find out who sent it; to adopt it: ballast resume --reason "…"',
  lock: 'LEDGER_BROKEN' as const,
})
