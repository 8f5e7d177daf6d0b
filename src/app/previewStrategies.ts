import { beyondTreasury } from '../bot/journal/limits/treasury.ts'
import { draft } from '../bot/policy/checkPlan.ts'
import type { Context } from '../bot/strategy/index.ts'
import type { LoadedStrategy } from '../bot/strategy/load.ts'
import { preview } from '../bot/swap.ts'
import type { Config } from '../config/config.ts'
import type { Clock } from '../core/clock.ts'
import { afterChanges } from '../core/holdings.ts'
import { createReserved } from '../engine/createReserved.ts'
import { indicationFor } from '../engine/indicationFor.ts'
import { changesOf, createLedger, type LedgerFill } from '../engine/ledger.ts'
import { openObserver } from '../engine/look.ts'
import type { OpenMarket } from '../engine/market.ts'
import { planOf, type Valued } from '../engine/planOf.ts'
import { priceDoubts } from '../engine/priceDoubts.ts'
import { broke, transientBooks } from '../engine/transientBooks.ts'
import { turn, type World } from '../engine/turn.ts'
import { openWholeMarket } from './openMarket.ts'
import { openSpending, warnOfLocks } from './openSpending.ts'
import { type Outcome, stopped, unseen, waited, wouldSwap } from './outcome.ts'
import { readingStages } from './readingStages.ts'

type Preview = {
  readonly config: Config
  /** Every strategy of the file: what one reserves, the others do not see, shown or not. */
  readonly all: readonly LoadedStrategy[]
  readonly strategies: readonly LoadedStrategy[]
  readonly clock: Clock
  readonly note: (line: string) => void
}

/**
 * Takes one turn of each strategy, in the order in which the bot calls those that are due together, and each of its orders
 * as far as its signature would be.
 */
export async function previewStrategies(asked: Preview): Promise<readonly Outcome[]> {
  const { config, strategies, clock, note } = asked
  await using opened = new AsyncDisposableStack()
  const market = opened.adopt(await openWholeMarket(config, clock), (one) => one.close())
  const spending = opened.adopt(await openSpending(config, clock), (one) => one.close())
  warnOfLocks(await spending.locks(), note)
  const results: Outcome[] = []
  const world = createPreviewWorld(asked, { market, spending, results })
  const inOrder = [...strategies].sort((a, b) => b.priority - a.priority)
  for (const loaded of inOrder) await turn(world, { loaded, slot: clock.now() })
  return results
}

/** A world in which an order ends before its signature. Its outcome joins `results`. */
function createPreviewWorld(
  { config, all, clock, note }: Preview,
  {
    market,
    spending,
    results,
  }: {
    readonly market: OpenMarket
    readonly spending: Awaited<ReturnType<typeof openSpending>>
    readonly results: Outcome[]
  },
): World<Valued> {
  const { spent, ofAllWallets, standingOf } = spending
  const { reserved } = createReserved({ strategies: () => all, standingOf, clock, broke })
  const stages = readingStages({ config, market, spending, clock, nextNonce: undefined })
  const observe = openObserver({ config, market, standingOf, reserved, clock })
  const ledger = createLedger({ coin: config.tokens, balances: [] })
  const noteDoubts = async (loaded: LoadedStrategy, context: Context<unknown>) => {
    const { appraise } = market
    const indicate = (pair: Parameters<typeof indicationFor>[1]) => indicationFor(context, pair)
    const swapLimits = config.policy.perSwap
    for (const { strategy, sentence } of await priceDoubts(
      { appraise, indicate },
      { loaded, swapLimits },
    ))
      note(`${strategy}: ${sentence}.`)
  }
  /** A live run would have done them first. */
  const earlier: LedgerFill[] = []
  return {
    isStopping: () => false,
    async look(loaded, slot) {
      try {
        const context = await observe(loaded, slot)
        await noteDoubts(loaded, context)
        return { ...context, balances: afterChanges(context.balances, earlier.flatMap(changesOf)) }
      } catch (error) {
        results.push(unseen(loaded.name, error))
        return undefined
      }
    },
    admit: ({ loaded, context, intent }) =>
      planOf(
        { config, market },
        { strategy: loaded.name, intent, indication: indicationFor(context, intent) },
      ),
    async carryOut({ plan, rules }) {
      try {
        const now = clock.now()
        const own = ledger.spent(plan, now, { pending: earlier })
        const uses = [await ofAllWallets(), own]
        const beyond = beyondTreasury(config.treasury, { notional: plan.notional, uses })
        if (beyond !== undefined) throw beyond
        const taken = ledger.spent(plan, now, { journal: await spent(plan), pending: earlier })
        const simulated = await preview(draft(plan, { ...rules, spent: taken, now }), stages)
        results.push(wouldSwap(plan, simulated))
        const price = { sold: plan.intent.sell, bought: simulated.amountOut }
        const at = { plannedAt: now, signedAt: now, filledAt: now }
        earlier.push({ plan, price, gas: undefined, ...at })
      } catch (error) {
        results.push(stopped(plan, error))
      }
    },
    books: transientBooks(async ({ loaded, decision }) => {
      if (decision.kind !== 'swap') results.push(waited(loaded.name, decision.reason))
      return 0
    }),
  }
}
