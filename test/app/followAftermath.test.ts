import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { followAftermath } from '../../src/app/followAftermath.ts'
import { lookAfter } from '../../src/bot/after/lookAfter.ts'
import type { Dossier } from '../../src/bot/dossier.ts'
import { getBlock } from '../../src/chain/calls/node.ts'
import type { Rpc } from '../../src/chain/rpc/rpc.ts'
import { amountOf } from '../../src/core/amount.ts'
import { hourMs, minuteMs } from '../../src/core/spans.ts'
import type { Token } from '../../src/core/token.ts'
import { anvilCalls } from '../../src/sandbox/startAnvil.ts'
import { type Fork, forkOrigin } from '../support/forkOrigin.ts'
import { openBot } from '../support/openBot.ts'
import { silent } from '../support/silent.ts'

let fork: Fork
let bot: Awaited<ReturnType<typeof openBot>>
/** Hours that the tests have let go by. */
let shiftMs = 0

beforeAll(async () => {
  // The maker buys two WETH: of more, the pools take the rest.
  fork = await forkOrigin({
    world: (world) => ({
      ...world,
      makers: world.makers.map((maker) => ({
        ...maker,
        books: [{ pair: ['WETH', 'USDC'], bid: [['2', '3000']], ask: [], minimumInBase: '0.01' }],
      })) as typeof world.makers,
    }),
  })
  bot = await openBot(fork)
})
afterAll(async () => {
  await bot.close()
  await fork.close()
})

/** Looks until there is nothing left to look at by the shifted clock. */
async function follow({
  rpc = bot.market.rpc,
  config = bot.config,
}: {
  readonly rpc?: Rpc
  readonly config?: Parameters<typeof followAftermath>[0]['config']
} = {}) {
  const { journal, market } = bot
  const stop = new AbortController()
  const now = () => Date.now() + shiftMs
  const clock = {
    now,
    async sleep() {
      const left = await journal.aftermath.due({ limit: 1, at: now() })
      if (left.length === 0 || rpc !== market.rpc) stop.abort()
    },
  }
  await followAftermath(
    { config, clock, log: silent, journal, market: { ...market, rpc } },
    stop.signal,
  )
}

async function dossierOf(id: string): Promise<Dossier> {
  const [dossier] = await bot.journal.swaps.dossiers([id])
  if (dossier === undefined) throw new Error('it was planned')
  return dossier
}

/** Minutes and hours of the chain, a block each quarter of an hour. */
async function letPass(ms: number) {
  const head = await bot.market.rpc.request(getBlock('latest'))
  shiftMs += ms
  for (let at = 900; at <= ms / 1_000; at += 900)
    await bot.market.rpc.request({
      method: 'evm_mine',
      params: [(head?.timestamp ?? 0) + at],
      parse: () => undefined,
    })
}

describe('aftermath', () => {
  test('of what a node no longer shows is missing with its reason, and never made up', async () => {
    const { swapId } = await bot.swap({ sell: '1 WETH', buy: 'USDC', floor: '1000000 USDC' })
    const away: Rpc = {
      ...bot.market.rpc,
      request: async () => {
        throw new Error('the node is away')
      },
    }
    await follow({ rpc: away })
    expect((await dossierOf(swapId)).aftermath?.found.marks).toEqual([])
    shiftMs += 3 * hourMs
    for (let round = 0; round < 5; round += 1) await follow({ rpc: away })
    expect((await dossierOf(swapId)).aftermath?.found.marks).toMatchObject([
      ...[0, 1_000, 10_000, 60_000, hourMs].map((afterMs) => ({
        afterMs,
        missing: expect.stringContaining('the node is away'),
      })),
    ])
  })

  test('waits for the block behind an instant, because one of that instant may still come', async () => {
    const mineAt = (timestamp: number) =>
      bot.market.rpc.request({ method: 'evm_mine', params: [timestamp], parse: () => undefined })
    const { swapId } = await bot.swap({ sell: '1 WETH', buy: 'USDC', floor: '1000000 USDC' })
    await bot.market.rpc.request(anvilCalls.mineEvery(0))
    const { updatedAt: at } = await dossierOf(swapId)
    const head = await fork.rpc.request(getBlock('latest'))
    const [first = 0, second = 0] = [head?.number, Math.floor(at / 1_000)]
    const marksBy = async (afterMs: number) => {
      shiftMs = at + afterMs - Date.now()
      await follow()
      const marks = (await dossierOf(swapId)).aftermath?.found.marks ?? []
      return marks.map((mark) => [mark.afterMs, mark.block])
    }
    expect(await marksBy(10_000)).toEqual([])
    // The node shows the block of 9 s late, and that of 10 s later still.
    await mineAt(second + 9)
    const early = [
      [0, first],
      [1_000, first],
    ]
    expect(await marksBy(13_000)).toEqual(early)
    await mineAt(second + 10)
    expect(await marksBy(15_000)).toEqual(early)
    await mineAt(second + 12)
    expect(await marksBy(17_000)).toEqual([...early, [10_000, first + 2]])
    // An order book off the chain cannot be read later: where policy names one, five seconds are waited for a block.
    const { policy, tokens, service } = bot.config
    const book = { kind: 'order-book' } as (typeof policy.references)[number]
    const config = { tokens, service, policy: { ...policy, references: [book] } }
    for (const [afterMs, marks] of [
      [64_000, 3],
      [66_000, 4],
    ] as const) {
      shiftMs = at + afterMs - Date.now()
      await follow({ config })
      expect((await dossierOf(swapId)).aftermath?.found.marks).toHaveLength(marks)
    }
    // The chain is not left ahead of its time.
    await bot.market.rpc.request({ method: 'anvil_rollback', params: [3], parse: () => undefined })
    await bot.market.rpc.request(anvilCalls.mineEvery(1))
  })

  test('reads sources that are silent again for two minutes, then their mark is missing', async () => {
    const { rpc } = bot.market
    const { tokens, service } = bot.config
    const usdc = tokens.bySymbol.get('USDC') as Token
    const head = await rpc.request(getBlock('latest'))
    const at = (head?.timestamp ?? 0) * 1_000
    const found = { marks: [] }
    const look = (afterMs: number) =>
      lookAfter(
        {
          rpc,
          appraise: async () => ({
            askedAt: at,
            references: [],
            absent: [{ source: 'feed', reason: 'HTTP 503' }],
            notional: undefined,
            coin: undefined,
            pegs: [],
          }),
          pools: [],
          hasOrderBook: true,
          wrapped: tokens.wrapped,
          router: service.router,
          clock: { now: () => at + afterMs, sleep: async () => {} },
        },
        {
          subject: 'a swap that was refused',
          filled: false,
          at,
          sell: amountOf(tokens.wrapped, '1'),
          buy: usdc,
          block: undefined,
          hash: undefined,
          decisionBlock: undefined,
          dueAt: at,
          found,
        },
      )
    const last = 2 * minuteMs - 1
    expect(await look(last)).toEqual({ found, at, nextAt: at + 2 * last })
    expect((await look(last + 1)).found.marks).toMatchObject([{ missing: 'feed: HTTP 503' }])
  })

  test('of a swap: its marks are of the blocks that their instants had, and its legs of its logs', async () => {
    shiftMs = 0
    const { swapId, record } = await bot.swap({
      ...{ sell: '5 WETH', buy: 'USDC', floor: '1 USDC', expirySeconds: 60 },
    })
    expect(record.state).toBe('SETTLED')
    await follow()
    const early = await dossierOf(swapId)
    expect(early.aftermath?.found.marks.map(({ afterMs }) => afterMs)).not.toContain(60_000)
    await bot.market.rpc.request(anvilCalls.mineEvery(0))
    await letPass(2 * hourMs)
    await follow()
    const { aftermath, block = 0, moved, quote } = await dossierOf(swapId)
    if (aftermath === undefined) throw new Error('it was looked at')
    const { marks, pools, fills, neighbours } = aftermath.found
    expect(marks.map(({ afterMs }) => afterMs)).toEqual([0, 1_000, 10_000, 60_000, hourMs])
    expect(marks[0]?.block).toBe(block)
    const own = await fork.rpc.request(getBlock(block))
    expect(aftermath.at).toBe((own?.timestamp ?? 0) * 1_000)
    for (const { afterMs, block: at = 0, fair } of marks) {
      const [seen, next] = await Promise.all([
        fork.rpc.request(getBlock(at)),
        fork.rpc.request(getBlock(at + 1)),
      ])
      expect((seen?.timestamp ?? 0) * 1_000).toBeLessThanOrEqual(aftermath.at + afterMs)
      if (afterMs > 0) expect(next?.timestamp).toBeGreaterThan((aftermath.at + afterMs) / 1_000)
      expect(fair).toBeGreaterThan(0n)
    }
    expect(pools?.map(({ when }) => when)).toEqual(['decision', 'inclusion'])
    expect(pools?.[1]?.block).toBe(block - 1)
    for (const { bought = 0n } of pools ?? []) {
      expect(bought).toBeGreaterThan(0n)
      expect(bought).toBeLessThan(moved?.received.wei ?? 0n)
    }
    expect(quote?.legs?.map(({ maker }) => maker === undefined)).toContain(true)
    expect(fills?.map(({ sold }) => sold)).toEqual(quote?.legs?.map(({ sold }) => sold))
    expect(fills?.reduce((sum, { bought }) => sum + bought, 0n)).toBe(moved?.received.wei)
    expect(neighbours).toMatchObject({ before: 0, after: 0, suspected: false })
    expect(neighbours?.pools).toBeGreaterThan(0)
    await bot.market.rpc.request(anvilCalls.mineEvery(1))
  })
})
