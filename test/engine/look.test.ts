import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Strategy, Watch } from '../../src/bot/strategy/index.ts'
import type { LoadedStrategy } from '../../src/bot/strategy/load.ts'
import { parseAmount } from '../../src/core/amount.ts'
import { systemClock } from '../../src/core/clock.ts'
import { comparePrices } from '../../src/core/price.ts'
import { openObserver } from '../../src/engine/look.ts'
import { type Fork, forkOrigin } from '../support/forkOrigin.ts'
import { openBot } from '../support/openBot.ts'

let fork: Fork
let bot: Awaited<ReturnType<typeof openBot>>
beforeAll(async () => {
  fork = await forkOrigin()
  bot = await openBot(fork)
})
afterAll(async () => {
  await bot.close()
  await fork.close()
})

/** The market of the bot, and what was asked of it. */
function counted() {
  const asked: string[] = []
  const { quotes, appraise } = bot.market
  const count =
    <question extends unknown[], answer>(
      name: string,
      ask: (...question: question) => Promise<answer>,
    ) =>
    (...question: question) => {
      asked.push(name)
      return ask(...question)
    }
  const market = {
    ...bot.market,
    quotes: {
      ...quotes,
      indicative: count('price', quotes.indicative),
      orderbook: count('book', quotes.orderbook),
    },
    appraise: count('reference', appraise),
  }
  return { asked, market }
}

function watching(name: string, sell: string): LoadedStrategy {
  const { bySymbol } = bot.config.tokens
  const buy = bySymbol.get('USDC')
  if (buy === undefined) throw new Error('the sandbox has USDC')
  const watch: Watch = {
    sell: parseAmount(sell, bySymbol),
    buy,
    wants: ['depth', 'reference'],
  }
  const strategy = {} as Strategy<unknown>
  const schedule = { kind: 'every', seconds: 5 } as const
  return { name, strategy, params: {}, schedule, watches: [watch], priority: 0 }
}

test('strategies that are due together ask each price, the book and each reference once', async () => {
  const { asked, market } = counted()
  const clock = { ...systemClock, now: () => begun }
  const begun = systemClock.now()
  const { config, journal } = bot
  const observe = openObserver({
    ...{ config, market, clock, standingOf: journal.decisions.inputs },
    reserved: async () => [],
  })
  const entries = [watching('a', '1 WETH'), watching('b', '1 WETH'), watching('c', '2 WETH')]
  const [one, same, other] = await Promise.all(entries.map((entry) => observe(entry, begun)))
  expect(asked.sort()).toEqual(['book', 'price', 'price', 'reference', 'reference'])
  expect(same?.indications).toEqual(one?.indications)
  expect(other?.indications).not.toEqual(one?.indications)
  for (const context of [one, same, other]) {
    expect(context?.depths[0]?.length).toBeGreaterThan(0)
    expect(context?.references[0]).toBeDefined()
  }

  // Less than a thousand units, of which a tenth of one would be rounded off.
  const few = await observe(watching('d', '0.0000003333 WETH'), begun)
  const [fewRate, rate] = [few?.references[0], one?.references[0]]
  expect(fewRate && rate && comparePrices(fewRate, rate)).toBe(0)
})
