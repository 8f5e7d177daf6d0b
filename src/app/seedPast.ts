import { openJournal } from '../bot/journal/openJournal.ts'
import type { Holding, Valuation } from '../bot/journal/valuations/valuations.ts'
import { developmentChainId } from '../chain/developmentChain.ts'
import type { Config } from '../config/config.ts'
import { amountOf } from '../core/amount.ts'
import { assert } from '../core/assert.ts'
import type { Clock } from '../core/clock.ts'
import { hourMs, secondMs } from '../core/spans.ts'
import type { Token } from '../core/token.ts'
import { createPrices } from '../sandbox/createPrices.ts'
import type { SandboxWorld } from '../sandbox/world.ts'

/** As much as the page shows, and a point for about every other pixel of it. */
const pastDays = 30
const stepMs = 2 * hourMs

type Past = { readonly world: SandboxWorld; readonly config: Config; readonly clock: Clock }

/**
 * Writes down what the wallet's first holdings would have been worth in the days before a new market, had its prices walked
 * before as they will after. Made up from one end to the other, so each of these valuations is marked as seeded; no
 * swap, no decision and no entry of the log goes with it. A journal that has valuations is left as it is.
 */
export async function seedPast(past: Past): Promise<void> {
  const { config, clock } = past
  const { chain, database, haltFile, wallet } = config
  assert(chain.chainId === developmentChainId, 'only made-up money has a made-up past')
  await using opened = new AsyncDisposableStack()
  const journal = opened.adopt(await openJournal({ database, haltFile, clock }), (one) =>
    one.shut(),
  )
  const owner = { chainId: chain.chainId, wallet: wallet.address }
  await journal.valuations.seed({ ...owner, past: valuationsBefore(past) })
}

function valuationsBefore({
  world,
  config,
  clock,
}: Past): readonly Omit<Valuation, 'total' | 'seeded'>[] {
  const { prices, chain, tokens, wallets } = world
  if (prices === undefined) return []
  // Such a walk is the same read backwards: away from the start of the market, and so on to where it begins. The market's
  // own seed would make the past its mirror.
  const walk = createPrices({
    prices: { ...prices, seed: prices.seed + 1 },
    blockTimeSeconds: stepMs / secondMs,
  })
  const wrapped = Object.keys(tokens).find((symbol) => tokens[symbol]?.wrapsNative) ?? ''
  const { bySymbol } = config.tokens
  const unit = config.policy.notional.perSwap.token
  const held = Object.entries(wallets.treasury ?? {}).flatMap(([symbol, decimal]) => {
    const token = bySymbol.get(symbol === 'native' ? chain.token : symbol)
    return token === undefined ? [] : [amountOf(token, decimal)]
  })
  const now = clock.now()
  const steps = (pastDays * 24 * hourMs) / stepMs
  return Array.from({ length: steps }, (_, index) => {
    const step = steps - index
    const values = walk.at(step)
    const dollarsFor = ({ symbol }: Token) =>
      values.get(symbol === chain.token ? wrapped : symbol) ?? 1
    const holdings = held.map((amount): Holding => {
      // In doubles, rounded down: the past of a sandbox is no real money.
      const price = BigInt(Math.floor(dollarsFor(amount.token) * 10 ** unit.decimals))
      const wei = (amount.wei * price) / 10n ** BigInt(amount.token.decimals)
      return { held: amount, worth: { token: unit, wei } }
    })
    return { at: now - step * stepMs, unit, holdings }
  })
}
