import type { Memory } from '../bot/strategy/index.ts'
import type { LoadedStrategy } from '../bot/strategy/load.ts'
import { type Amount, show } from '../core/amount.ts'
import { display } from '../core/display.ts'
import { isToken, sameToken, type Token } from '../core/token.ts'

type Telling = {
  /** The memory that a strategy wrote under other parameters. */
  readonly forgotten: (strategy: string, params: unknown) => Promise<Memory | undefined>
  /** All that it sold so far. */
  readonly inputs: (
    strategy: string,
    params: unknown,
  ) => Promise<{
    readonly totals: readonly { readonly sold: Amount; readonly recovered?: true | undefined }[]
  }>
  /** A line for a person. */
  readonly say: (line: string) => void
}

/**
 * Names what strategies did and remembered under other parameters, and what counts no more: a carry, a target, a best price;
 * and what was sold of a token that is now none of theirs, which a budget, a limit or `repeat` counts from zero.
 */
export async function tellForgotten(
  strategies: readonly LoadedStrategy[],
  { forgotten, inputs, say }: Telling,
): Promise<void> {
  for (const { name, params } of strategies) {
    const notes = Object.entries((await forgotten(name, params)) ?? {})
    const shown = notes.map(([key, value]) => `${key} ${value}`).join(', ')
    if (notes.length > 0)
      say(
        `FORGOT  ${name}: its parameters have changed, and it begins without its notes of before: ${display(shown, 400)}`,
      )
    const named = tokensIn(params)
    // The tokens of a strategy of one's own may stand in its code.
    if (named.length === 0) continue
    const { totals } = await inputs(name, params)
    for (const { sold, recovered } of totals)
      if (recovered !== true && !named.some((one) => sameToken(one, sold.token)))
        say(
          `FORGOT  ${name}: it sold ${show(sold)} of ${sold.token.address} so far, which is no token of its parameters now: no budget, limit or repeat of it counts that`,
        )
  }
}

/** Every token that stands in parameters, by itself or in an amount or a price. */
function tokensIn(value: unknown): readonly Token[] {
  if (typeof value !== 'object' || value === null) return []
  return isToken(value) ? [value] : Object.values(value).flatMap(tokensIn)
}
