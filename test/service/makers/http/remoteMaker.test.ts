import { privateKeyToAccount } from 'viem/accounts'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, inject, test } from 'vitest'
import { firmQuote } from '../../../../src/api/firmQuote.ts'
import { type Clock, systemClock } from '../../../../src/core/clock.ts'
import { accountsOf } from '../../../../src/sandbox/accounts.ts'
import { anvilCalls } from '../../../../src/sandbox/startAnvil.ts'
import { type RunningMaker, startMaker } from '../../../../src/sandbox/startMaker.ts'
import { ask } from '../../../support/ask.ts'
import { type Fork, forkOrigin } from '../../../support/forkOrigin.ts'
import { heldDeadlines } from '../../../support/heldDeadlines.ts'
import { settleQuote } from '../../../support/settleQuote.ts'
import { silent } from '../../../support/silent.ts'
import { until } from '../../../support/until.ts'
import { startMakerProxy } from './makerProxy.ts'

/** The fixed world with its maker in front of the pools as a process of its own, and a local one that is a little worse. */
let proxy: Awaited<ReturnType<typeof startMakerProxy>>
let fork: Fork
let maker: RunningMaker
/** The service's time, where a test stops it. */
let stoppedAt: number | undefined
const clock: Clock = { ...systemClock, now: () => stoppedAt ?? systemClock.now() }
/** A maker on a slow machine is not late. */
let deadlines: ReturnType<typeof heldDeadlines>
beforeEach(() => {
  deadlines = heldDeadlines()
})
beforeAll(async () => {
  proxy = await startMakerProxy()
  fork = await forkOrigin({
    mining: 'auto',
    clock,
    world: (world) => ({
      ...world,
      pools: world.pools.slice(0, 1),
      makers: world.makers.map((each) => ({ ...each, url: proxy.url })),
    }),
  })
  maker = await startMaker({
    rpc: fork.rpc,
    world: fork.world,
    accounts: accountsOf(fork.world),
    deployment: inject('origin').deployment,
    name: 'maker-a',
    clock: systemClock,
    log: silent,
  })
  proxy.to(maker.url)
  await until(async () => (await sourceOf('1')) === 'maker-a')
})
afterAll(async () => {
  await fork?.close()
  await maker?.close()
  await proxy?.close()
})
afterEach(async () => {
  stoppedAt = undefined
  proxy.beHonest()
  // Every test begins with a maker that publishes and signs; a success ends each of its rows of failures.
  const before = polls()
  await until(() => polls() > before)
  await until(async () => (await sourceOf('1')) === 'maker-a')
  await until(async () => (await firm('1')).source === 'maker-a')
})

const polls = () => proxy.seen.filter((path) => path === '/v1/levels').length
const treasury = () => {
  const wallet = fork.ready.wallets.treasury
  if (wallet === undefined) throw new Error('no treasury')
  return wallet
}
const request = (path: string, amount: string, rest: Record<string, string> = {}) =>
  ask(fork.ready.serviceUrl, path, {
    chain: 'local',
    token_in: fork.ready.tokens.WETH?.address,
    token_out: fork.ready.tokens.USDC?.address,
    amount,
    from_address: treasury().address,
    ...rest,
  })
const firm = async (amount: string) =>
  firmQuote.response.parse((await request('firm-quote', amount)).body)
/** Only the maker pays 3000 a piece. */
const sourceOf = async (amount: string) => {
  const { body } = await request('indicative-quote', amount)
  return body.buyerTokenAmountWei === `${3_000_000_000n * BigInt(amount)}` ? 'maker-a' : 'pool'
}
const metric = async (name: string): Promise<number> => {
  const text = await (await fetch(`${fork.ready.serviceUrl}/metrics`)).text()
  return Number(new RegExp(`^${name}\\{maker="maker-a"[^}]*\\} (\\S+)$`, 'm').exec(text)?.[1])
}
const counted = async (names: readonly string[]) =>
  Object.fromEntries(await Promise.all(names.map(async (name) => [name, await metric(name)])))

describe('a maker in its own process', () => {
  test('quotes, signs, and what it signed settles to the wei', async () => {
    const quote = await firm('2')
    expect(quote.source).toBe('maker-a')
    expect(quote.amountOut).toBe('6000000000')
    const { received } = await settleQuote(fork.rpc, { quote, privateKey: treasury().privateKey })
    expect(received).toBe(6_000_000_000n)
  })

  test('its levels are in the order book', async () => {
    const { body } = await ask(fork.ready.serviceUrl, 'orderbook', { chain: 'local' })
    expect(body[0]).toMatchObject({ side: 'bid', minimum_in_base: 0.01 })
    expect(body[0].levels.slice(0, 2)).toEqual([
      [0.01, 3000],
      [9.99, 3000],
    ])
  })

  const refusal = JSON.stringify({ success: false, code: 'LAST_LOOK', message: 'not now' })
  const atSigning =
    (status: number, text: string) =>
    async ({ path, pass }: Parameters<Parameters<typeof proxy.lie>[0]>[0]) =>
      path.startsWith('/v1/sign') ? { status, text } : pass()

  test('a refusal at signing is counted as that, and the next best route takes its place', async () => {
    const names = [
      'maker_refused_at_signing_total',
      'maker_refused_at_quote_total',
      'maker_timeout_total',
    ]
    const before = await counted(names)
    proxy.lie(atSigning(409, refusal))
    const quote = await firm('1')
    expect(quote.source).toMatch(/^univ2:/)
    expect(await counted(names)).toEqual({
      ...before,
      maker_refused_at_signing_total: Number(before.maker_refused_at_signing_total) + 1,
    })
    expect(await metric('reserved_inventory')).toBe(0)
  })

  test('where nobody else takes it, the answer is a 503 with its own code', async () => {
    proxy.lie(atSigning(409, refusal))
    // DAI is bought with WETH from the maker alone.
    const { status, body } = await request('firm-quote', '1', {
      token_out: fork.ready.tokens.DAI?.address ?? '',
    })
    expect({ status, code: body.code }).toEqual({ status: 503, code: 301016 })
  })

  test('a maker that does not answer within half a second is passed over', async () => {
    const before = await metric('maker_timeout_total')
    const answered = Promise.withResolvers<void>()
    proxy.lie(async ({ path, pass }) => {
      if (path.startsWith('/v1/sign')) {
        deadlines.passNewest(500)
        await answered.promise
      }
      return pass()
    })
    // The maker is still silent by then.
    expect((await firm('1')).source).toMatch(/^univ2:/)
    answered.resolve()
    expect(await metric('maker_timeout_total')).toBe(before + 1)
  })

  const stranger = privateKeyToAccount(`0x${'7'.repeat(64)}`)
  type Signed = { order: Record<string, string>; signature: string }
  const lies: Record<string, (answer: Signed) => Promise<Signed> | Signed> = {
    'another amount': (answer) => ({
      ...answer,
      order: { ...answer.order, buyerTokenAmount: '1' },
    }),
    'a later deadline': (answer) => ({
      ...answer,
      order: { ...answer.order, deadlineTimestamp: '99999999999' },
    }),
    "somebody else's signature": async (answer) => ({
      ...answer,
      signature: await stranger.sign({ hash: `0x${'1'.repeat(64)}` }),
    }),
    'a signature with its last byte changed': ({ order, signature }) => ({
      order,
      signature: signature.slice(0, -2) + (signature.endsWith('1b') ? '1c' : '1b'),
    }),
    'no signature': ({ order }) => ({ order, signature: '0x' }),
    'a field too many': (answer) => ({ ...answer, order: { ...answer.order, extra: '1' } }),
  }
  test.each(Object.keys(lies))('a lie is not passed on: %s', async (name) => {
    const before = await metric('maker_invalid_total')
    proxy.lie(async ({ path, pass }) => {
      const { status, text } = await pass()
      if (!path.startsWith('/v1/sign') || status !== 200) return { status, text }
      return { status, text: JSON.stringify(await lies[name]?.(JSON.parse(text))) }
    })
    expect((await firm('1')).source).toMatch(/^univ2:/)
    expect(await metric('maker_invalid_total')).toBe(before + 1)
  })

  test.each([
    ['not JSON', '<html>'],
    ['nothing', ''],
    ['a level better than the one before', 'better'],
    ['an endless price', 'endless'],
    ["another maker's book", 'other'],
  ])('levels that make no sense are counted as that: %s', async (_name, how) => {
    const before = await metric('maker_invalid_total')
    proxy.lie(async ({ path, pass }) => {
      const answer = await pass()
      if (!path.startsWith('/v1/levels')) return answer
      const changed: Record<string, (text: string) => string> = {
        better: (text) => text.replaceAll('[15,2990]', '[15,3001]'),
        endless: (text) => text.replaceAll('[15,2990]', '[15,1e999]'),
        other: (text) => text.replace(/"maker":"0x..../, '"maker":"0x1234'),
      }
      return { status: 200, text: changed[how]?.(answer.text) ?? how }
    })
    await until(async () => (await metric('maker_invalid_total')) > before)
  })

  test('levels older than five seconds are not offered', async () => {
    /** When the next but one begins, the next has come. */
    const pastNextPoll = async () => {
      const before = polls()
      await until(() => polls() > before + 1)
    }
    stoppedAt = systemClock.now()
    await pastNextPoll()
    proxy.lie(async ({ path, pass }) =>
      path.startsWith('/v1/levels') ? { status: 200, text: '{}' } : pass(),
    )
    await pastNextPoll()
    stoppedAt += 4_999
    expect(await sourceOf('1')).toBe('maker-a')
    stoppedAt += 2
    expect(await sourceOf('1')).toBe('pool')
    // Nor shown any longer, though no block has come in between.
    const { body } = await ask(fork.ready.serviceUrl, 'orderbook', { chain: 'local' })
    expect(body).toEqual([])
  })

  test('levels of a maker that is away are not offered when the clock is set back', async () => {
    const before = polls()
    proxy.lie(async ({ path, pass }) =>
      path.startsWith('/v1/levels') ? { status: 200, text: '{}' } : pass(),
    )
    await until(() => polls() > before + 1)
    const now = systemClock.now()
    for (const time of [now - 60_000, now]) {
      stoppedAt = time
      // The service does not know how old its last block is either.
      await fork.rpc.request(anvilCalls.mine)
      expect((await request('indicative-quote', '1')).status).toBe(200)
      expect(await sourceOf('1')).toBe('pool')
    }
  })

  test('a refusal to publish is counted apart', async () => {
    const before = await metric('maker_refused_at_quote_total')
    proxy.lie(async ({ path, pass }) =>
      path.startsWith('/v1/levels') ? { status: 503, text: refusal } : pass(),
    )
    await until(async () => (await metric('maker_refused_at_quote_total')) > before)
  })

  test('a maker that fails five times in a row is left alone, and asked again later', async () => {
    proxy.lie(atSigning(409, refusal))
    for (let count = 0; count < 5; count += 1) await firm('1')
    const asked = () => proxy.seen.filter((path) => path === '/v1/sign').length
    const before = asked()
    for (let count = 0; count < 5; count += 1) expect((await firm('1')).source).toMatch(/^univ2:/)
    expect(asked()).toBe(before)
    expect(await sourceOf('1')).toBe('pool')
    // A clock that stands, or was set back, makes the rest no longer.
    stoppedAt = systemClock.now()
    await fork.rpc.request(anvilCalls.mine)
    await until(async () => (await sourceOf('1')) === 'maker-a')
  })

  test('concurrent firm quotes: as many as it has, all from it, none twice', async () => {
    // 45 WETH of depth at 3000, 2990 and 2980, for 134,450 USDC of a million it holds: several depths are signed.
    const answers = await Promise.all(Array.from({ length: 40 }, () => request('firm-quote', '5')))
    const paid = answers
      .flatMap(({ body }) => firmQuote.response.parse(body).orders)
      .filter(({ signer }) => signer === fork.ready.makers['maker-a']?.address)
      .reduce((sum, { buyerTokenAmount }) => sum + BigInt(buyerTokenAmount), 0n)
    expect(paid).toBeGreaterThan(0n)
    expect(paid).toBeLessThanOrEqual(1_000_000n * 10n ** 6n)
  })
})
