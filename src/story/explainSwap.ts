import { z } from 'zod'
import type { Dossier } from '../bot/dossier.ts'
import { covers } from '../bot/journal/locks/covers.ts'
import type { LogRecord } from '../bot/journal/log/log.ts'
import type { JournalReader } from '../bot/journal/readJournal.ts'
import { swapHash } from '../bot/journal/swaps/swapHash.ts'
import { lockText } from '../bot/lock/lockText.ts'
import type { Lock } from '../bot/lock.ts'
import { toText } from '../core/amount.ts'
import type { Check } from '../core/check.ts'
import type { Coin } from '../core/token.ts'
import { differenceOf, priceText } from './figures.ts'
import { stepsOf } from './stepsOf.ts'

/** A swap from its plan to its end, as `explain --json` has it. */
export type SwapStory = ReturnType<typeof swapStory>

const checkedFacts = z.object({
  checks: z
    .array(
      z.object({ name: z.string(), ok: z.boolean(), expected: z.string(), actual: z.string() }),
    )
    .default([]),
})

type Beside = {
  readonly entries: readonly LogRecord[]
  readonly decision: number | undefined
  readonly locks: readonly Lock[]
  readonly currency: string
}

/** Tells a swap from the tables and the log. */
function swapStory(swap: Dossier, { entries, decision, locks, currency }: Beside) {
  const { plan, quote, moved } = swap
  const { sell, buy, floor, reason } = plan.intent
  return {
    kind: 'swap' as const,
    id: swap.id,
    strategy: swap.strategy,
    /** The number of the decision it comes from; null for one by hand. */
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
    ...checksOf(entries),
    steps: stepsOf(swap, { entries, currency }),
    moved:
      moved === undefined
        ? null
        : {
            sold: toText(moved.sold),
            received: toText(moved.received),
            gasPaidInAllWei: swap.gasPaidInAll?.toString() ?? null,
            gasTipInAllWei: swap.tipPaidInAll?.toString() ?? null,
            txHash: swapHash(swap.attempts, swap.mined?.hash) ?? null,
          },
    /** The promise of the simulation, less what came. */
    prediction:
      moved === undefined || quote === undefined
        ? null
        : {
            predicted: toText(quote.simulation.received),
            realised: toText(moved.received),
            missingWei: (quote.simulation.received.wei - moved.received.wei).toString(),
          },
    /** The locks that held when it ended otherwise than settled. */
    locks: locks.map(lockText),
  }
}

/** Every check that a swap was signed on, or refused by. */
export function lastChecks(entries: readonly LogRecord[]): readonly Check[] {
  const last = entries.findLast(({ facts }) => 'checks' in facts)
  return last === undefined ? [] : checkedFacts.parse(last.facts).checks
}

/** The last checks of a swap, and the limits among them: what they allowed, and what was used with this swap. */
function checksOf(entries: readonly LogRecord[]) {
  const checks = lastChecks(entries)
  const failed = checks.filter(({ ok }) => !ok)
  const total = checks.length
  return {
    checks: total === 0 ? null : { passed: total - failed.length, total, failed },
    limits: checks
      .filter(({ name }) => /^policy\.(?:per-|notional-|proof$)/.test(name))
      .map(({ name, expected, actual }) => ({
        name: name.replace('policy.', ''),
        allowed: expected,
        used: actual,
      })),
  }
}

/** Each price on the way beside the one before it, as far as there is one. */
function comparedOf({ plan, quote, moved }: Dossier) {
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
    ['least accepted', quote && priced(quote.minimum), 'floor', priced(floor)],
    ['realised', real, 'firm quote', quote && priced(quote.amountOut)],
    ['realised', real, 'floor', priced(floor)],
  ] as const
  return pairs.flatMap(([what, price, beside, other]) =>
    price === undefined || other === undefined || other.bought.wei === 0n
      ? []
      : {
          what: `${what} ${priceText(price)}`,
          with: `${beside} ${priceText(other)}`,
          apart: differenceOf(price, other),
        },
  )
}

/** The parts of a journal, open or to be read, that tell of a swap. */
type Told = {
  readonly log: Pick<JournalReader['log'], 'ofSwap'>
  readonly locks: Pick<JournalReader['locks'], 'at'>
  readonly decisions: Pick<JournalReader['decisions'], 'find'>
}

/** Ends that a lock may have caused. */
const stopped = ['ABANDONED', 'REJECTED', 'EXPIRED_DEAD']

/** Reads what belongs to a swap besides its rows: its log, the decision it comes from, the locks that met it. */
export async function explainSwap(
  swap: Dossier,
  { journal, coin }: { readonly journal: Told; readonly coin: Coin },
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
async function decisionOf({ plan, strategy, createdAt }: Dossier, journal: Told) {
  const ofStrategy = `${strategy}:`
  if (!plan.key.startsWith(ofStrategy)) return undefined
  const slot = /^\d+(?=:)/.exec(plan.key.slice(ofStrategy.length))?.[0]
  if (slot === undefined) return undefined
  const decisions = await journal.decisions.find({ strategy, slot: Number(slot) })
  return decisions.findLast(({ at, kind }) => kind === 'swap' && at <= createdAt)?.id
}
