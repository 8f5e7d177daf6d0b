import type { Context, Decision } from '../../src/bot/stages.ts'
import { defineStrategy } from '../../src/bot/strategy/index.ts'
import type { LoadedStrategy } from '../../src/bot/strategy/load.ts'
import { type Amount, parseAmount, tokenOf } from '../../src/core/amount.ts'
import type { Token } from '../../src/core/token.ts'

/** One world on a test bench: turns are taken in it, and what came of them is read back in the same words. */
export type Bench = {
  readonly amount: (text: string) => Amount
  readonly token: (symbol: string) => Token
  take(loaded: LoadedStrategy, slot: number): Promise<void>
  /** How many swaps of a strategy settled. */
  settled(strategy: string): Promise<number>
  /** Codes of its refused orders, sorted, once each. */
  refused(strategy: string): Promise<readonly string[]>
  close(): Promise<void>
}

/** The strategies that a bench knows, in the order of the file. */
export type OpenBench = (strategies: readonly LoadedStrategy[]) => Promise<Bench>

export const wordsOf = (bySymbol: ReadonlyMap<string, Token>) => ({
  amount: (text: string) => parseAmount(text, bySymbol),
  token: (symbol: string) => tokenOf(symbol, bySymbol),
})

/** `policy.per-day` as the code that a refusal by it has. */
export const codeOf = (check: string) => check.toUpperCase().replaceAll(/[.-]/g, '_')

export const unique = (codes: readonly string[]) => [...new Set(codes)].sort()

/** A strategy that decides as the test says. */
export function scripted(
  name: string,
  decide: (context: Context<unknown>) => Decision,
  {
    priority = 0,
    reserves,
    accounts,
    cron = false,
  }: {
    priority?: number
    reserves?: () => readonly Amount[]
    accounts?: LoadedStrategy['accounts']
    cron?: boolean
  } = {},
): LoadedStrategy {
  const schedule = cron
    ? ({ kind: 'cron', expression: '0 9 * * *', timeZone: 'UTC' } as const)
    : ({ kind: 'every', seconds: 60 } as const)
  const strategy = defineStrategy<unknown>({
    name,
    summary: 'A test.',
    params: () => {
      throw new Error('it is loaded already')
    },
    schedule: () => schedule,
    watch: () => [],
    ...(reserves === undefined ? {} : { reserves }),
    decide,
  })
  return { name, strategy, params: {}, schedule, watches: [], accounts, priority }
}
