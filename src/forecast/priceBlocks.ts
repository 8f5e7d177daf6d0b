import type { LoadedStrategy } from '../bot/strategy/load.ts'
import type { Config } from '../config/config.ts'
import type { PlannedBlock } from '../dashboard/planView.ts'
import { indicationFor } from '../engine/indicationFor.ts'
import { type PriceDoubt, priceDoubts } from '../engine/priceDoubts.ts'
import { strategyPath } from './createOrderJudge.ts'
import type { Zone } from './createZone.ts'
import type { Outlook, StrategyForecast } from './forecastTypes.ts'

/** Prices of a person that the market of a plan is nowhere near. */
export async function doubtsOfPlan(
  { policy }: Config,
  { outlook, strategies }: { outlook: Outlook; strategies: readonly LoadedStrategy[] },
): Promise<readonly PriceDoubt[]> {
  const doubts: PriceDoubt[] = []
  for (const loaded of strategies) {
    const indications = outlook.views.get(loaded.name)?.indications ?? []
    const indicate = (pair: Parameters<typeof indicationFor>[1]) =>
      indicationFor({ indications }, pair)
    const sources = { appraise: outlook.appraise, indicate }
    doubts.push(...(await priceDoubts(sources, { loaded, swapLimits: policy.perSwap })))
  }
  return doubts
}

/** They stand in the way from the beginning of the plan on. */
export function priceBlocks(
  { loaded: { name }, zone }: StrategyForecast & { readonly zone: Zone },
  {
    config,
    outlook: { now },
    doubts,
  }: { config: Config; outlook: Outlook; doubts: readonly PriceDoubt[] },
): readonly PlannedBlock[] {
  const path = strategyPath(config, name)
  return doubts
    .filter(({ strategy, isFault }) => strategy === name && !isFault)
    .map(({ key, sentence }) => ({
      strategy: name,
      rule: 'price',
      at: new Date(now).toISOString(),
      local: zone.show(now),
      where: config.locate(key === undefined ? path : [...path, key]),
      slots: null,
      sentence: `${sentence}.`,
    }))
}
