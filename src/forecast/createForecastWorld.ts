import { isDeepStrictEqual } from 'node:util'
import type { Context, Decision, Intent } from '../bot/stages.ts'
import type { LoadedStrategy } from '../bot/strategy/load.ts'
import type { Config } from '../config/config.ts'
import { show } from '../core/amount.ts'
import { balanceIn, withoutPromised } from '../core/holdings.ts'
import { createReserved } from '../engine/createReserved.ts'
import { createLedger, type LedgerFill } from '../engine/ledger.ts'
import { broke, transientBooks } from '../engine/transientBooks.ts'
import { turn, type World } from '../engine/turn.ts'
import { createOrderJudge, lockBlock, strategyPath } from './createOrderJudge.ts'
import type { PlanBlock } from './findBlocks.ts'
import type { CompleteOutlook, PlannedSlot, PlannedSwap } from './forecastTypes.ts'

/** A strategy's action at a slot. Nothing is booked yet. */
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

/** What the turns of a forecast share. */
type State = {
  readonly ledger: ReturnType<typeof createLedger>
  /** The turn that is being taken. */
  draft: Draft
  decisions: number
  looks: number
}

/**
 * The world of days to come: prices stand still, every order that the rules allow is filled at once. A swap counts
 * against the limits from the last moment it may be signed, as long after its slot as a quote is good: a limit that one
 * slice a day fills to the brim refuses every second one, since it is signed a little later than planned.
 */
export function createForecastWorld(parts: Parts) {
  const { config, strategies, outlook } = parts
  const ledger = createLedger({
    coin: config.tokens,
    balances: outlook.balances,
    recordOf(strategy) {
      // A planned swap is done at once: none is ever in flight.
      const { memory, ...own } = outlook.standing(strategy)
      return { own: { ...own, inflight: [] }, memory }
    },
  })
  const state: State = { ledger, draft: newDraft(outlook.now), decisions: 0, looks: 0 }
  const { reserved, forget } = createReserved({
    strategies: () => strategies,
    standingOf: ledger.standingOf,
    clock: { now: () => state.draft.at },
    broke,
  })
  const world = createWorld(parts, { state, reserved })

  return {
    /** The strategy's action at a slot, if everything before it went as planned. One that is past and open is decided now. */
    async consider(loaded: LoadedStrategy, slot: number): Promise<Considered> {
      state.draft = newDraft(Math.max(slot, outlook.now))
      state.looks += 1
      await turn(world, { loaded: counting(loaded, state), slot })
      const { ask: ended, decision, swaps, fills } = state.draft
      const reason = decision?.kind === 'swap' ? (decision.intents[0]?.reason ?? '') : ''
      const ask = ended ?? { ...askOf(slot, { kind: 'swap', reason, blocks: [] }), swaps }
      return { ask, decision, fills }
    },

    /** Books what was considered. */
    carryOut({ name }: LoadedStrategy, { decision, fills }: Considered): void {
      for (const fill of fills) ledger.settle(fill)
      if (decision !== undefined) ledger.remember(name, decision.memory)
      if (fills.length > 0 || decision?.memory !== undefined) forget(name)
    },

    /** Whether it leaves everything as it is but the time. */
    isIdle: ({ name }: LoadedStrategy, { decision, fills }: Considered): boolean =>
      fills.length === 0 &&
      (decision === undefined || isDeepStrictEqual(decision.memory, ledger.recordFor(name).memory)),

    decisions: () => state.decisions,

    /** How often one was considered: a lock keeps a strategy from being called. */
    looks: () => state.looks,
  }
}

/** Counts how often a strategy is asked. */
function counting(loaded: LoadedStrategy, state: State): LoadedStrategy {
  const decide: LoadedStrategy['strategy']['decide'] = (context) => {
    state.decisions += 1
    return loaded.strategy.decide(context)
  }
  return { ...loaded, strategy: { ...loaded.strategy, decide } }
}

/** The world of one turn: what it comes to is the draft of the state. */
function createWorld(
  { config, outlook }: Parts,
  {
    state,
    reserved,
  }: { readonly state: State; readonly reserved: ReturnType<typeof createReserved>['reserved'] },
): World<LedgerFill> {
  const { ledger } = state
  const judgeOrder = createOrderJudge({ config, outlook, ledger })
  return {
    isStopping: () => false,
    async look({ name, params }, slot) {
      const now = state.draft.at
      const lock = await outlook.lock({ strategy: name }, now)
      if (lock !== undefined) {
        const blocks = [lockBlock(lock)]
        state.draft.ask = askOf(slot, { kind: 'locked', reason: lock.summary, blocks })
        return undefined
      }
      const { indications, depths, references, swapCost, accounts } = outlook.view(name)
      const { own, memory } = ledger.recordFor(name)
      return {
        ...own,
        ...{ memory, indications, depths, references, swapCost, params, now, slot },
        accounts: accounts && ledger.withSent(accounts),
        balances: withoutPromised(ledger.balances(), await reserved(name)),
        swapLimits: config.policy.perSwap,
        swapWorth: config.policy.notional.perSwap,
      }
    },
    async admit(order) {
      const { swap, fill } = await judgeOrder(order, state.draft.fills)
      state.draft.swaps.push(swap)
      return fill
    },
    async carryOut(fill) {
      state.draft.fills.push(fill)
    },
    books: transientBooks(async ({ loaded, slot, context, decision }) => {
      state.draft.decision = decision
      if (decision.kind === 'swap') return 0
      const wanted = shortage(loaded, context)
      const path = strategyPath(config, loaded.name)
      const blocks = wanted === undefined ? [] : [shortBlock(wanted, context, path)]
      state.draft.ask = askOf(slot, { ...decision, kind: decision.kind, blocks })
      return 0
    }),
  }
}

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
