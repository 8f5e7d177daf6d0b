import { z } from 'zod'
import type { Dossier } from '../bot/dossier.ts'
import { covers } from '../bot/journal/locks/covers.ts'
import type { LogRecord } from '../bot/journal/log/log.ts'
import type { JournalReader } from '../bot/journal/readJournal.ts'
import { lockText } from '../bot/lock/lockText.ts'
import type { Lock } from '../bot/lock.ts'
import { type AmountText, toText } from '../core/amount.ts'
import type { Check } from '../core/check.ts'
import type { Coin } from '../core/token.ts'
import { type Apart, apart, priceText } from './figures.ts'
import { type SwapStep, stepsOf } from './stepsOf.ts'

/** A swap from its plan to its end, as `explain --json` has it. */
export type SwapStory = {
  readonly kind: 'swap'
  readonly id: string
  readonly strategy: string
  /** The number of the decision it comes from; null for one by hand. */
  readonly decision: number | null
  readonly state: string
  readonly code: string | null
  readonly reason: string
  readonly intent: {
    readonly sell: AmountText
    readonly buy: string
    readonly floor: AmountText
    readonly reason: string
  }
  readonly compared: readonly {
    readonly what: string
    readonly with: string
    readonly apart: Apart
  }[]
  readonly quote: {
    readonly quoteId: string
    readonly source: string | null
    readonly amountOut: AmountText
    readonly minimum: AmountText
    readonly deadlineTimestamp: number
  } | null
  readonly checks: {
    readonly passed: number
    readonly total: number
    readonly failed: readonly Check[]
  } | null
  /** What the limits allowed, and what was used of them with this swap. */
  readonly limits: readonly {
    readonly name: string
    readonly allowed: string
    readonly used: string
  }[]
  readonly steps: readonly SwapStep[]
  readonly moved: {
    readonly sold: AmountText
    readonly received: AmountText
    readonly gasPaidInAllWei: string | null
    readonly txHash: string | null
  } | null
  /** What the simulation promised, less what came. */
  readonly prediction: {
    readonly predicted: AmountText
    readonly realised: AmountText
    readonly missingWei: string
  } | null
  /** Those that held when it ended otherwise than settled. */
  readonly locks: readonly ReturnType<typeof lockText>[]
}

const compared = z.object({
  checks: z
    .array(
      z.object({ name: z.string(), ok: z.boolean(), expected: z.string(), actual: z.string() }),
    )
    .default([]),
})

/** Tells a swap from what the tables and the log have of it. */
function swapStory(
  swap: Dossier,
  {
    entries,
    decision,
    locks,
    currency,
  }: {
    readonly entries: readonly LogRecord[]
    readonly decision: number | undefined
    readonly locks: readonly Lock[]
    readonly currency: string
  },
): SwapStory {
  const { plan, quote, moved } = swap
  const { sell, buy, floor, reason } = plan.intent
  const last = entries.findLast(({ facts }) => 'checks' in facts)
  const checks = last === undefined ? undefined : compared.parse(last.facts).checks
  return {
    kind: 'swap',
    id: swap.id,
    strategy: swap.strategy,
    decision: decision ?? null,
    state: swap.state,
    code: swap.code ?? null,
    reason: swap.reason ?? reason,
    intent: { sell: toText(sell), buy: buy.symbol, floor: toText(floor), reason },
    compared: comparedOf(swap),
    quote:
      quote === undefined
        ? null
        : {
            quoteId: quote.quoteId,
            source: quote.source ?? null,
            amountOut: toText(quote.amountOut),
            minimum: toText(quote.minimum),
            deadlineTimestamp: quote.deadline,
          },
    checks:
      checks === undefined || checks.length === 0
        ? null
        : {
            passed: checks.filter(({ ok }) => ok).length,
            total: checks.length,
            failed: checks.filter(({ ok }) => !ok),
          },
    limits: (checks ?? [])
      .filter(({ name }) => /^policy\.(?:per-|notional-)/.test(name))
      .map(({ name, expected, actual }) => ({
        name: name.replace('policy.', ''),
        allowed: expected,
        used: actual,
      })),
    steps: stepsOf(swap, { entries, currency }),
    moved:
      moved === undefined
        ? null
        : {
            sold: toText(moved.sold),
            received: toText(moved.received),
            gasPaidInAllWei: swap.gasPaidInAll?.toString() ?? null,
            txHash: swap.attempts.findLast(({ kind }) => kind === 'SWAP')?.hash ?? null,
          },
    prediction:
      moved === undefined || quote === undefined
        ? null
        : {
            predicted: toText(quote.simulation.received),
            realised: toText(moved.received),
            missingWei: (quote.simulation.received.wei - moved.received.wei).toString(),
          },
    locks: locks.map(lockText),
  }
}

/** Each price on the way beside the one before it, as far as there is one. */
function comparedOf({ plan, quote, moved }: Dossier): SwapStory['compared'] {
  const { sell, floor } = plan.intent
  const priced = (bought: typeof floor) => ({ sold: sell, bought })
  const real = moved && { sold: moved.sold, bought: moved.received }
  const pairs = [
    ['indication', plan.indication, 'floor', priced(floor)],
    [
      'indication',
      plan.indication,
      'independent sources',
      plan.arrival && priced(plan.arrival.fair),
    ],
    ['firm quote', quote && priced(quote.amountOut), 'floor', priced(floor)],
    ['firm quote', quote && priced(quote.amountOut), 'indication', plan.indication],
    ['least by calldata', quote && priced(quote.minimum), 'floor', priced(floor)],
    ['realised', real, 'firm quote', quote && priced(quote.amountOut)],
    ['realised', real, 'floor', priced(floor)],
  ] as const
  return pairs.flatMap(([what, price, beside, other]) =>
    price === undefined || other === undefined || other.bought.wei === 0n
      ? []
      : {
          what: `${what} ${priceText(price)}`,
          with: `${beside} ${priceText(other)}`,
          apart: apart(price, other),
        },
  )
}

/** Ends that a lock may have caused. */
const stopped = ['ABANDONED', 'REJECTED', 'EXPIRED_DEAD']

/** Reads what belongs to a swap besides its rows: its log, the decision it comes from, the locks that met it. */
export async function explainSwap(
  swap: Dossier,
  { journal, coin }: { readonly journal: JournalReader; readonly coin: Coin },
): Promise<SwapStory> {
  const entries = await journal.log.ofSwap(swap.id)
  const locks = stopped.includes(swap.state) ? await journal.locks.at(swap.updatedAt) : []
  const { wallet, strategy, intent } = swap.plan
  const pair = { sell: intent.sell.token.symbol, buy: intent.buy.symbol }
  const own = locks.filter((lock) => covers(lock, { wallet, strategy, pair }, coin))
  return swapStory(swap, {
    entries,
    decision: await decisionOf(swap, journal),
    locks: own,
    currency: coin.native.symbol,
  })
}

/** The newest decision of its slot to swap that was made before it was planned. */
async function decisionOf({ plan, strategy, createdAt }: Dossier, journal: JournalReader) {
  const ofStrategy = `${strategy}:`
  if (!plan.key.startsWith(ofStrategy)) return undefined
  const slot = /^\d+(?=:)/.exec(plan.key.slice(ofStrategy.length))?.[0]
  if (slot === undefined) return undefined
  const decisions = await journal.decisions.find({ strategy, slot: Number(slot) })
  return decisions.findLast(({ at, kind }) => kind === 'swap' && at <= createdAt)?.id
}
