import { beyondTreasury } from '../bot/journal/limits/treasury.ts'
import type { Appraisal, Appraise, Intent } from '../bot/stages.ts'
import type { Level } from '../bot/strategy/index.ts'
import type { LoadedStrategy } from '../bot/strategy/load.ts'
import type { Config } from '../config/config.ts'
import type { Amount } from '../core/amount.ts'
import type { BallastError } from '../core/errors.ts'
import { afterChanges } from '../core/holdings.ts'
import { comparePrices, worthAt } from '../core/price.ts'
import { sameToken } from '../core/token.ts'
import { indicationFor } from '../engine/indicationFor.ts'
import { changesOf, type Ledger, type LedgerFill } from '../engine/ledger.ts'
import { planOf } from '../engine/planOf.ts'
import type { TurnOrder } from '../engine/turn.ts'
import { findBlocks, type PlanBlock } from './findBlocks.ts'
import type { CompleteOutlook, MarketView, PlannedSwap } from './forecastTypes.ts'

/** An order held to every rule at once: each that would refuse it, and its fill where none does. */
type JudgedOrder = { readonly swap: PlannedSwap; readonly fill: LedgerFill | undefined }

/**
 * Holds orders to the rules of the policy, to the wallet and to the locks at the instant of their look. `earlier` are the fills of the
 * same decision. A fill counts against the limits from the last moment it may be signed, as long after its slot as a
 * quote is good: a limit that one slice a day fills to the brim refuses every second one, since it is signed a little
 * later than planned.
 */
export function createOrderJudge({
  config,
  outlook,
  ledger,
}: {
  readonly config: Config
  readonly outlook: CompleteOutlook
  readonly ledger: Ledger
}) {
  const signedAfterMs = config.quote.expirySeconds * 1_000
  const appraise = createScaledAppraise(outlook.appraise)

  return async function judgeOrder(
    { loaded, slot, position, context, intent }: TurnOrder,
    earlier: readonly LedgerFill[],
  ): Promise<JudgedOrder> {
    const strategy = loaded.name
    const { now } = context
    const view = outlook.view(strategy)
    const indication = indicationFor(context, intent)
    const { plan, rules } = await planOf(
      { config, market: { appraise } },
      { strategy, intent, indication, key: `${strategy}:${slot}:${position}` },
    )
    const walk = walkLevels(levelsFor(loaded, view, intent), intent.sell)
    const received = walk?.received ?? (indication && worthAt(indication, intent.sell))
    const pair = { sell: intent.sell.token.symbol, buy: intent.buy.symbol }
    const lock = await outlook.lock({ strategy, pair }, now)
    const journal = await outlook.spent(plan, now)
    const own = ledger.spent(plan, now, { pending: earlier })
    const { treasury } = config
    const uses = treasury === undefined ? [] : [await outlook.ofAllWallets(now), own]
    const beyond = beyondTreasury(treasury, { notional: plan.notional, uses })
    const gas = context.swapCost
    const blocks = [
      ...(lock === undefined ? [] : [lockBlock(lock)]),
      ...(beyond === undefined ? [] : [treasuryBlock(beyond)]),
      ...findBlocks(config, {
        plan,
        appraisal: await appraise(intent),
        bounds: {
          ...rules,
          spent: ledger.spent(plan, now, { journal, pending: earlier }),
          now,
        },
        received: received ?? intent.floor,
        balances: afterFills(context.balances, earlier),
        swapCost: gas,
        knownCost: view.knownCost,
        valued: outlook.valued,
        strategyPath: strategyPath(config, strategy),
      }),
    ]
    const { sell, buy, floor } = intent
    const { notional } = plan
    const { recipient } = intent
    const swap = {
      ...{ sell, buy, floor, recipient, received },
      ...{ atBest: walk?.atBest, gas, notional, blocks },
    }
    if (blocks.length > 0) return { swap, fill: undefined }
    const price = { sold: sell, bought: received ?? floor }
    const at = { plannedAt: now, signedAt: now + signedAfterMs, filledAt: now }
    return { swap, fill: { plan, price, gas, ...at } }
  }
}

/** Where the file names a strategy. */
export const strategyPath = ({ strategies }: Config, name: string) =>
  strategies.find((one) => one.name === name)?.path ?? ['strategies']

export function lockBlock({ summary, facts }: BallastError): PlanBlock {
  const expires = Date.parse(String(facts.expires))
  const end = Number.isNaN(expires)
    ? "until 'ballast resume'"
    : `before ${new Date(expires).toISOString().slice(0, 16).replace('T', ' ')}Z`
  const sentence = `${summary.replace(/\.$/, '')}: nothing would begin ${end}.`
  return { rule: 'lock', sentence, path: undefined }
}

const treasuryBlock = ({ summary, facts }: BallastError): PlanBlock => ({
  rule: 'treasury',
  sentence: `${summary.replace(/\.$/, '')}: ${facts.others} of it are used, and this is ${facts.swap}.`,
  path: ['treasury'],
})

function levelsFor({ watches }: LoadedStrategy, { levels }: MarketView, { sell, buy }: Intent) {
  const index = watches.findIndex(
    (watch) => sameToken(watch.sell.token, sell.token) && sameToken(watch.buy, buy),
  )
  return levels[index] ?? []
}

/** The effect of the earlier orders of the same decision on the wallet. */
const afterFills = (balances: readonly Amount[], fills: readonly LedgerFill[]) =>
  fills.reduce((left, fill) => afterChanges(left, changesOf(fill)), balances)

/**
 * Queries the references once for each pair and scales their answer to other amounts: prices stand still in a plan.
 * Rounds down.
 */
function createScaledAppraise(appraise: Appraise): Appraise {
  const known = new Map<string, Promise<{ readonly sell: Amount; readonly found: Appraisal }>>()
  return async ({ sell, buy }) => {
    const pair = `${sell.token.address} ${buy.address}`.toLowerCase()
    const asked = known.get(pair) ?? appraise({ sell, buy }).then((found) => ({ sell, found }))
    known.set(pair, asked)
    const first = await asked
    if (first.sell.wei === sell.wei || first.sell.wei === 0n) return first.found
    const scaled = (worth: Amount) => worthAt({ sold: first.sell, bought: worth }, sell)
    const { notional, references } = first.found
    return {
      ...first.found,
      references: references.map((one) => ({
        ...one,
        fair: one.exact ? worthAt(one.exact, sell) : scaled(one.fair),
      })),
      notional: notional && scaled(notional),
    }
  }
}

/** The return for selling into a book, and the one at its best price alone. In the bought token. */
type Walk = { readonly received: Amount; readonly atBest: Amount }

/**
 * Sells an amount level by level, best price first. Exact; each level's part is rounded down, as a maker does.
 * Undefined where the book does not take all of it.
 */
function walkLevels(levels: readonly Level[], sell: Amount): Walk | undefined {
  const ordered = [...levels].sort((a, b) => comparePrices(b, a))
  const [best] = ordered
  if (best === undefined) return undefined
  let left = sell.wei
  let received = 0n
  for (const level of ordered) {
    const isLast = level.sold.wei >= left
    const part = isLast ? left : level.sold.wei
    received += worthAt(level, { ...sell, wei: part }).wei
    left -= part
    if (isLast) {
      const { token } = best.bought
      return { received: { token, wei: received }, atBest: worthAt(best, sell) }
    }
  }
  return undefined
}
