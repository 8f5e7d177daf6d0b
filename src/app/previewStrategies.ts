import { draft } from '../bot/policy/screen.ts'
import type { LoadedStrategy } from '../bot/strategy/load.ts'
import { preview } from '../bot/swap.ts'
import type { Config } from '../config/config.ts'
import type { Clock } from '../core/clock.ts'
import { createReserved } from '../engine/createReserved.ts'
import { indicationFor } from '../engine/indicationFor.ts'
import { createLedger, type LedgerFill } from '../engine/ledger.ts'
import { openObserver } from '../engine/look.ts'
import { planOf, type Valued } from '../engine/planOf.ts'
import { turn, unwritten, type World } from '../engine/turn.ts'
import { openMarket } from './openMarket.ts'
import { openSpending, warnOfLocks } from './openSpending.ts'
import { type Outcome, stopped, unseen, waited, wouldSwap } from './outcome.ts'
import { readingStages } from './readingStages.ts'

/** Takes one turn of each strategy, and each of its orders as far as its signature would be. */
export async function previewStrategies({
  config,
  all,
  strategies,
  clock,
  note,
}: {
  config: Config
  /** Every strategy of the file: what one reserves, the others do not see, shown or not. */
  all: readonly LoadedStrategy[]
  strategies: readonly LoadedStrategy[]
  clock: Clock
  note: (line: string) => void
}): Promise<readonly Outcome[]> {
  const market = await openMarket(config, clock)
  const spending = await openSpending(config, clock)
  const { spent, standingOf, ownStanding } = spending
  const { reserved } = createReserved({ strategies: () => all, ownOf: ownStanding, clock })
  warnOfLocks(await spending.locks(), note)
  const stages = readingStages({ config, market, spending, clock })
  const observe = openObserver({ config, market, standingOf, reserved, clock })
  const ledger = createLedger({ coin: config.tokens, balances: [] })
  const results: Outcome[] = []
  /** A live run would have done them first. */
  const earlier: LedgerFill[] = []

  const world: World<Valued> = {
    isStopping: () => false,
    async look(loaded, slot) {
      try {
        return await observe(loaded, slot)
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
    books: unwritten(({ loaded, decision }) => {
      if (decision.kind !== 'swap') results.push(waited(loaded.name, decision.reason))
    }),
  }
  try {
    for (const loaded of strategies) await turn(world, { loaded, slot: clock.now() })
    return results
  } finally {
    await spending.close()
    await market.close()
  }
}
