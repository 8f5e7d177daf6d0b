import type { Config } from '../config/config.ts'
import { display } from '../core/display.ts'
import { ballastError } from '../core/errors.ts'
import { nearest } from '../core/nearest.ts'

/** Throws UNKNOWN_STRATEGY for a name that no entry of the file has; `manual` is the swaps made by hand. */
export function assertConfigured(name: string, { strategies }: Pick<Config, 'strategies'>): void {
  const known = ['manual', ...strategies.map((strategy) => strategy.name)]
  if (known.includes(name)) return
  const meant = nearest(name, known)
  const hint = meant === undefined ? '' : ` Did you mean ${display(meant, 64)}?`
  throw ballastError(
    'UNKNOWN_STRATEGY',
    `No swap and no strategy has the name '${display(name, 64)}'.${hint} Known names: ${known.join(', ')}.`,
  )
}
