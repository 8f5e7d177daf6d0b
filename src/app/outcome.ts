import type { QuoteEvidence, SwapRecord } from '../bot/record.ts'
import type { Intent, Simulated } from '../bot/stages.ts'
import { type AmountText, toText } from '../core/amount.ts'
import { bareRefusal, type Check, Refused } from '../core/check.ts'
import { display, foreignMax } from '../core/display.ts'
import { BallastError } from '../core/errors.ts'
import { failureFacts, failureReason } from '../core/failureReason.ts'
import type { Price } from '../core/price.ts'
import type { Token } from '../core/token.ts'

/** How one strategy, or one manual swap, came out. The shape of docs "Dry-run and swap output". */
export type Outcome = {
  readonly strategy: string
  readonly decision: 'swap' | 'wait'
  readonly reason: string
  readonly outcome:
    | 'would-swap'
    | 'wait'
    | 'refused'
    | 'unavailable'
    | 'settled'
    | 'reverted'
    | 'expired'
    | 'pending'
  readonly code: string | null
  /** Of a failure: its facts, as `reportFailure` prints them of one that ends a command. */
  readonly facts: ReturnType<typeof failureFacts>
  readonly stage: string | null
  readonly intent: {
    readonly sell: AmountText
    readonly buy: string
    readonly floor: AmountText
  } | null
  readonly indicative: { readonly sold: AmountText; readonly received: AmountText } | null
  readonly firm: {
    readonly quoteId: string
    readonly amountOut: AmountText
    readonly minimum: AmountText
    readonly deadlineTimestamp: number
  } | null
  readonly checks: readonly Check[]
  readonly simulation: {
    readonly spent: AmountText
    readonly received: AmountText
    readonly gas: string
  } | null
  /** How many transactions a live swap would send, and the allowance that its own one would bring along. */
  readonly sends: { readonly transactions: number; readonly permit: AmountText | null } | null
  readonly swap: {
    readonly id: string
    readonly state: string
    readonly txHash: string | null
    readonly sold: AmountText | null
    readonly received: AmountText | null
    readonly gasUsed: string | null
  } | null
}

type Subject = {
  readonly strategy: string
  readonly intent: Intent
  readonly indication: Price | undefined
}

const blank = {
  code: null,
  facts: null,
  stage: null,
  intent: null,
  indicative: null,
  firm: null,
  checks: [],
  simulation: null,
  sends: null,
  swap: null,
} as const

/** A strategy that had a reason to do nothing. */
export function waited(strategy: string, reason: string): Outcome {
  return { ...blank, strategy, decision: 'wait', reason, outcome: 'wait' }
}

/** A strategy that could not be called, because its market could not be seen. */
export function unseen(strategy: string, error: unknown): Outcome {
  if (!(error instanceof BallastError) || error.fault !== 'upstream') throw error
  return {
    ...{ ...blank, strategy, decision: 'wait', outcome: 'unavailable' },
    reason: failureReason(error),
    code: error.code,
    facts: failureFacts(error),
  }
}

/** A preview that got as far as a signature would be. */
export function wouldSwap(subject: Subject, simulated: Simulated): Outcome {
  const { quote, amountOut, minimum, deadline, checks, simulation, tokenPermit, permit2 } =
    simulated
  const approvals = permit2?.approvals ?? simulated.approvals
  // An approval's gas is a little above a permit's: it pays for a transaction as well.
  const ofPermit = tokenPermit === undefined ? 0n : simulation.approvalGas
  return {
    ...about(subject),
    outcome: 'would-swap',
    firm: {
      quoteId: quote.orders[0]?.quoteId ?? '',
      amountOut: toText(amountOut),
      minimum: toText(minimum),
      deadlineTimestamp: deadline,
    },
    checks,
    simulation: {
      spent: toText(simulation.spent),
      received: toText(simulation.received),
      gas: (simulation.gas + ofPermit).toString(),
    },
    sends:
      tokenPermit === undefined
        ? { transactions: approvals.length + 1, permit: null }
        : { transactions: 1, permit: toText(simulated.intent.sell) },
  }
}

/** A preview or a swap that ended before a signature. Anything that is not a deliberate refusal is thrown on. */
export function stopped(subject: Subject, error: unknown): Outcome {
  if (!(error instanceof BallastError)) throw error
  if (error.fault !== 'refused' && error.fault !== 'upstream') throw error
  return {
    ...about(subject),
    reason: failureReason(error),
    outcome: error.fault === 'refused' ? 'refused' : 'unavailable',
    code: error.code,
    facts: failureFacts(error),
    stage: error instanceof Refused ? error.stage : null,
    checks: error instanceof Refused ? error.checks : [],
  }
}

/** A live swap as the journal has it. */
export function ended(
  subject: Subject,
  record: SwapRecord,
  proof: QuoteEvidence | undefined,
): Outcome {
  const outcomes: Readonly<Record<string, Outcome['outcome']>> = {
    SETTLED: 'settled',
    REVERTED: 'reverted',
    EXPIRED_DEAD: 'expired',
    DISPLACED: 'expired',
    REJECTED: 'refused',
    ABANDONED: 'unavailable',
  }
  const { id, state, txHash, sold, received, gasUsed, code, reason } = record
  return {
    ...about(subject),
    reason,
    outcome: outcomes[state] ?? 'pending',
    code,
    ...(proof === undefined ? {} : signedOn(subject.intent, proof)),
    swap: { id, state, txHash, sold, received, gasUsed },
  }
}

function signedOn({ sell, buy }: Intent, proof: QuoteEvidence) {
  const amount = (token: Token, wei: string) => toText({ token, wei: BigInt(wei) })
  const { quoteId, amountOutWei, minimumWei, deadlineTimestamp, checks, simulation } = proof
  return {
    firm: {
      quoteId,
      amountOut: amount(buy, amountOutWei),
      minimum: amount(buy, minimumWei),
      deadlineTimestamp,
    },
    checks,
    simulation: {
      spent: amount(sell.token, simulation.spent.wei),
      received: amount(buy, simulation.received.wei),
      gas: simulation.gas,
    },
  }
}

function about({ strategy, intent, indication }: Subject) {
  return {
    ...blank,
    strategy,
    decision: 'swap' as const,
    reason: intent.reason,
    intent: { sell: toText(intent.sell), buy: intent.buy.symbol, floor: toText(intent.floor) },
    indicative:
      indication === undefined
        ? null
        : { sold: toText(indication.sold), received: toText(indication.bought) },
  }
}

/** Outcomes for a person: the swap that would happen or happened, and every check that failed. */
export function printOutcomes(outcomes: readonly Outcome[], verbose: boolean): string {
  return outcomes.map((outcome) => printOutcome(outcome, verbose).join('\n')).join('\n\n')
}

function printOutcome(outcome: Outcome, verbose: boolean): readonly string[] {
  const { strategy, reason, intent, indicative, firm, simulation, swap, checks, code, stage } =
    outcome
  const permit = outcome.sends?.permit
  const why = outcome.outcome === 'refused' ? bareRefusal(reason) : reason
  const lines = [`${outcome.outcome.toUpperCase()}  ${strategy}: ${display(why, foreignMax)}`]
  const line = (label: string, text: string) =>
    lines.push(`  ${label.padEnd(12)}${display(text, foreignMax)}`)
  const show = ({ text, token }: { text: string; token: string }) => `${text} ${token}`

  if (intent !== null)
    line('intent', `sell ${show(intent.sell)} for at least ${show(intent.floor)}`)
  if (indicative !== null)
    line('indicative', `${show(indicative.sold)} for ${show(indicative.received)}`)
  if (firm !== null) line('firm', `${show(firm.amountOut)}, at least ${show(firm.minimum)}`)
  if (simulation !== null)
    line(
      'simulated',
      `${show(simulation.spent)} for ${show(simulation.received)}, gas ${simulation.gas}`,
    )
  if (permit)
    line(
      'permit',
      `${show(permit)} come along in the one transaction, where the key signs it; unsigned, an approval was played in its place, and its gas counts for it`,
    )
  if (swap?.sold && swap.received)
    line('moved', `${show(swap.sold)} for ${show(swap.received)}, gas ${swap.gasUsed}`)
  if (swap !== null)
    line('swap', `${swap.state} ${swap.id}${swap.txHash ? ` tx ${swap.txHash}` : ''}`)
  if (code !== null) line('code', stage === null ? code : `${code} (${stage})`)

  const failed = checks.filter(({ ok }) => !ok)
  if (checks.length > 0)
    line('checks', `${checks.length - failed.length} of ${checks.length} passed`)
  for (const { name, ok, expected, actual } of verbose ? checks : failed)
    lines.push(`    ${ok ? 'ok  ' : 'FAIL'} ${name}: expected ${expected}, is ${actual}`)
  return lines
}
