import { statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { openJournal } from '../../../../src/bot/journal/openJournal.ts'
import { nextSlot } from '../../../../src/bot/schedule/slots.ts'
import { type Intent, type Planned, pass } from '../../../../src/bot/stages.ts'
import { type LoadedStrategy, loadStrategies } from '../../../../src/bot/strategy/load.ts'
import {
  shippedStrategies,
  strategiesFolder,
  strategyNames,
} from '../../../../src/bot/strategy/shippedStrategies.ts'
import { contextWith } from '../../../../src/bot/strategy/testing.ts'
import { template } from '../../../../src/cli/configTemplate.ts'
import { strategyEntry } from '../../../../src/cli/strategyEntry.ts'
import { loadConfig } from '../../../../src/config/loadConfig.ts'
import { dayMs, hourMs } from '../../../../src/core/spans.ts'
import { sameToken } from '../../../../src/core/token.ts'
import { createRandom } from '../../../simulator/random.ts'
import { lookAt } from '../../../strategies/rebalanceWorld.ts'
import { settleReal } from './realSwap.ts'

/** The hour the template's `twap` begins a month after. */
const start = Date.UTC(2026, 11, 1)

/** How far a price goes in a day, and how much of its way from the middle it comes back. */
const dailyMove = 0.03
const middle = 3_000

/** Two of the strategies name a second stablecoin, whose address the template leaves to its reader. */
const dai = 'DAI: { address: "0x6B175474E89094C44Da98b954EedeAC495271d0F"'

/** Every shipped strategy, as `config init` writes it. */
async function loadTemplates(folder: string, uses: readonly string[]) {
  const shipped = shippedStrategies().filter(({ use }) => uses.includes(use))
  const entries = shipped.map((one) => strategyEntry(one, one.use))
  const filled = template(entries)
    .replace('routerCodeHash: "FILL IN"', `routerCodeHash: "0x${'7'.repeat(64)}"`)
    .replace('DAI: { address: "FILL IN"', dai)
    .replaceAll('"FILL IN"', `"0x${'5'.repeat(40)}"`)
  writeFileSync(join(folder, 'ballast.yaml'), filled)
  const config = loadConfig({
    ...{ file: 'ballast.yaml', environment: {}, cwd: folder, needs: 'journal' },
  })
  return { config, strategies: await loadStrategies(config) }
}

/**
 * The shipped templates through so many days of virtual time, over a market that moves at random: every look, every refusal
 * by the limits of a day and every swap goes into a journal in a file as the bot writes it.
 */
export async function liveThrough({
  folder,
  days,
  uses = strategyNames(strategiesFolder()),
}: {
  folder: string
  days: number
  uses?: readonly string[]
}) {
  const { config, strategies } = await loadTemplates(folder, uses)
  const { wallet, chain, tokens, policy } = config
  const path = join(folder, 'ballast.db')
  const random = createRandom(1)
  let now = start
  const clock = { now: () => now, sleep: async () => {} }
  const database = { dialect: 'sqlite', path } as const
  // The tables, before anything is in them.
  await (await openJournal({ database, clock, haltFile: join(folder, 'HALT') })).shut()
  const emptyBytes = statSync(path).size
  const journal = await openJournal({ database, clock, haltFile: join(folder, 'HALT') })
  await journal.wallet.adopt({ chainId: chain.chainId, wallet: wallet.address, nonceOfChain: 0 })
  const held = new Map([
    ['WETH', 10n ** 22n],
    ['USDC', 10n ** 14n],
    ['DAI', 10n ** 24n],
    ['ETH', 10n ** 20n],
  ])
  let [price, priceAt] = [middle, now]
  let [looks, swaps, nonce, rssMax] = [0, 0, 0, 0]

  function prices() {
    const share = Math.sqrt(Math.max(0, now - priceAt) / dayMs)
    const away = Math.log(price / middle)
    price *= Math.exp((random.next() - 0.5) * 3.46 * dailyMove * share - away * 0.1 * share * share)
    priceAt = now
    const usd = BigInt(Math.round(price * 1e6))
    return { WETH: usd, ETH: usd, USDC: 1_000_000n, DAI: 1_000_000n }
  }

  async function order({ name, slot, intent }: { name: string; slot: number; intent: Intent }) {
    const { sell, buy, floor } = intent
    const planned = pass<Planned>({
      ...{ swapId: crypto.randomUUID(), key: `${name}:${slot}:0`, strategy: name, intent },
      ...{ wallet: wallet.address, recipient: wallet.address, slippageBps: 10, expirySeconds: 30 },
      indication: { sold: sell, bought: floor },
      notional: undefined,
    })
    const day = policy.perDay.find(({ token }) => sameToken(token, sell.token))
    const spent = await journal.limits.spent(planned)
    if (day !== undefined && spent.sold + sell.wei > day.wei) return undefined
    return async () => {
      await settleReal(journal, { planned, nonce, random })
      nonce += 2
      swaps += 1
      const move = (symbol: string, wei: bigint) => held.set(symbol, (held.get(symbol) ?? 0n) + wei)
      move(sell.token.symbol, -sell.wei)
      move(buy.symbol, floor.wei)
    }
  }

  async function turn({ name, strategy, params, schedule }: LoadedStrategy, slot: number) {
    looks += 1
    now = slot + random.between(5, 900)
    const seen = lookAt(
      { prices: prices(), halfSpreadBps: 2, levels: [20_000n, 60_000n], stepBps: 2 },
      strategy.watch(params),
    )
    const { open: _, swapGas: __, ...standing } = await journal.decisions.inputs(name, params)
    const balances = [...tokens.bySymbol.values()].map((token) => ({
      token,
      wei: held.get(token.symbol) ?? 0n,
    }))
    const swapCost = { token: tokens.native, wei: 230_000_000_000_000n }
    const context = contextWith(params, {
      ...{ now, slot, ...seen, ...standing, balances, swapCost, swapLimits: policy.perSwap },
    })
    const decision = strategy.decide(context)
    const decided = { strategy: name, slot, at: now, context, decision }
    const { id, counted } = await journal.decisions.record(decided)
    for (const intent of decision.kind === 'swap' ? decision.intents.slice(0, 1) : []) {
      const carryOut = await order({ name, slot, intent })
      const reason = `policy.per-day: ${intent.sell.wei} is not at most the limit in 24 hours`
      if (carryOut === undefined)
        await journal.decisions.noteRefusal({
          decision: id,
          strategy: name,
          code: 'POLICY_PER_DAY',
          reason,
          intent,
        })
      else {
        if (counted) await journal.decisions.recordWhole(decided)
        await carryOut()
      }
    }
    if (schedule.kind === 'cron') {
      const ended = { strategy: name, slot, upto: slot, slots: 1, calendar: 'c' } as const
      await journal.slots.close({ ...ended, state: 'done', reason: 'so' })
    }
  }

  const due = strategies.map((loaded) => ({ loaded, at: nextSlot(loaded.schedule, start) }))
  let hour = 0
  for (;;) {
    const next = due.reduce((first, one) => (one.at < first.at ? one : first))
    if (next.at >= start + days * dayMs) break
    await turn(next.loaded, next.at)
    next.at = nextSlot(next.loaded.schedule, next.at)
    if (Math.floor(now / hourMs) === hour) continue
    hour = Math.floor(now / hourMs)
    rssMax = Math.max(rssMax, process.memoryUsage.rss())
  }
  const report = await journal.log.verify(undefined)
  await journal.shut()
  return {
    ...{ looks, swaps, rssMax, report, emptyBytes, bytes: statSync(path).size },
    days,
  }
}
