import { isDeepStrictEqual } from 'node:util'
import type { Context, Decision, Intent } from '../bot/stages.ts'
import type { LoadedStrategy } from '../bot/strategy/load.ts'
import type { Config } from '../config/config.ts'
import { type Amount, show } from '../core/amount.ts'
import type { BallastError } from '../core/errors.ts'
import { afterChanges, balanceIn, negative, withoutPromised } from '../core/holdings.ts'
import { type Price, worthAt } from '../core/price.ts'
import { sameToken } from '../core/token.ts'
import { createReserved } from '../engine/createReserved.ts'
import { indicationFor } from '../engine/indicationFor.ts'
import { createLedger, type LedgerFill } from '../engine/ledger.ts'
import { planOf } from '../engine/planOf.ts'
import { turn, type World } from '../engine/turn.ts'
import { createValue } from './createValue.ts'
import type { Ask, PlannedSwap, Sight, View } from './forecastTypes.ts'
import { type Block, judge } from './judge.ts'
import { walkLevels } from './walkLevels.ts'

/** What a strategy would do at a slot. Nothing is booked yet. */
export type Considered = {
  readonly ask: Ask
  readonly decision: Decision | undefined
  /** What {@link createForecastWorld.carryOut} books. */
  readonly fills: readonly LedgerFill[]
}

/** A turn that is being taken, and what it came to so far. */
type Draft = {
  at: number
  ask: Ask | undefined
  decision: Decision | undefined
  readonly swaps: PlannedSwap[]
  readonly fills: LedgerFill[]
}

type Parts = {
  readonly config: Config
  readonly strategies: readonly LoadedStrategy[]
  readonly sight: Sight
}

/** More of every token than any strategy sells, to see whether it only lacks funds. */
const plenty = [10n ** 40n, 3n * 10n ** 40n] as const

/**
 * The world of days to come: prices stand still, every order that the rules allow is filled at once. A swap counts
 * against the limits from the last moment it may be signed, as long after its slot as a quote is good: a limit that one
 * slice a day fills to the brim refuses every second one, since it is signed a little later than planned.
 */
export function createForecastWorld({ config, strategies, sight }: Parts) {
  const signedAfterMs = config.quote.expirySeconds * 1_000
  const ledger = createLedger({
    coin: config.tokens,
    balances: sight.balances,
    recordOf(strategy) {
      // A planned swap is done at once: none is ever in flight.
      const { memory, ...own } = sight.standing(strategy)
      return { own: { ...own, inflight: [] }, memory }
    },
  })
  const appraise = createValue(sight.appraise)
  const pathOf = (name: string) =>
    config.strategies.find((one) => one.name === name)?.path ?? ['strategies']
  let draft: Draft = newDraft(sight.now)
  let decisions = 0
  const { reserved, forget } = createReserved({
    strategies: () => strategies,
    ownOf: (name) => ledger.recordFor(name).own,
    clock: { now: () => draft.at },
  })

  const counted = (loaded: LoadedStrategy): LoadedStrategy => ({
    ...loaded,
    strategy: {
      ...loaded.strategy,
      decide(context) {
        decisions += 1
        return loaded.strategy.decide(context)
      },
    },
  })

  /** Whether it would swap if there were enough, and of what there is too little. */
  function shortage({ strategy }: LoadedStrategy, context: Context<unknown>): Intent | undefined {
    const [one, other] = plenty.map((wei) => {
      const balances = context.balances.map((held) => ({ ...held, wei: held.wei + wei }))
      const decision = strategy.decide({ ...context, balances })
      return decision.kind === 'swap' ? decision.intents[0] : undefined
    })
    // One that sells a share of what is there is not short of it.
    if (one === undefined || one.sell.wei !== other?.sell.wei) return undefined
    return balanceIn(context.balances, one.sell.token) < one.sell.wei ? one : undefined
  }

  const world: World<LedgerFill> = {
    isStopping: () => false,
    async look({ name, params }, slot) {
      const lock = await sight.lock({ strategy: name }, slot)
      if (lock !== undefined) {
        draft.ask = askOf(slot, { kind: 'locked', reason: lock.summary, blocks: [lockBlock(lock)] })
        return undefined
      }
      const { indications, depths, references, swapCost } = sight.view(name)
      const { own, memory } = ledger.recordFor(name)
      return {
        ...own,
        ...{ memory, indications, depths, references, swapCost, params, now: slot, slot },
        balances: withoutPromised(ledger.balances(), await reserved(name)),
      }
    },
    async admit({ loaded, slot, position, context, intent }) {
      const { name } = loaded
      const view = sight.view(name)
      const { plan, rules } = await planOf(
        { config, market: { appraise } },
        {
          strategy: name,
          intent,
          indication: indicationFor(context, intent),
          key: `${name}:${slot}:${position}`,
        },
      )
      const walk = walkLevels(levelsFor(loaded, view, intent), intent.sell)
      const received = walk?.received ?? (plan.indication && worthAt(plan.indication, intent.sell))
      const pair = { sell: intent.sell.token.symbol, buy: intent.buy.symbol }
      const lock = await sight.lock({ strategy: name, pair }, slot)
      const journal = await sight.spent(plan, slot)
      const spent = ledger.spent(plan, slot, { journal, pending: draft.fills })
      const gas = context.swapCost
      const blocks = [
        ...(lock === undefined ? [] : [lockBlock(lock)]),
        ...judge(config, {
          plan,
          appraisal: await appraise(intent),
          bounds: { ...rules, spent, now: slot },
          received: received ?? intent.floor,
          balances: afterFills(context.balances, draft.fills),
          swapCost: gas,
          knownCost: view.knownCost,
          valued: sight.valued,
          strategyPath: pathOf(name),
        }),
      ]
      const { sell, buy, floor } = intent
      const { notional } = plan
      draft.swaps.push({ sell, buy, floor, received, atBest: walk?.atBest, gas, notional, blocks })
      if (blocks.length > 0) return undefined
      const price: Price = { sold: sell, bought: received ?? floor }
      return {
        ...{ plan, price, gas, plannedAt: slot, filledAt: slot },
        signedAt: slot + signedAfterMs,
      }
    },
    async carryOut(fill) {
      draft.fills.push(fill)
    },
    books: {
      finishOpen: async () => {},
      progress: async () => ({ settled: 0, open: false, tries: 0 }),
      async decided({ loaded, slot, context, decision }) {
        draft.decision = decision
        if (decision.kind !== 'swap') {
          const wanted = shortage(loaded, context)
          const blocks =
            wanted === undefined ? [] : [shortBlock(wanted, context, pathOf(loaded.name))]
          draft.ask = askOf(slot, { ...decision, kind: decision.kind, blocks })
        }
        return 0
      },
      refused: async (_order, { error }) => {
        throw error
      },
      closeSlot: async () => {},
    },
  }

  return {
    /** What the strategy would do at a slot, if everything before it went as planned. */
    async consider(loaded: LoadedStrategy, at: number): Promise<Considered> {
      draft = newDraft(at)
      await turn(world, { loaded: counted(loaded), slot: at })
      const { decision, swaps, fills } = draft
      const reason = decision?.kind === 'swap' ? (decision.intents[0]?.reason ?? '') : ''
      const ask = draft.ask ?? { ...askOf(at, { kind: 'swap', reason, blocks: [] }), swaps }
      return { ask, decision, fills }
    },

    /** Books what was considered. */
    carryOut({ name }: LoadedStrategy, { decision, fills }: Considered): void {
      for (const fill of fills) ledger.settle(fill)
      if (fills.length > 0) forget(name)
      if (decision !== undefined) ledger.remember(name, decision.memory)
    },

    /** Whether it leaves everything as it is but the time. */
    isIdle: ({ name }: LoadedStrategy, { decision, fills }: Considered): boolean =>
      fills.length === 0 &&
      (decision === undefined || isDeepStrictEqual(decision.memory, ledger.recordFor(name).memory)),

    decisions: () => decisions,
  }
}

const newDraft = (at: number): Draft => ({
  ...{ at, ask: undefined, decision: undefined },
  ...{ swaps: [], fills: [] },
})

const askOf = (
  at: number,
  { kind, reason, blocks }: Pick<Ask, 'kind' | 'reason' | 'blocks'>,
): Ask => ({ at, kind, reason, swaps: [], blocks })

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
  const holds = show({ ...sell, wei: balanceIn(balances, sell.token) })
  const sentence = `there would be ${holds} for it, less than the ${show(sell)} to sell.`
  return { rule: 'funds', sentence, path }
}

function levelsFor({ watches }: LoadedStrategy, { levels }: View, { sell, buy }: Intent) {
  const index = watches.findIndex(
    (watch) => sameToken(watch.sell.token, sell.token) && sameToken(watch.buy, buy),
  )
  return levels[index] ?? []
}

/** What the earlier orders of the same decision did to the wallet. */
const afterFills = (balances: readonly Amount[], fills: readonly LedgerFill[]) =>
  fills.reduce(
    (left, { price, gas }) =>
      afterChanges(left, [
        negative(price.sold),
        price.bought,
        ...(gas === undefined ? [] : [negative(gas)]),
      ]),
    balances,
  )
