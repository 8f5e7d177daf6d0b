import type { WrittenDecision } from '../bot/journal/decisions/decisions.ts'
import { reviveContext, reviveDecision } from '../bot/journal/decisions/revive.ts'
import type { JournalReader } from '../bot/journal/readJournal.ts'
import { maskedJson } from '../bot/journal/store/text.ts'
import type { Context, Decision, Intent } from '../bot/stages.ts'
import type { LoadedStrategy } from '../bot/strategy/load.ts'
import { type Amount, toText } from '../core/amount.ts'
import { isoText } from '../core/isoText.ts'
import type { Price } from '../core/price.ts'
import { type Coin, sameToken } from '../core/token.ts'
import { comparisonsOf } from './comparisonsOf.ts'
import { explainSwap, type SwapStory } from './explainSwap.ts'
import { priceText } from './figures.ts'

/** A decision with all it depended on, as `explain --json` has it. */
export type DecisionStory = ReturnType<typeof decisionStory>

/** An intent that never became a swap, and why. */
type Refusal = { readonly code: string; readonly reason: string }

/** Reads a journaled decision back and does the sums that hold for any strategy. */
function decisionStory(
  written: WrittenDecision,
  {
    current,
    refusals,
  }: { readonly current: CurrentStrategies; readonly refusals: readonly Refusal[] },
) {
  const context = reviveContext(written.context)
  const decision = reviveDecision(written.decision)
  const { indications, references, depths, balances, inflight, lastFill, totals } = context
  const { accounts = [] } = context
  return {
    kind: 'decision' as const,
    number: written.id,
    strategy: written.strategy,
    slot: isoText(written.slot),
    at: isoText(written.at),
    decided: written.kind,
    reason: written.reason,
    /** Looks that came to the same; figures and all below are of the first. Null where it is one. */
    looks:
      written.last_at === null || written.last_slot === null
        ? null
        : {
            count: written.looks,
            lastAt: isoText(written.last_at),
            lastSlot: isoText(written.last_slot),
            lastReason: written.last_reason,
          },
    seen: {
      markets: indications.flatMap((market, index) =>
        market === undefined
          ? []
          : {
              sell: toText(market.sold),
              brings: toText(market.bought),
              price: priceText(market),
              route: market.route,
              /** Best first. */
              levels: depths[index]?.length ?? 0,
              reference: priceOrNull(references[index]),
            },
      ),
      /** Watches that the service had no price for. */
      unpriced: indications.filter((market) => market === undefined).length,
      balances: balances.map(toText),
      accounts: accounts.map(({ account, held }) => ({ account, held: toText(held) })),
      inflight: inflight.map(({ swapId, sell, buy }) => ({
        swapId,
        sell: toText(sell),
        buy: buy.symbol,
      })),
      swapCost: context.swapCost === undefined ? null : toText(context.swapCost),
      lastFill:
        lastFill === undefined
          ? null
          : { at: isoText(lastFill.at), price: priceText(lastFill.price) },
      totals: totals.map(({ sold, bought, swaps, recovered = false }) => ({
        sold: toText(sold),
        received: toText(bought),
        swaps,
        /** Booked from the chain: they may be another strategy's. */
        recovered,
      })),
      memory: context.memory ?? null,
    },
    comparisons: comparisonsOf(context, decision),
    intents: decision.kind === 'swap' ? intentsOf(decision.intents, balances) : [],
    refused: refusals,
    recheck: recheck(written, context, current),
  }
}

/** Each intent beside what the wallet held of its token: what would be left, or what is missing. */
const intentsOf = (intents: readonly Intent[], balances: readonly Amount[]) =>
  intents.map(({ sell, floor, recipient, reason }) => {
    const { token } = sell
    const held = balances.find((balance) => sameToken(balance.token, token))
    const left = held === undefined ? undefined : held.wei - sell.wei
    return {
      sell: toText(sell),
      floor: toText(floor),
      /** Null where it is the wallet. */
      recipient: recipient ?? null,
      reason,
      held: held === undefined ? null : toText(held),
      left: left === undefined || left < 0n ? null : toText({ token, wei: left }),
      missing: left === undefined || left >= 0n ? null : toText({ token, wei: -left }),
    }
  })

const priceOrNull = (price: Price | undefined) =>
  price === undefined || price.sold.wei === 0n ? null : priceText(price)

/** Whether the strategy's code of today makes the same of the same context. */
export type Recheck =
  | { readonly verdict: 'same'; readonly paramsChanged: boolean }
  | {
      readonly verdict: 'differs'
      readonly paramsChanged: boolean
      /** Its decision today; or that it fails on it, with the error's words. */
      readonly today: { readonly kind: string; readonly reason: string }
    }
  | { readonly verdict: 'not-asked'; readonly why: string }

/** The strategies of the configuration as it is now; or why they cannot be loaded. */
export type CurrentStrategies = {
  readonly strategies: readonly LoadedStrategy[]
  readonly trouble: string | undefined
}

/** Gives the journaled context, with the parameters it had, to the strategy of that name as it is now. */
function recheck(
  written: WrittenDecision,
  context: Context<unknown>,
  { strategies, trouble }: CurrentStrategies,
): Recheck {
  if (trouble !== undefined) return { verdict: 'not-asked', why: trouble }
  const loaded = strategies.find(({ name }) => name === written.strategy)
  if (loaded === undefined)
    return {
      verdict: 'not-asked',
      why: `'${written.strategy}' is not in the configuration any more`,
    }
  const before = JSON.stringify((JSON.parse(written.context) as { params?: unknown }).params)
  const paramsChanged = before !== maskedJson(loaded.params)
  let today: Decision
  try {
    today = loaded.strategy.decide(context)
  } catch (error) {
    // Code that fails on what it once could read is code that changed: that is the answer.
    const reason = error instanceof Error ? error.message : String(error)
    return { verdict: 'differs', paramsChanged, today: { kind: 'failed', reason } }
  }
  if (maskedJson(today) === written.decision) return { verdict: 'same', paramsChanged }
  const reason =
    today.kind === 'swap' ? today.intents.map((one) => one.reason).join('; ') : today.reason
  return { verdict: 'differs', paramsChanged, today: { kind: today.kind, reason } }
}

/** Decisions of one slot, and the swaps that came of them. */
export async function explainDecisions(
  decisions: readonly WrittenDecision[],
  {
    journal,
    current,
    coin,
  }: {
    readonly journal: JournalReader
    readonly current: CurrentStrategies
    readonly coin: Coin
  },
): Promise<{ readonly decisions: readonly DecisionStory[]; readonly swaps: readonly SwapStory[] }> {
  // A row of several looks begins with an earlier slot.
  const last = decisions.at(-1)
  if (last === undefined) return { decisions: [], swaps: [] }
  const swaps = await journal.swaps.dossiers(await journal.swaps.ofSlot(last))
  return {
    decisions: await Promise.all(
      decisions.map(async (one) =>
        decisionStory(one, { current, refusals: await journal.decisions.refusals(one.id) }),
      ),
    ),
    swaps: await Promise.all(swaps.map((swap) => explainSwap(swap, { journal, coin }))),
  }
}
