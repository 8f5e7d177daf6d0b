import type { Appraise } from '../bot/stages.ts'
import type { LoadedStrategy } from '../bot/strategy/load.ts'
import type { Config } from '../config/config.ts'
import { type Amount, show } from '../core/amount.ts'
import type { Clock } from '../core/clock.ts'
import { createTotals } from '../core/holdings.ts'
import { assetOf, sameToken, type Token } from '../core/token.ts'
import { openLook } from '../engine/look.ts'
import type { OpenMarket } from '../engine/market.ts'
import type { MarketView, Outlook } from './forecastTypes.ts'
import { type JournalOutlook, openJournalOutlook, reasonUnknown } from './openJournalOutlook.ts'

type Asked = {
  readonly strategies: readonly LoadedStrategy[]
  readonly clock: Clock
  /** Opens the market; the plan closes what it is given. */
  readonly openMarket: () => Promise<OpenMarket>
}

/** Queries chain, service and journal once for all that a plan starts from. Gaps are left out, and reported. */
export async function openOutlook(
  config: Config,
  { strategies, clock, openMarket }: Asked,
): Promise<Outlook & { readonly close: () => Promise<void> }> {
  const unknown: string[] = []
  const now = clock.now()
  const books = await openJournalOutlook(config, { strategies, now, unknown })
  const market = await openMarket().catch((error: unknown) => {
    unknown.push(`Balances, prices and gas are not known: ${reasonUnknown(error)}`)
    return undefined
  })
  const looking = { config, strategies, books, clock, unknown }
  const seen = market === undefined ? undefined : await viewMarkets({ ...looking, market })
  return {
    now,
    balances: seen?.balances,
    views: seen?.views ?? new Map<string, MarketView>(),
    standing: books.standing,
    spent: books.spent,
    ofAllWallets: books.ofAllWallets,
    goesOnAfter: books.goesOnAfter,
    lock: books.lock,
    appraise: market?.appraise ?? appraiseFromFile(config),
    valued: market !== undefined,
    unknown,
    async close() {
      await books.close()
      await market?.close()
    },
  }
}

type Looking = {
  readonly config: Config
  readonly market: OpenMarket
  readonly strategies: readonly LoadedStrategy[]
  readonly books: JournalOutlook
  readonly clock: Clock
  /** Takes a sentence for each strategy that could not look. */
  readonly unknown: string[]
}

/** Every strategy's view now, and the wallet's holdings, by the looks the bot itself takes. */
async function viewMarkets({
  config,
  market,
  strategies,
  books,
  clock,
  unknown,
}: Looking): Promise<{
  readonly balances: readonly Amount[] | undefined
  readonly views: ReadonlyMap<string, MarketView>
}> {
  const look = openLook({
    config,
    market,
    standingOf: async (strategy) => ({
      ...books.standing(strategy),
      open: books.promised.map((sell) => ({ sell })),
      swapGas: books.swapGas(strategy),
      settled: undefined,
    }),
    // The plan keeps the strategies' reserves itself, as they change.
    reserved: async () => [],
    clock,
    onHead: async () => {},
  })
  const views = new Map<string, MarketView>()
  let balances: readonly Amount[] | undefined
  let guessed: Amount | undefined
  const looks = await Promise.all(
    strategies.map(async (loaded) => {
      const watches = loaded.watches.map((watch) => ({
        ...watch,
        wants: [...new Set([...(watch.wants ?? []), 'depth' as const])],
      }))
      try {
        return await look({ ...loaded, watches }, clock.now())
      } catch (error) {
        unknown.push(`What ${loaded.name} would see is not known: ${reasonUnknown(error)}`)
        return undefined
      }
    }),
  )
  for (const [index, { name, watches }] of strategies.entries()) {
    const context = looks[index]?.context
    if (context === undefined) continue
    balances ??= sumsOf([...context.balances, ...books.arriving])
    const { indications, depths: levels, references, swapCost, accounts } = context
    const depths = levels.map((some, at) =>
      watches[at]?.wants?.includes('depth') === true ? some : [],
    )
    const knownCost = books.swapGas(name) === undefined ? undefined : swapCost
    views.set(name, { indications, depths, references, swapCost, accounts, knownCost, levels })
    if (knownCost === undefined) guessed ??= swapCost
  }
  if (guessed !== undefined)
    unknown.push(
      `What a swap costs in gas, before the first: ${show(guessed)} is what swaps usually take now. Whether policy.maxGasCost refuses, 'ballast dry-run' finds out.`,
    )
  return { balances, views }
}

function sumsOf(amounts: readonly Amount[]): readonly Amount[] {
  const sums = createTotals()
  for (const amount of amounts) sums.add(amount)
  return sums.all()
}

/**
 * The file's own knowledge of a swap's worth: nothing, but whether anything could value it at all. It could where a
 * reference of the token itself, or two that meet, lead to the unit of account.
 */
function appraiseFromFile({ policy, tokens }: Config): Appraise {
  // The service's own book is its own word, and values nothing.
  const independent = policy.references.filter((one) => one.kind !== 'order-book' || one.url)
  const ends = independent.map(({ pair }) => pair)
  const nextTo = (token: Token) =>
    ends.flatMap(([one, other]) =>
      sameToken(one, token) ? [other] : sameToken(other, token) ? [one] : [],
    )
  return async ({ sell }) => {
    const [from, unit] = [assetOf(sell.token, tokens), assetOf(policy.unit, tokens)]
    const near = [from, ...nextTo(from)]
    const leads = [...near, ...near.flatMap(nextTo)].some((token) => sameToken(token, unit))
    return {
      askedAt: 0,
      references: [],
      absent: leads
        ? []
        : [
            {
              source: 'policy.references',
              reason: `no reference prices ${from.symbol} in ${unit.symbol}`,
            },
          ],
      notional: undefined,
      coin: undefined,
      pegs: [],
    }
  }
}
