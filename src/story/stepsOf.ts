import { z } from 'zod'
import type { Dossier, QuoteRecord } from '../bot/dossier.ts'
import type { LogRecord } from '../bot/journal/log/log.ts'
import type { AttemptRecord } from '../bot/record.ts'
import { toText } from '../core/amount.ts'
import { formatDecimal } from '../core/decimal.ts'
import { display, shortAddress } from '../core/display.ts'
import { showDuration } from '../core/duration.ts'
import { briefAmount } from './figures.ts'

/** One thing that happened to a swap. */
export type SwapStep = { readonly at: string; readonly step: string; readonly text: string }

const loggedFacts = z.object({
  hash: z.string().optional(),
  nonce: z.number().optional(),
  permitNonce: z.string().optional(),
  permit2Nonce: z.string().optional(),
  deadline: z.number().optional(),
  block: z.number().optional(),
  verdict: z.string().optional(),
  words: z.string().optional(),
  success: z.boolean().optional(),
  because: z.string().optional(),
  code: z.string().optional(),
  reason: z.string().optional(),
  by: z.string().optional(),
  gas_paid: z.string().optional(),
  gas_used: z.string().optional(),
  agrees: z.boolean().optional(),
  short: z.boolean().optional(),
  rounded: z.boolean().optional(),
  to: z.array(z.string()).optional(),
  isPrivate: z.boolean().optional(),
  offeredAt: z.number().optional(),
  afterMs: z.number().optional(),
  answers: z
    .array(z.object({ endpoint: z.string(), verdict: z.string(), words: z.string() }))
    .optional(),
})
type LoggedFacts = z.infer<typeof loggedFacts>

/** With an instant of its own where the journal knows it better than the log's entry. */
type Step = readonly [step: string, text: string, at?: number | undefined]

/** The life of a swap in the order of the log, a sentence for each thing that happened. */
export function stepsOf(
  swap: Dossier,
  { entries, currency }: { readonly entries: readonly LogRecord[]; readonly currency: string },
): readonly SwapStep[] {
  return entries.flatMap(({ at, type, facts }) =>
    sentences(type, loggedFacts.parse(facts), { ...swap, currency }).map(([step, text, own]) => ({
      at: new Date(own ?? at).toISOString(),
      step,
      text,
    })),
  )
}

type Subject = Dossier & { readonly currency: string }

function sentences(type: string, facts: LoggedFacts, swap: Subject): readonly Step[] {
  const attempt = swap.attempts.find(({ hash }) => hash === facts.hash)
  const again = facts.because
  switch (type) {
    case 'PLANNED':
      return [
        [
          'planned',
          `${plannedText(swap)}${facts.by === undefined ? '' : `, for ${display(facts.by)}`}`,
        ],
      ]
    case 'APPROVING':
      return [['approval', `signed ${bytesText(facts, attempt)}`]]
    case 'APPROVED':
      return [
        [
          'approval',
          `${facts.success === false ? 'reverted' : 'mined'} in block ${facts.block}, gas ${gasText(facts.gas_paid, swap)}`,
        ],
      ]
    case 'PERMITTED':
      return [['permit', permittedText(facts, swap)]]
    case 'VERIFIED':
      return swap.quote === undefined ? [] : quotedSteps(swap, swap.quote)
    case 'SIGNED':
      return [[attempt?.replaces ? 'outbid' : 'signed', bytesText(facts, attempt)]]
    case 'SENT':
      if (again !== undefined) return [['waiting', `${again}: back to waiting`]]
      return [['sent', `${attempt?.kind === 'APPROVE' ? 'approval ' : ''}${offeredText(facts)}`]]
    case 'OFFERED':
      return [[attempt?.kind === 'APPROVE' ? 'approval' : 'offered', offeredText(facts)]]
    case 'ANSWERED':
      return [['answered', `later: ${answersText(facts)}`]]
    case 'PUBLISHED':
      return [['published', publishedText(facts)]]
    case 'CANCELLING':
      if (again !== undefined) return [['waiting', `${again}: back to cancelling`]]
      return [['cancelled', `its deadline has passed: ${bytesText(facts, attempt)}`]]
    case 'INCLUDED':
      return [
        [
          'included',
          `in block ${facts.block}${facts.success === false ? ', where it reverted' : ''}`,
        ],
      ]
    case 'SETTLED':
      return settledSteps(facts, swap)
    case 'REVERTED':
    case 'EXPIRED_DEAD':
    case 'DISPLACED':
    case 'REJECTED':
    case 'ABANDONED':
      return [
        [
          'ended',
          `${type} ${facts.code ?? ''}: ${facts.reason ?? ''}${facts.by === undefined ? '' : ` By ${display(facts.by)}.`}${facts.gas_paid === undefined ? '' : ` Gas ${gasText(facts.gas_paid, swap)}.`}`,
        ],
      ]
    default:
      return [[type.toLowerCase().replaceAll('_', ' '), facts.reason ?? 'see the log']]
  }
}

function permittedText(
  { permitNonce, permit2Nonce, deadline }: LoggedFacts,
  { plan }: Dossier,
): string {
  const until =
    deadline === undefined ? '' : `, good until ${new Date(deadline * 1_000).toISOString()}`
  const by =
    permit2Nonce === undefined
      ? `number ${permitNonce ?? '?'} of this token`
      : 'for Permit2 and for this swap alone'
  return `signed for ${briefAmount(toText(plan.intent.sell))}, ${by}${until}`
}

function plannedText({ plan }: Dossier): string {
  const { intent, slippageBps, expirySeconds, notional, arrival, recipient, wallet } = plan
  const parts = [
    `to sell ${briefAmount(toText(intent.sell))} for at least ${briefAmount(toText(intent.floor))}`,
    `${slippageBps} bps slippage, a quote of ${expirySeconds} s`,
    ...(notional === undefined ? [] : [`worth ${briefAmount(toText(notional))}`]),
    ...(arrival === undefined
      ? []
      : [
          arrival.sources.length === 1
            ? `the one independent source says ${briefAmount(toText(arrival.fair))}`
            : `the median of ${arrival.sources.length} independent sources is ${briefAmount(toText(arrival.fair))}`,
        ]),
    ...(recipient.toLowerCase() === wallet.toLowerCase() ? [] : [`to ${recipient}`]),
  ]
  return parts.join(', ')
}

function quotedSteps({ plan }: Dossier, quote: QuoteRecord): readonly Step[] {
  const { appraisal, simulation, source, receivedAt, deadline } = quote
  const seconds =
    receivedAt === undefined ? '' : ` (${Math.floor(deadline - receivedAt / 1_000)} s left)`
  return [
    ...(appraisal === undefined ? [] : appraisedSteps(appraisal)),
    [
      'quoted',
      `${briefAmount(toText(quote.amountOut))}, at least ${briefAmount(toText(quote.minimum))}, until ${clock(deadline * 1_000)}${seconds}${
        source === undefined ? '' : `, from ${source}`
      }; quote ${quote.quoteId}`,
      receivedAt,
    ],
    [
      'simulated',
      `${simulation.block === undefined ? '' : `at block ${simulation.block} `}${briefAmount(toText(simulation.spent))} leaves and ${briefAmount(toText(simulation.received))} arrives${
        plan.recipient.toLowerCase() === plan.wallet.toLowerCase() ? '' : ` at ${plan.recipient}`
      }, gas ${simulation.gas}${simulation.proof === undefined ? '' : `; proof is ${simulation.proof}`}`,
    ],
  ]
}

function appraisedSteps(appraisal: NonNullable<QuoteRecord['appraisal']>): readonly Step[] {
  const said = appraisal.references.map(
    ({ source, fair, independent }) =>
      `${briefAmount(toText(fair))} by ${shortened(source)}${independent ? '' : ' (the service’s own word)'}`,
  )
  const absent = appraisal.absent.map(({ source, reason }) => `${shortened(source)}: ${reason}`)
  return [
    ['appraised', said.join('; ') || 'no source priced it', appraisal.askedAt],
    ...(absent.length === 0 ? [] : [['absent', absent.join('; '), appraisal.askedAt] as const]),
  ]
}

function settledSteps(
  facts: LoggedFacts,
  { moved, quote, gasPaidInAll, tipPaidInAll, currency }: Subject,
): readonly Step[] {
  if (moved === undefined) return []
  const balances =
    facts.agrees === true
      ? 'the balances moved by exactly that'
      : facts.rounded === true
        ? 'the balances moved by that, but for the rounding that is declared of the token'
        : facts.agrees === false
          ? 'THE BALANCES MOVED BY OTHER AMOUNTS TOO'
          : 'nothing else proves that: no balances or trace of its block'
  const predicted = quote?.simulation.received
  const tip =
    tipPaidInAll === undefined
      ? ''
      : `, of it ${gasText(tipPaidInAll.toString(), { currency })} tip`
  const missing = predicted === undefined ? undefined : predicted.wei - moved.received.wei
  return [
    [
      'settled',
      `sold ${briefAmount(toText(moved.sold))}, received ${briefAmount(toText(moved.received))}; ${balances}; gas ${gasText(gasPaidInAll?.toString(), { currency })} in all${tip}`,
    ],
    ...(facts.code === undefined
      ? []
      : [
          [
            'written off',
            `${facts.code}: ${(facts.reason ?? '').replace(/\.$/, '')}.${facts.by === undefined ? '' : ` By ${display(facts.by)}.`}`,
          ] as const,
        ]),
    ...(predicted === undefined || missing === undefined
      ? []
      : [
          [
            'as predicted',
            missing === 0n
              ? 'to the wei'
              : `no: ${formatDecimal(missing < 0n ? -missing : missing, predicted.token.decimals)} ${predicted.token.symbol} ${missing < 0n ? 'more' : 'less'} than simulated`,
          ] as const,
        ]),
  ]
}

function bytesText({ hash, nonce }: LoggedFacts, attempt: AttemptRecord | undefined): string {
  const fee =
    attempt === undefined ? '' : `, at most ${formatDecimal(BigInt(attempt.maxFeeWei), 9)} gwei`
  return `nonce ${nonce ?? attempt?.nonce ?? 'unknown'}${fee}, ${hash ?? 'no hash'}`
}

/** To whom bytes were given; what each said is on the right. */
function offeredText(facts: LoggedFacts): string {
  const { block, verdict, words, to, answers = [], isPrivate, offeredAt } = facts
  if (to !== undefined) {
    const silent = to.length - answers.length
    const given = isPrivate === true ? `privately to ${to.join(', ')} alone` : `to ${to.join(', ')}`
    const at = offeredAt === undefined ? '' : ` at ${clock(offeredAt)}`
    const said = [
      ...(answers.length === 0 ? [] : [answersText(facts)]),
      ...(silent > 0 ? [`${silent} had not answered`] : []),
    ]
    return `${given}${at}, block ${block}: ${said.join('; ')}`
  }
  const said = words === undefined || words === verdict || words === '' ? '' : ` (${words})`
  return `to the network at block ${block}: ${verdict}${said}`
}

const answersText = ({ answers = [] }: LoggedFacts) =>
  answers
    .map(
      ({ endpoint, verdict, words }) =>
        `${endpoint} ${verdict}${words === verdict || words === '' ? '' : ` (${words})`}`,
    )
    .join('; ')

const publishedText = ({ to = [], afterMs, hash }: LoggedFacts) =>
  `in no block ${afterMs === undefined ? '' : `${showDuration(afterMs)} `}after the first were signed (chain.publicAfter): from here on ${to.join(', ')} may get the same bytes, ${hash ?? 'no hash'}`

const gasText = (wei: string | undefined, { currency }: Pick<Subject, 'currency'>) =>
  wei === undefined
    ? 'unknown'
    : briefAmount({ token: currency, text: formatDecimal(BigInt(wei), 18) })

const clock = (at: number) => `${new Date(at).toISOString().slice(11, 19)}Z`

/** An address in a sentence: enough to know it again. */
const shortened = (text: string) => text.replace(/0x[0-9a-fA-F]{40}/g, shortAddress)
