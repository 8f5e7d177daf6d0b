import type { Amount } from '../../core/amount.ts'
import { sameToken } from '../../core/token.ts'

/** The amounts that a strategy reserves. */
export type Kept = {
  readonly name: string
  readonly priority: number
  readonly amounts: readonly Amount[]
}

/**
 * Amounts hidden from one strategy: those that others of its own or a higher priority reserve. `kept` is in the order
 * of the file. Of two of one priority that keep the same token the first does not see that of the second, or each would
 * wait for the other for ever.
 */
export function reservedByOthers(
  looking: { readonly name: string; readonly priority: number },
  kept: readonly Kept[],
): readonly Amount[] {
  const place = kept.findIndex(({ name }) => name === looking.name)
  const own = kept[place]?.amounts ?? []
  const isKept = ({ token }: Amount) =>
    own.some((amount) => sameToken(amount.token, token) && amount.wei > 0n)
  return kept.flatMap(({ name, priority, amounts }, index) => {
    if (name === looking.name || priority < looking.priority) return []
    if (priority > looking.priority || index < place) return amounts
    return amounts.filter((amount) => !isKept(amount))
  })
}
