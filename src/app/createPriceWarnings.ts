import type { Log } from '../bot/report/createLog.ts'
import { type Context, isOfPair } from '../bot/strategy/index.ts'
import type { LoadedStrategy } from '../bot/strategy/load.ts'
import type { Amount } from '../core/amount.ts'
import { indicationFor } from '../engine/indicationFor.ts'
import { personalPrices, priceDoubt } from '../engine/priceDoubts.ts'

type Look = {
  readonly loaded: LoadedStrategy
  readonly context: Context<unknown>
  readonly swapLimits: readonly Amount[]
}

/**
 * Logs each price of a person that the market is nowhere near, at the first look of a strategy that shows a market. The
 * prices of the look are enough to log by: a start requests nothing more for it.
 */
export function createPriceWarnings(log: Log): (look: Look) => void {
  // A changed configuration loads its strategies anew.
  const judged = new WeakSet<LoadedStrategy>()
  return ({ loaded, context, swapLimits }) => {
    if (judged.has(loaded) || context.indications.every((one) => one === undefined)) return
    judged.add(loaded)
    const warn = (sentence: string) =>
      log.warn({ strategy: loaded.name }, `${loaded.name}: ${sentence}`)
    for (const written of personalPrices(loaded, swapLimits, warn)) {
      const reference = context.references.find(
        (one) => one !== undefined && isOfPair(one, written),
      )
      const sentence = priceDoubt(written, reference ?? indicationFor(context, written))
      if (sentence !== undefined) warn(sentence)
    }
  }
}
