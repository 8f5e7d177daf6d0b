import type { Treasury } from '../bot/journal/limits/treasury.ts'
import type { Policy } from '../bot/policy/policy.ts'
import { type Amount, show } from '../core/amount.ts'
import { formatDecimal } from '../core/decimal.ts'
import { showDuration } from '../core/duration.ts'
import { mulberry32 } from '../core/random.ts'
import type { Address, Token } from '../core/token.ts'
import { medianTimings, type SwapTiming } from './timings.ts'

/** The part of a configuration that a replay uses. */
export type Setting = {
  readonly chain: { readonly name: string; readonly chainId: number; readonly blockTimeMs: number }
  readonly tokens: {
    readonly bySymbol: ReadonlyMap<string, Token>
    readonly native: Token
    readonly wrapped: Token
  }
  readonly wallet: { readonly address: Address }
  readonly quote: { readonly expirySeconds: number; readonly slippageBps: number }
  readonly policy: Policy & { readonly unit: Token; readonly timeToDeadlineSecondsMin: number }
  /** Limits over all wallets, of which a replay has one. */
  readonly treasury?: Omit<Treasury, 'dialect'> | undefined
}

/** The assumptions of a replay. Printed with every result. */
export type Assumptions = {
  /** From a decision to its firm quote: the first book after this time prices the quote. */
  readonly latencyMs: number
  /** The times of live swaps, drawn from in place of latency, blocks and approvals; none without a journal. */
  readonly timings: readonly SwapTiming[]
  /** Whether a token that is sold is approved first, in a transaction of its own; those with a standing allowance are not. */
  readonly approvals: boolean
  readonly standing: readonly Token[]
  /** Blocks on top of the one of inclusion until a swap has settled and the next is begun. */
  readonly confirmations: number
  /** How long it takes until what was sold is offered for again; nothing, and own swaps leave the book as it is. */
  readonly refillMs: number
  /** A book older than this at the instant of a decision is no market. */
  readonly ageMsMax: number
  /** The chance that a request to the service fails, 0 to 1. */
  readonly fail: number
  /** The chance that a maker does not keep a quote, for each basis point the market moved against it meanwhile. */
  readonly fadePerBps: number
  /** Blocks until a transaction is in one: from one to this many, each as likely. */
  readonly delayBlocksMax: number
  /** Gas of one swap, settled or reverted. */
  readonly gas: bigint
  /** Wei per gas on top of the base fee, and the base fee where the tape has no heads. */
  readonly tip: bigint
  readonly baseFee: bigint
  readonly seed: number
  /** The opening balances of the wallet. */
  readonly holds: readonly Amount[]
}

/** The assumptions as sentences. */
export function assumptionsText(
  {
    latencyMs,
    timings,
    approvals,
    standing,
    confirmations,
    refillMs,
    ageMsMax,
    fail,
    fadePerBps,
    delayBlocksMax,
    gas,
    tip,
    baseFee,
    seed,
    holds,
  }: Assumptions,
  {
    slippageBps,
    expirySeconds,
    cadenceMs,
    edgeBps,
    hasHeads,
  }: {
    readonly slippageBps: number
    readonly expirySeconds: number
    readonly cadenceMs: number
    readonly edgeBps: number
    readonly hasHeads: boolean
  },
): readonly string[] {
  const gwei = (wei: bigint) => `${formatDecimal(wei, 9)} gwei`
  const percent = (share: number) => `${Number((share * 100).toPrecision(6))} %`
  const { quotedMs, settledMs } = medianTimings(timings)
  const blocks = `Blocks come every ${showDuration(Math.round(cadenceMs))}, as ${hasHeads ? 'the heads of the tape say' : 'chain.blockTime says'}.`
  const takes = `A swap takes ${gas} gas${approvals ? ', its approval included,' : ''}`
  const course =
    timings.length > 0
      ? [
          `Each swap takes the time of one of ${timings.length} of the journal, the nearest within 10 minutes or any, approvals included: ${showDuration(quotedMs)} to its quote, ${showDuration(settledMs)} until settled, in the middle.`,
        ]
      : [
          ...(approvals
            ? [
                `A token is approved before each sale, in a transaction of its own${standing.length === 0 ? '' : `, but for ${standing.map(({ symbol }) => symbol).join(', ')} (policy.allowances)`}.`,
              ]
            : ['No approvals are sent.']),
          `Settled ${confirmations} blocks after inclusion.`,
        ]
  return [
    `Decided on the newest book at that instant, at most ${showDuration(ageMsMax)} old.`,
    `Quoted by the first book ${timings.length > 0 ? 'after that time' : `at least ${latencyMs} ms later`} and within the quote's ${expirySeconds} s, at the amount its levels give, each at its own price.`,
    `Sent only if that less ${slippageBps} bps (quote.slippage) is not below the floor, and then filled at the quoted amount: a maker is bound to it.`,
    timings.length > 0
      ? 'Included in the block after the signature; nothing else is decided until it has settled.'
      : `Included after 1 to ${delayBlocksMax} blocks; nothing else is decided until it has settled.`,
    blocks,
    ...course,
    ...(edgeBps === 0
      ? []
      : [
          `Firm quotes pay ${edgeBps} bps more than the walk of the book, as those of the journal did in the middle.`,
        ]),
    `${percent(fail)} of requests to the service fail; a maker fades with a chance of ${percent(fadePerBps)} for each bps the market moves against it until inclusion, which costs the gas.`,
    hasHeads
      ? `${takes} at the base fee of the tape and ${gwei(tip)} on top.`
      : `${takes} at ${gwei(baseFee + tip)}: the tape has no heads.`,
    refillMs === 0
      ? 'Own swaps do not move the recorded market, and nobody answers to them.'
      : `What was sold is missing from the book and comes back evenly over ${showDuration(refillMs)}; nobody answers to it.`,
    'Stablecoins count as one dollar; other values are the middle of the book at that instant.',
    'Not replayed: verification, simulation, maxGasCost, the check against references, breakers, restarts, the other wallets of a treasury.',
    `The wallet begins with ${holds.length === 0 ? 'nothing' : holds.map(show).join(', ')}. Seed ${seed}.`,
  ]
}

/** The purposes of draws: draws for one do not move those for another. */
const purposes = ['look', 'quote', 'which', 'fade', 'delay', 'time'] as const
type Purpose = (typeof purposes)[number]

/**
 * Seeded chance by name: the same slot of the same strategy meets the same trouble, whatever else is changed between two
 * replays. That makes the rows of a grid comparable.
 */
export function createChance(seed: number) {
  return function chance(
    purpose: Purpose,
    { strategy, slot, attempt }: { strategy: number; slot: number; attempt: number },
  ): number {
    const seconds = Math.floor(slot / 1_000)
    let mixed = seed >>> 0
    for (const key of [
      purposes.indexOf(purpose),
      strategy,
      attempt,
      seconds,
      Math.floor(seconds / 2 ** 32),
    ]) {
      mixed = Math.imul(mixed ^ key ^ (mixed >>> 15), 0x85ebca6b)
      mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35)
    }
    return mulberry32(mixed)()
  }
}
