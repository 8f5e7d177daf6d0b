import { isDeepStrictEqual } from 'node:util'
import type { Context, Decision, Intent } from '../bot/stages.ts'
import type { LoadedStrategy } from '../bot/strategy/load.ts'
import type { Config } from '../config/config.ts'
import { show } from '../core/amount.ts'
import { balanceIn, withoutPromised } from '../core/holdings.ts'
import { createReserved } from '../engine/createReserved.ts'
import { createLedger, type LedgerFill } from '../engine/ledger.ts'
import { turn, unwritten, type World } from '../engine/turn.ts'
import { createOrderJudge, lockBlock } from './createOrderJudge.ts'
import type { PlanBlock } from './findBlocks.ts'
import type { CompleteOutlook, PlannedSlot, PlannedSwap } from './forecastTypes.ts'

/** What a strategy would do at a slot. Nothing is booked yet. */
export type Considered = {
  readonly ask: PlannedSlot
  readonly decision: Decision | undefined
  /** What {@link createForecastWorld.carryOut} books. */
  readonly fills: readonly LedgerFill[]
}

/** A turn that is being taken, and what it came to so far. */
type Draft = {
  at: number
  ask: PlannedSlot | undefined
  decision: Decision | undefined
  readonly swaps: PlannedSwap[]
  readonly fills: LedgerFill[]
}

type Parts = {
  readonly config: Config
  readonly strategies: readonly LoadedStrategy[]
  readonly outlook: CompleteOutlook
}

/** More of every token than any strategy sells, to see whether it only lacks funds. */
const plenty = [10n ** 40n, 3n * 10n ** 40n] as const

/**
 * The world of days to come: prices stand still, every order that the rules allow is filled at once. A swap counts
 * against the limits from the last moment it may be signed, as long after its slot as a quote is good: a limit that one
 * slice a day fills to the brim refuses every second one, since it is signed a little later than planned.
 */
export function createForecastWorld({ config, strategies, outlook }: Parts) {
  const ledger = ledgerOf(config, outlook)
  const judgeOrder = createOrderJudge({ config, outlook, ledger })
  const pathOf = (name: string) =>
    config.strategies.find((one) => one.name === name)?.path ?? ['strategies']
  let draft: Draft = newDraft(outlook.now)
  let decisions = 0
  const { reserved, forget } = createReserved({
    strategies: () => strategies,
    ownOf: (name) => ledger.recordFor(name).own,
    clock: { now: () => draft.at },
  })

  const world: World<LedgerFill> = {
    isStopping: () => false,
    async look({ name, params }, slot) {
      const lock = await outlook.lock({ strategy: name }, slot)
      if (lock !== undefined) {
        draft.ask = askOf(slot, { kind: 'locked', reason: lock.summary, blocks: [lockBlock(lock)] })
        return undefined
      }
      const { indications, depths, references, swapCost } = outlook.view(name)
      const { own, memory } = ledger.recordFor(name)
      return {
        ...own,
        ...{ memory, indications, depths, references, swapCost, params, now: slot, slot },
        balances: withoutPromised(ledger.balances(), await reserved(name)),
        swapLimits: config.policy.perSwap,
      }
    },
    async admit(order) {
      const { swap, fill } = await judgeOrder(order, draft.fills)
      draft.swaps.push(swap)
      return fill
    },
    async carryOut(fill) {
      draft.fills.push(fill)
    },
    books: unwritten(({ loaded, slot, context, decision }) => {
      draft.decision = decision
      if (decision.kind === 'swap') return
      const wanted = shortage(loaded, context)
      const blocks = wanted === undefined ? [] : [shortBlock(wanted, context, pathOf(loaded.name))]
      draft.ask = askOf(slot, { ...decision, kind: decision.kind, blocks })
    }),
  }

  return {
    /** What the strategy would do at a slot, if everything before it went as planned. */
    async consider(loaded: LoadedStrategy, at: number): Promise<Considered> {
      draft = newDraft(at)
      await turn(world, {
        loaded: counting(loaded, () => {
          decisions += 1
        }),
        slot: at,
      })
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

/** A planned swap is done at once: none is ever in flight. */
const ledgerOf = (config: Config, { balances, standing }: Parts['outlook']) =>
  createLedger({
    coin: config.tokens,
    balances,
    recordOf(strategy) {
      const { memory, ...own } = standing(strategy)
      return { own: { ...own, inflight: [] }, memory }
    },
  })

/** The same strategy, its decisions counted. */
const counting = (loaded: LoadedStrategy, count: () => void): LoadedStrategy => ({
  ...loaded,
  strategy: {
    ...loaded.strategy,
    decide(context) {
      count()
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

const newDraft = (at: number): Draft => ({
  ...{ at, ask: undefined, decision: undefined },
  ...{ swaps: [], fills: [] },
})

const askOf = (
  at: number,
  { kind, reason, blocks }: Pick<PlannedSlot, 'kind' | 'reason' | 'blocks'>,
): PlannedSlot => ({ at, kind, reason, swaps: [], blocks })

function shortBlock(
  { sell }: Intent,
  { balances }: Context<unknown>,
  path: readonly (string | number)[],
): PlanBlock {
  const holds = show({ ...sell, wei: balanceIn(balances, sell.token) })
  const sentence = `there would be ${holds} for it, less than the ${show(sell)} to sell.`
  return { rule: 'funds', sentence, path }
}
