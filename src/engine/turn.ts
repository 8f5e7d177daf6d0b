import { isHindrance } from '../bot/lock/breakers.ts'
import type { TurnEnd } from '../bot/schedule/timetable.ts'
import type { Context, Decision, Intent } from '../bot/stages.ts'
import type { LoadedStrategy } from '../bot/strategy/load.ts'
import { deepFreeze } from '../core/deepFreeze.ts'
import { BallastError } from '../core/errors.ts'
import { type SlotEnd, type SlotProgress, slotEnd } from './slotEnd.ts'

/** One intent of a decision, on its way into a swap. */
export type TurnOrder = {
  readonly loaded: LoadedStrategy
  readonly slot: number
  /** The decision it is part of: its number in the books. */
  readonly decision: number
  /** Its place in the decision, from 0. */
  readonly position: number
  /** The number of earlier tries at the slot. */
  readonly attempt: number
  readonly context: Context<unknown>
  readonly intent: Intent
}

/** A decision, with everything it was made on. */
export type DecidedTurn = {
  readonly loaded: LoadedStrategy
  readonly slot: number
  readonly context: Context<unknown>
  readonly decision: Decision
}

/** The memory of a world. */
export type TurnBooks = {
  /** Follows to its end what an earlier turn left open. */
  finishOpen(): Promise<void>
  progress(strategy: string, slot: number): Promise<SlotProgress>
  /** Writes the decision down, with what it was made on and the memory it leaves; returns its number. */
  decided(turn: DecidedTurn): Promise<number>
  /** Records that the strategy failed while it decided; throws where that ends the world. */
  broke(loaded: LoadedStrategy, error: BallastError): Promise<void>
  /** Records why an order ended before its swap did. A planned swap (`isPlanned`) has a record of its own. */
  refused(order: TurnOrder, refusal: { error: BallastError; isPlanned: boolean }): Promise<void>
  /** Closes a calendar slot: it is never decided on again. */
  closeSlot(loaded: LoadedStrategy, slot: number, end: SlotEnd): Promise<void>
}

/** The four ports of a world that a strategy trades in: real money, virtual money, a tape, or days to come. */
export type World<plan> = {
  readonly books: TurnBooks
  /** The context of the decision; undefined where nothing can be decided now. */
  look(loaded: LoadedStrategy, slot: number): Promise<Context<unknown> | undefined>
  /** Holds an order to the rules and plans its swap; undefined where it was planned before. Throws its refusal. */
  admit(order: TurnOrder): Promise<plan | undefined>
  carryOut(plan: plan, order: TurnOrder): Promise<void>
  /** Whether no further order may begin, at this place of the decision's. */
  readonly isStopping: (position: number) => boolean
}

/**
 * The turn of one strategy at one slot: finish what is open, look, decide, admit each order, carry it out, close the
 * slot. Real money, paper, replay and forecast take this same turn; they differ in their {@link World}.
 */
export async function turn<plan>(
  { books, look, admit, carryOut, isStopping }: World<plan>,
  { loaded, slot }: { readonly loaded: LoadedStrategy; readonly slot: number },
): Promise<TurnEnd> {
  if (isStopping(0)) return 'open'
  await books.finishOpen()
  if (await closeIfOver(books, { loaded, slot, wanted: 0 })) return 'closed'
  const context = await look(loaded, slot)
  if (context === undefined) return 'open'
  const decision = await decide(loaded, { context, books })
  if (decision === undefined) return 'hindered'
  const number = await books.decided({ loaded, slot, context, decision })
  if (decision.kind !== 'swap') {
    if (decision.kind === 'postpone') return 'open'
    if (loaded.schedule.kind === 'cron')
      await books.closeSlot(loaded, slot, { state: 'passed', reason: decision.reason })
    return 'closed'
  }
  const { tries } = await books.progress(loaded.name, slot)
  let isHindered = false
  for (const [position, intent] of decision.intents.entries()) {
    if (isStopping(position)) return 'open'
    const order = { loaded, slot, decision: number, position, attempt: tries, context, intent }
    let plan: plan | undefined
    try {
      plan = await admit(order)
      if (plan !== undefined) await carryOut(plan, order)
    } catch (error) {
      if (!isOrdinary(error)) throw error
      isHindered ||= isHindrance(error)
      await books.refused(order, { error, isPlanned: plan !== undefined })
      // The rest of the decision is as old.
      if (error.code === 'DECISION_STALE') break
    }
  }
  // A period waits for what hindered it, also where another of its swaps settled.
  if (isHindered && loaded.schedule.kind === 'every') return 'hindered'
  const wanted = decision.intents.length
  if (await closeIfOver(books, { loaded, slot, wanted })) return 'closed'
  return isHindered ? 'hindered' : 'open'
}

/** What the strategy answers; undefined where it failed, and the world goes on without it. */
async function decide(
  loaded: LoadedStrategy,
  { context, books }: { readonly context: Context<unknown>; readonly books: TurnBooks },
): Promise<Decision | undefined> {
  try {
    // Frozen in every world: what sorts the balances fails in a forecast and in a replay as it does with real money.
    return loaded.strategy.decide(deepFreeze(context))
  } catch (error) {
    if (!(error instanceof BallastError)) throw error
    await books.broke(loaded, error)
    return undefined
  }
}

/** Closes a slot after its execution or its last try; true when it is closed. Nothing is written of one of a period. */
async function closeIfOver(
  books: TurnBooks,
  {
    loaded,
    slot,
    wanted,
  }: { readonly loaded: LoadedStrategy; readonly slot: number; readonly wanted: number },
): Promise<boolean> {
  const end = slotEnd(await books.progress(loaded.name, slot), wanted)
  if (end === undefined) return false
  if (loaded.schedule.kind === 'cron') await books.closeSlot(loaded, slot, end)
  return true
}

/** A refusal, a market that is away, a lock short of a halt, or a process that stops: a later slot or start tries again. */
function isOrdinary(error: unknown): error is BallastError {
  return (
    error instanceof BallastError &&
    error.remedy !== 'halt' &&
    (error.fault === 'refused' ||
      error.fault === 'upstream' ||
      error.code === 'INTERRUPTED' ||
      error.code === 'PRICE_UNWITNESSED' ||
      error.code === 'LOCKED')
  )
}
