import { isDeepStrictEqual } from 'node:util'
import type { Context, Decision, Intent, Plan } from '../bot/stages.ts'
import { hiddenFrom } from '../bot/strategy/hiddenFrom.ts'
import type { LoadedStrategy } from '../bot/strategy/load.ts'
import type { Config } from '../config/config.ts'
import { type Amount, show } from '../core/amount.ts'
import type { BallastError } from '../core/errors.ts'
import { type Price, worthAt } from '../core/price.ts'
import { sameToken, type Token } from '../core/token.ts'
import { indicationFor } from '../engine/look.ts'
import { planOf } from '../engine/planOf.ts'
import { withEarlier } from '../engine/withEarlier.ts'
import type { Ledger } from './createLedger.ts'
import { createValue } from './createValue.ts'
import type { Ask, PlannedSwap, Sight, View } from './forecastTypes.ts'
import { type Block, judge } from './judge.ts'
import { walkLevels } from './walkLevels.ts'

/** What a strategy would do at a slot. Nothing is done yet. */
export type Considered = {
  readonly ask: Ask
  readonly decision: Decision | undefined
  /** What {@link createAsk.carryOut} books. */
  readonly fills: readonly Filled[]
}

type Filled = {
  readonly plan: Plan
  readonly price: Price
  readonly at: number
  readonly gas?: Amount
}

type Asking = {
  readonly config: Config
  readonly strategies: readonly LoadedStrategy[]
  readonly sight: Sight
  readonly ledger: Ledger
}

/** More of every token than any strategy sells, to see whether it only lacks funds. */
const plenty = [10n ** 40n, 3n * 10n ** 40n] as const

/** Asks strategies at slots to come, and holds what they want to the rules. */
export function createAsk({ config, strategies, sight, ledger }: Asking) {
  const appraise = createValue(sight.appraise)
  const pathOf = (name: string) =>
    config.strategies.find((one) => one.name === name)?.path ?? ['strategies']
  const keeping = strategies.filter(({ strategy }) => strategy.reserves !== undefined)
  let decisions = 0

  const decide = (loaded: LoadedStrategy, context: Context<unknown>): Decision => {
    decisions += 1
    return loaded.strategy.decide(context)
  }

  /** The wallet as this strategy sees it: without what the others keep for themselves. */
  function visible(loaded: LoadedStrategy, now: number): readonly Amount[] {
    const kept = hiddenFrom(
      loaded,
      keeping.map(({ name, priority, strategy, params }) => {
        const { inflight, lastFill, fills, totals } = ledger.standing(name)
        const own = { inflight, lastFill, fills, totals, params, now }
        return { name, priority, amounts: strategy.reserves?.(own) ?? [] }
      }),
    )
    return ledger.balances().map(({ token, wei }) => {
      const left = kept
        .filter((amount) => sameToken(amount.token, token))
        .reduce((sum, amount) => sum - amount.wei, wei)
      return { token, wei: left < 0n ? 0n : left }
    })
  }

  function contextAt(loaded: LoadedStrategy, at: number): Context<unknown> {
    const { indications, depths, references, swapCost } = sight.view(loaded.name)
    const seen = { indications, depths, references, swapCost, balances: visible(loaded, at) }
    return { ...ledger.standing(loaded.name), ...seen, params: loaded.params, now: at, slot: at }
  }

  /** Whether it would swap if there were enough, and of what there is too little. */
  function shortage(loaded: LoadedStrategy, context: Context<unknown>): Intent | undefined {
    const [one, other] = plenty.map((wei) => {
      const balances = context.balances.map((held) => ({ ...held, wei: held.wei + wei }))
      const decision = decide(loaded, { ...context, balances })
      return decision.kind === 'swap' ? decision.intents[0] : undefined
    })
    // One that sells a share of what is there is not short of it.
    if (one === undefined || one.sell.wei !== other?.sell.wei) return undefined
    return heldOf(context.balances, one.sell.token) < one.sell.wei ? one : undefined
  }

  async function judged(
    loaded: LoadedStrategy,
    intent: Intent,
    {
      context,
      earlier,
      key,
    }: { context: Context<unknown>; earlier: readonly Filled[]; key: string },
  ): Promise<{ readonly swap: PlannedSwap; readonly filled: Filled | undefined }> {
    const { name } = loaded
    const at = context.slot
    const indication = indicationFor(context, intent)
    const { plan, rules } = await planOf(
      { config, market: { appraise } },
      { strategy: name, intent, indication, key },
    )
    const appraisal = await appraise(intent)
    const walk = walkLevels(levelsFor(loaded, sight.view(name), intent), intent.sell)
    const received = walk?.received ?? (indication && worthAt(indication, intent.sell))
    const lock = await sight.lock(
      {
        strategy: name,
        pair: { sell: intent.sell.token.symbol, buy: intent.buy.symbol },
      },
      at,
    )
    const journal = ledger.spent(await sight.spent(plan, at), { plan, at })
    const spent = withEarlier(journal, { plan, earlier: earlier.map((one) => one.plan), now: at })
    const blocks = [
      ...(lock === undefined ? [] : [lockBlock(lock)]),
      ...judge(config, {
        plan,
        appraisal,
        bounds: { ...rules, spent, now: at },
        received: received ?? intent.floor,
        balances: afterEarlier(context.balances, earlier),
        swapCost: context.swapCost,
        knownCost: sight.view(name).knownCost,
        valued: sight.valued,
        strategyPath: pathOf(name),
      }),
    ]
    const swap = {
      sell: intent.sell,
      buy: intent.buy,
      floor: intent.floor,
      received,
      atBest: walk?.atBest,
      gas: context.swapCost,
      notional: plan.notional,
      blocks,
    }
    if (blocks.length > 0) return { swap, filled: undefined }
    const price = { sold: intent.sell, bought: received ?? intent.floor }
    const gas = context.swapCost
    return { swap, filled: { plan, price, at, ...(gas === undefined ? {} : { gas }) } }
  }

  return {
    async consider(loaded: LoadedStrategy, at: number): Promise<Considered> {
      const lock = await sight.lock({ strategy: loaded.name }, at)
      if (lock !== undefined) {
        const ask: Ask = {
          at,
          kind: 'locked',
          reason: lock.summary,
          swaps: [],
          blocks: [lockBlock(lock)],
        }
        return { ask, decision: undefined, fills: [] }
      }
      const context = contextAt(loaded, at)
      const decision = decide(loaded, context)
      if (decision.kind !== 'swap') {
        const wanted = shortage(loaded, context)
        const blocks =
          wanted === undefined ? [] : [shortBlock(wanted, context, pathOf(loaded.name))]
        const { kind, reason } = decision
        return { ask: { at, kind, reason, swaps: [], blocks }, decision, fills: [] }
      }
      const swaps: PlannedSwap[] = []
      const fills: Filled[] = []
      for (const [index, intent] of decision.intents.entries()) {
        const key = `${loaded.name}:${at}:${index}`
        const { swap, filled } = await judged(loaded, intent, { context, earlier: fills, key })
        swaps.push(swap)
        if (filled !== undefined) fills.push(filled)
      }
      const reason = decision.intents[0]?.reason ?? ''
      return { ask: { at, kind: 'swap', reason, swaps, blocks: [] }, decision, fills }
    },

    /** Books what was considered. */
    carryOut(loaded: LoadedStrategy, { decision, fills }: Considered): void {
      for (const fill of fills) ledger.fill(fill)
      if (decision !== undefined) ledger.remember(loaded.name, decision.memory)
    },

    /** Whether it leaves everything as it is but the time. */
    isIdle: (loaded: LoadedStrategy, { decision, fills }: Considered): boolean =>
      fills.length === 0 &&
      (decision === undefined ||
        isDeepStrictEqual(decision.memory, ledger.standing(loaded.name).memory)),

    decisions: () => decisions,
  }
}

const heldOf = (balances: readonly Amount[], token: Token): bigint =>
  balances.find((one) => sameToken(one.token, token))?.wei ?? 0n

function lockBlock({ summary, facts }: BallastError): Block {
  const expires = Date.parse(String(facts.expires))
  const end = Number.isNaN(expires)
    ? "until 'ballast resume'"
    : `before ${new Date(expires).toISOString().slice(0, 16).replace('T', ' ')}Z`
  const sentence = `${summary.replace(/\.$/, '')}: nothing would begin ${end}.`
  return { rule: 'lock', sentence, path: undefined }
}

function shortBlock(
  { sell }: Intent,
  { balances }: Context<unknown>,
  path: readonly (string | number)[],
): Block {
  const holds = show({ ...sell, wei: heldOf(balances, sell.token) })
  const sentence = `there would be ${holds} for it, less than the ${show(sell)} to sell.`
  return { rule: 'funds', sentence, path }
}

function levelsFor({ watches }: LoadedStrategy, { levels }: View, { sell, buy }: Intent) {
  const index = watches.findIndex(
    (watch) => sameToken(watch.sell.token, sell.token) && sameToken(watch.buy, buy),
  )
  return levels[index] ?? []
}

/** What the earlier intents of the same decision did to the wallet. */
function afterEarlier(balances: readonly Amount[], earlier: readonly Filled[]): readonly Amount[] {
  return balances.map(({ token, wei }) => {
    const sum = earlier.reduce(
      (left, { price, gas }) =>
        left -
        (sameToken(price.sold.token, token) ? price.sold.wei : 0n) +
        (sameToken(price.bought.token, token) ? price.bought.wei : 0n) -
        (gas !== undefined && sameToken(gas.token, token) ? gas.wei : 0n),
      wei,
    )
    return { token, wei: sum }
  })
}
