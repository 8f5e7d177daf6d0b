import type { SimulationResult } from '../../chain/calls/simulate.ts'
import type { Amount } from '../../core/amount.ts'
import type { Checklist } from '../../core/check.ts'
import { formatDecimal } from '../../core/decimal.ts'
import { BallastError } from '../../core/errors.ts'
import { areWithin, type Rounding, roundingOf } from '../../core/rounding.ts'
import type { Permitted } from '../stages.ts'
import { type Deltas, othersText, receivedIn, symbolsText, wordOf } from './deltasOf.ts'
import type { SimulationLook } from './look.ts'

/** Two healthy nodes are this close, in blocks or where blocks are fast in time. */
const apartMax = { blocks: 2, seconds: 10 }

/** No chain makes more of them: a head that is many blocks away and hardly any time is made up. */
const blocksPerSecondMax = 10

/** One endpoint's observation, and its effect on the balances. */
export type Testimony = { readonly sight: SimulationLook; readonly deltas: Deltas }

type Testimonies = {
  readonly own: Testimony
  readonly other: Testimony
  readonly rounding?: Rounding | undefined
  /** The nonce that the books give next; undefined where there are none. */
  readonly nextNonce?: number | undefined
}

/**
 * Compares the reports of two endpoints of different operators. One of them lying is enough to refuse. A witness that has not
 * seen our own last transaction yet, which the books know, counts as one out of reach.
 */
export function checkWitness(
  { intent, minimum }: Permitted,
  { own, other, rounding, nextNonce }: Testimonies,
  checks: Checklist,
): void {
  const [a, b] = [own.sight, other.sight]
  checks.equal('witness-chain-id', a.chainId, b.chainId)
  checks.equal('witness-router-code', a.routerCodeHash, b.routerCodeHash)
  if (a.nonce === nextNonce && lacksOurLast(a, b)) {
    const at = ({ head, nonce }: SimulationLook) => `block ${head.number} with nonce ${nonce}`
    checks.equal('witness-reachable', at(a), at(b))
    return
  }
  checks.holds(
    'witness-head',
    headsAgree(a.head, b.head),
    `${a.head.number} ${a.head.hash}, or at most ${apartMax.blocks} blocks or ${apartMax.seconds} s from it`,
    `${b.head.number} ${b.head.hash}`,
  )
  checks.equal('witness-nonce', a.nonce, b.nonce)
  checks.equal('witness-authorization', a.now.answers[0]?.data, b.now.answers[0]?.data)
  checks.equal('witness-swap', end(a.now.swapped), end(b.now.swapped))
  const sameHead = a.head.hash === b.head.hash
  const { sell, buy } = intent
  const agree = (name: string, ours: bigint, theirs: bigint, decimals: number, fine: boolean) =>
    checks.holds(name, fine, formatDecimal(ours, decimals), formatDecimal(theirs, decimals))
  const [spent, received] = [other.deltas.spent, other.deltas.received]
  const sameSpent = areWithin(roundingOf(rounding, sell.token), spent, own.deltas.spent)
  const sameReceived = areWithin(roundingOf(rounding, buy), received, own.deltas.received)
  agree('witness-spent', own.deltas.spent, spent, sell.token.decimals, sameSpent)
  agree(
    'witness-received',
    own.deltas.received,
    received,
    buy.decimals,
    sameHead ? sameReceived : received >= minimum.wei && own.deltas.received >= minimum.wei,
  )
  checks.equal('witness-balances-readable', unreadText(own.deltas), unreadText(other.deltas))
  checks.equal('witness-nothing-else-moves', othersText(own.deltas), othersText(other.deltas))
  checks.equal('witness-at-deadline', atDeadline(a, minimum), atDeadline(b, minimum))
  checks.equal('witness-after-deadline', end(a.late), end(b.late))
  checks.equal('witness-allowance-left', wordText(a.now.allowance), wordText(b.now.allowance))
  checks.equal('witness-permit-used', wordText(a.now.permitNonce), wordText(b.now.permitNonce))
  const [ours, theirs] = [a.head.baseFeePerGas, b.head.baseFeePerGas]
  checks.holds(
    'witness-base-fee',
    ours <= 2n * theirs && theirs <= 2n * ours,
    `within twice ${ours} wei`,
    `${theirs} wei`,
  )
}

/** Notes a witness that could not be reached: without it a large swap is not signed. */
export function checkWitnessAway(error: unknown, checks: Checklist): void {
  const words = error instanceof BallastError ? error.code : 'no answer'
  checks.equal('witness-reachable', 'an answer', words)
}

/** A witness further behind stands still, or is on another chain. */
const behindSecondsMax = 60

/**
 * Whether the witness is at an older block, before our own last transaction. It lacks the approval, or the balance of the leg
 * before, so nothing that it says of this swap contradicts ours. The block before ours is the exception where it is not our
 * parent: that is another chain, not a delay.
 */
function lacksOurLast(own: SimulationLook, witness: SimulationLook): boolean {
  const isBehind = witness.head.number < own.head.number && witness.nonce < own.nonce
  const isRecent = own.head.timestamp - witness.head.timestamp <= behindSecondsMax
  const isNext = own.head.number === witness.head.number + 1
  return isBehind && isRecent && !(isNext && own.head.parentHash !== witness.head.hash)
}

function headsAgree(a: SimulationLook['head'], b: SimulationLook['head']): boolean {
  if (a.number === b.number) return a.hash === b.hash
  const [older, newer] = a.number < b.number ? [a, b] : [b, a]
  if (newer.number === older.number + 1) return newer.parentHash === older.hash
  const blocks = newer.number - older.number
  const seconds = newer.timestamp - older.timestamp
  const isFast = seconds <= apartMax.seconds && blocks <= blocksPerSecondMax * (seconds + 1)
  return blocks <= apartMax.blocks || isFast
}

/** Of every token: what is silent at one node and answers at the other is a contradiction. */
const unreadText = ({ unreadable, silent }: Deltas) =>
  symbolsText([...unreadable, ...silent]) || 'every balance'

const end = ({ success }: SimulationResult) => (success ? 'succeeds' : 'reverts')

/** In the last second it may be mined. Of two heads the amounts may differ, and on which side of the minimum they are may not. */
function atDeadline({ last }: SimulationLook, { wei }: Amount): string {
  const received = receivedIn(last)
  if (!last.swapped.success) return 'reverts'
  if (received === undefined) return 'unreadable'
  return received >= wei ? 'at least the minimum' : 'less than the minimum'
}

const wordText = (result: SimulationResult | undefined) =>
  result === undefined ? 'not read' : (wordOf(result) ?? 'unreadable')
