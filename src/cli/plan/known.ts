import type { Amount } from '../../core/amount.ts'
import type { Sight, Standing, View } from './sight.ts'

/** What could be found out before a plan is made. What is undefined could not; `unknown` says why, a sentence each. */
export type Known = Pick<Sight, 'now' | 'appraise' | 'valued' | 'spent' | 'lock'> & {
  readonly balances: readonly Amount[] | undefined
  /** By strategy; one that is missing could not look at its market. */
  readonly views: ReadonlyMap<string, View>
  readonly standing: (strategy: string) => Standing
  readonly unknown: readonly string[]
}
