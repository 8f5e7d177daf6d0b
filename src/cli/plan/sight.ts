import type { Appraise, Plan, Spent } from '../../bot/stages.ts'
import type { Context, Level, Own } from '../../bot/strategy/index.ts'
import type { Amount } from '../../core/amount.ts'
import type { BallastError } from '../../core/errors.ts'

/** What one strategy would see of the market: in the order of its watches. */
export type View = Pick<Context<unknown>, 'indications' | 'depths' | 'references' | 'swapCost'> & {
  /** The order book for every watch, whether the strategy wants to see it or not. */
  readonly levels: readonly (readonly Level[])[]
  /** What a swap costs by those that were done; undefined before the first, when `swapCost` is only the most there may be. */
  readonly knownCost: Amount | undefined
}

/** What is known of one strategy so far. */
export type Standing = Own & Pick<Context<unknown>, 'memory'>

/** Everything a plan starts from, or what is supposed in its place. Instants are milliseconds since the epoch. */
export type Sight = {
  readonly now: number
  /** What the wallet holds. */
  readonly balances: readonly Amount[]
  readonly view: (strategy: string) => View
  readonly standing: (strategy: string) => Standing
  readonly appraise: Appraise
  /** Whether the references were asked. Where not, `appraise` knows only which of them are missing. */
  readonly valued: boolean
  /** What the journal counts against the limits at an instant to come, if nothing is done until then. */
  readonly spent: (plan: Plan, at: number) => Promise<Spent>
  /** The lock that will hold at an instant to come, unless somebody opens or releases one. */
  readonly lock: (subject: Subject, at: number) => Promise<BallastError | undefined>
}

type Subject = {
  readonly strategy: string
  readonly pair?: { readonly sell: string; readonly buy: string }
}
