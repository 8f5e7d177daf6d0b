import { type Amount, isAmount } from '../../core/amount.ts'
import { BallastError } from '../../core/errors.ts'
import { sameToken } from '../../core/token.ts'
import { totalSold } from './amounts.ts'
import type { LoadedStrategy } from './load.ts'
import type { Own } from './strategy.ts'

/** An amount among the parameters that a strategy may spend in all, and what it has spent of it. */
export type Budget = { readonly key: string; readonly most: Amount; readonly spent: Amount }

/** What counts is the strategy's to say: one that also buys back may spend its proceeds again. */
export function budgetsOf(
  { strategy, params }: Pick<LoadedStrategy, 'strategy' | 'params'>,
  own: Own,
): readonly Budget[] {
  const { budget, limit } = (params ?? {}) as { budget?: unknown; limit?: unknown }
  return Object.entries({ budget, limit }).flatMap(([key, most]) => {
    if (!isAmount(most)) return []
    try {
      const said = strategy.spent?.({ ...own, params })
      const isSaid = said !== undefined && sameToken(said.token, most.token)
      return { key, most, spent: isSaid ? said : totalSold(own, most.token) }
    } catch (error) {
      // Its code fails: the others are shown.
      if (!(error instanceof BallastError)) throw error
      return []
    }
  })
}
