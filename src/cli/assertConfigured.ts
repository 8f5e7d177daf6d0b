import type { Config } from '../config/config.ts'
import { display } from '../core/display.ts'
import { ballastError } from '../core/errors.ts'
import { didYouMean } from '../core/nearest.ts'
import { manualStrategy } from '../core/reservedStrategies.ts'

/** Throws UNKNOWN_STRATEGY for a name that no entry of the file has; `manual` is the swaps made by hand. */
export function assertConfigured(name: string, { strategies }: Pick<Config, 'strategies'>): void {
  const known = [manualStrategy, ...strategies.map((strategy) => strategy.name)]
  if (known.includes(name)) return
  throw ballastError(
    'UNKNOWN_STRATEGY',
    `No swap and no strategy has the name '${display(name, 64)}'.${didYouMean(name, known)} Known names: ${known.join(', ')}.`,
  )
}
