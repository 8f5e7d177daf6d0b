import { once } from 'node:events'
import { connect } from 'node:net'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { createDigests } from '../../../../src/chain/crypto/createDigests.ts'
import { recoverSigner } from '../../../../src/chain/crypto/recoverSigner.ts'
import type { Order } from '../../../../src/chain/settlement/order.ts'
import { systemClock } from '../../../../src/core/clock.ts'
import { accountsOf } from '../../../../src/sandbox/accounts.ts'
import { type RunningMaker, startMaker } from '../../../../src/sandbox/startMaker.ts'
import { orderInJson } from '../../../../src/service/makers/http/protocol.ts'
import { type Fork, forkOrigin } from '../../../support/forkOrigin.ts'
import { silent } from '../../../support/silent.ts'

let fork: Fork
let maker: RunningMaker
const start = (name: string) =>
  startMaker({
    rpc: fork.rpc,
    world: fork.world,
    accounts: accountsOf(fork.world),
    deployment: inject('origin').deployment,
    name,
    apiKey: 'a-key-for-makers',
    clock: systemClock,
    log: silent,
  })
beforeAll(async () => {
  fork = await forkOrigin({ mining: 'auto' })
  maker = await start('maker-a')
})
afterAll(async () => {
  await maker?.close()
  await fork?.close()
})

const call = async (path: string, body?: unknown, apikey = 'a-key-for-makers') => {
  const answer = await fetch(maker.url + path, {
    method: body === undefined ? 'GET' : 'POST',
    headers: { apikey, ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  // biome-ignore lint/suspicious/noExplicitAny: tests look into bodies of every shape.
  return { status: answer.status, body: (await answer.json()) as any }
}
let nextId = 1_000n
/** Sells one WETH at 3000: the first level of the book. */
const order = (change: Partial<Order> = {}): Order => {
  const { tokens, wallets, makers } = fork.ready
  const [WETH, USDC] = [tokens.WETH?.address, tokens.USDC?.address]
  const [treasury, own] = [wallets.treasury?.address, makers['maker-a']?.address]
  if (!WETH || !USDC || !treasury || !own) throw new Error('not the fixed world')
  nextId += 1n
  return {
    id: nextId,
    signer: own,
    buyer: own,
    seller: treasury,
    buyerToken: USDC,
    sellerToken: WETH,
    buyerTokenAmount: 3_000_000_000n,
    sellerTokenAmount: 10n ** 18n,
    caller: treasury,
    quoteId: `0x${'ab'.repeat(16)}`,
    deadlineTimestamp: BigInt(Math.floor(systemClock.now() / 1_000) + 60),
    ...change,
  }
}
const question = (asked: Order, domain: object = {}) => ({
  chainId: 31337,
  router: fork.ready.router,
  ...domain,
  order: orderInJson(asked),
})

describe('maker server', () => {
  test('publishes its book for every expiry it is asked about and gives', async () => {
    const { body } = await call('/v1/levels?expiries=10,60,121')
    expect(body.maker).toBe(fork.ready.makers['maker-a']?.address)
    expect(body.books.map(({ expirySeconds }: { expirySeconds: number }) => expirySeconds)).toEqual(
      [10, 60],
    )
    expect(body.books[0].rows[0].levels[0]).toEqual([10, 3000])
  })

  test('signs what its levels promise, and echoes the order', async () => {
    const asked = order()
    const { status, body } = await call('/v1/sign', question(asked))
    expect(status).toBe(200)
    expect(body.order).toEqual(orderInJson(asked))
    const digest = createDigests({ chainId: 31337, router: fork.ready.router }).order(asked)
    expect(await recoverSigner(digest, body.signature)).toBe(asked.signer)
  })

  test('a service whose clock is a second ahead is signed for', async () => {
    const deadlineTimestamp = soon() + 121n
    expect((await call('/v1/sign', question(order({ deadlineTimestamp })))).status).toBe(200)
  })

  const soon = () => BigInt(Math.floor(systemClock.now() / 1_000))
  test.each<[string, () => Partial<Order>, object, string]>([
    [
      'a wei more than its levels pay',
      () => ({ buyerTokenAmount: 3_000_000_001n }),
      {},
      'PRICE_MOVED',
    ],
    ['a pair it does not trade', () => ({ sellerToken: fork.ready.router }), {}, 'PRICE_MOVED'],
    [
      'less than its minimum',
      () => ({ sellerTokenAmount: 10n ** 15n, buyerTokenAmount: 1n }),
      {},
      'PRICE_MOVED',
    ],
    ['a deadline too far away', () => ({ deadlineTimestamp: soon() + 1_000n }), {}, 'BAD_DEADLINE'],
    ['a deadline that has passed', () => ({ deadlineTimestamp: soon() - 5n }), {}, 'BAD_DEADLINE'],
    ['another signer', () => ({ signer: fork.ready.router }), {}, 'OTHER_MAKER'],
    ['other funds', () => ({ buyer: fork.ready.router }), {}, 'OTHER_MAKER'],
    ['another router', () => ({}), { router: `0x${'1'.repeat(40)}` }, 'OTHER_ROUTER'],
    ['another chain', () => ({}), { chainId: 1 }, 'OTHER_ROUTER'],
  ])('refuses %s', async (_name, change, domain, code) => {
    expect(await call('/v1/sign', question(order(change()), domain))).toMatchObject({
      status: 409,
      body: { success: false, code },
    })
  })

  test('signs an id once', async () => {
    const asked = order()
    expect((await call('/v1/sign', question(asked))).status).toBe(200)
    expect(await call('/v1/sign', question(asked))).toMatchObject({
      status: 409,
      body: { code: 'INVENTORY' },
    })
  })

  test.each([
    ['no body', ''],
    ['a number where text is signed', { order: { id: 1 } }],
    ['a list', []],
  ])('refuses %s as unreadable', async (_name, body) => {
    expect(await call('/v1/sign', body)).toMatchObject({ status: 400, body: { success: false } })
  })

  test.each(['', 'expiries=', 'expiries=-1', 'expiries=1e3', `expiries=${'1,'.repeat(40)}1`])(
    'refuses the durations "%s"',
    async (query) => {
      expect((await call(`/v1/levels?${query}`)).status).toBe(400)
    },
  )

  test.for([
    ['/v1/levels?expiries=10&expiries=20', 400, 'BAD_REQUEST'],
    ['/v1/levels', 400, 'BAD_REQUEST'],
    ['/v1/nothing', 404, 'NOT_FOUND'],
    ['/v1/%ff', 400, 'BAD_REQUEST'],
  ] as const)('%s: a refusal in its own words', async ([path, status, code]) => {
    expect(await call(path)).toEqual({
      status,
      body: { success: false, code, message: expect.any(String) },
    })
  })

  test('needs the key it was given', async () => {
    expect((await call('/v1/levels?expiries=60', undefined, 'another')).status).toBe(401)
    expect((await call('/v1/sign', question(order()), '')).status).toBe(401)
  })

  test('concurrent orders beyond what it holds: it signs what it can pay', async () => {
    // 1,000,000 USDC less what is promised above; each asks for 134,450 of them, all of the 45 WETH of depth.
    const answers = await Promise.all(
      Array.from({ length: 30 }, () =>
        call(
          '/v1/sign',
          question(
            order({ sellerTokenAmount: 45n * 10n ** 18n, buyerTokenAmount: 134_450_000_000n }),
          ),
        ),
      ),
    )
    const signed = answers.filter(({ status }) => status === 200)
    expect(signed).toHaveLength(7)
  })
})

test('a question that comes too slowly is not waited for', async () => {
  const { hostname, port } = new URL(maker.url)
  const slow = connect(Number(port), hostname).resume()
  slow.write(
    'POST /v1/sign HTTP/1.1\r\nhost: x\r\napikey: a-key-for-makers\r\ncontent-length: 9\r\n\r\n{',
  )
  await once(slow, 'close')
})

test('a maker that the world does not have is not started', async () => {
  await expect(start('maker-x')).rejects.toMatchObject({
    ...{
      code: 'NO_SUCH_MAKER',
      facts: { makers: fork.world.makers.map(({ name }) => name).join(' ') },
    },
  })
})
