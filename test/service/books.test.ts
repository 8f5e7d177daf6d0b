import { encodeFunctionData } from 'viem'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { orderbook } from '../../src/api/orderbook.ts'
import { erc20Abi } from '../../src/chain/abi/contracts.ts'
import { fractionOf } from '../../src/core/fractionOf.ts'
import { ask } from '../support/ask.ts'
import { type Fork, forkOrigin } from '../support/forkOrigin.ts'
import { transact } from '../support/transact.ts'

let fork: Fork
beforeAll(async () => {
  fork = await forkOrigin({
    mining: 'auto',
    world: (world) => ({
      ...world,
      service: { ...world.service, apiKeys: ['key-one', 'key-two'] },
    }),
  })
})
afterAll(() => fork?.close())

const book = async () => {
  const { body } = await ask(
    fork.ready.serviceUrl,
    'orderbook',
    { chain: 'local' },
    { apiKey: fork.ready.apiKey },
  )
  return orderbook.response.parse(body)
}

describe('chains', () => {
  test('one chain, as the specification describes it', async () => {
    const { body } = await ask(fork.ready.serviceUrl, 'chains', {}, { apiKey: 'key-two' })
    expect(body).toEqual([
      { chainId: 31337, chain: 'local', label: 'Local', token: 'ETH', isMainnet: false },
    ])
  })
})

describe('keys', () => {
  test.each(['apiKey', 'apikey', 'api_key', 'API_KEY'])('the header may be %s', async (header) => {
    expect((await ask(fork.ready.serviceUrl, 'chains', {}, { [header]: 'key-one' })).status).toBe(
      200,
    )
  })

  test.each(['chains', 'orderbook', 'indicative-quote', 'firm-quote'])(
    '%s needs one, before anything else is looked at',
    async (path) => {
      for (const headers of [
        {},
        { apiKey: '' },
        { apiKey: 'key-on' },
        { apiKey: 'key-one ,key-two' },
      ])
        expect(await ask(fork.ready.serviceUrl, path, {}, headers)).toMatchObject({
          status: 401,
          body: {
            success: false,
            code: 201001,
            message: expect.stringMatching(/^auth get api key is invalid/),
          },
        })
    },
  )
})

describe('orderbook', () => {
  test('rows of the fixed books, in the order they are written', async () => {
    const { WETH, USDC, DAI } = fork.ready.tokens
    const pair = (quote: string, quote_address = USDC?.address) => ({
      base_symbol: 'WETH',
      base_address: WETH?.address,
      quote_symbol: quote,
      quote_address,
    })
    const rows = await book()
    // The first level ends at the minimum; with what is left of it, it is the maker's.
    expect(rows.slice(0, 3)).toEqual([
      {
        ...pair('USDC'),
        levels: [
          [0.01, 3000],
          [9.99, 3000],
          [15, 2990],
          [20, 2980],
        ],
        side: 'bid',
        minimum_in_base: 0.01,
      },
      {
        ...pair('USDC'),
        levels: [
          [0.01, 3010],
          [9.99, 3010],
          [15, 3020],
          [20, 3030],
        ],
        side: 'ask',
        minimum_in_base: 0.01,
      },
      {
        ...pair('DAI', DAI?.address),
        levels: [
          [0.5, 2999.5],
          [4.5, 2999.5],
        ],
        side: 'bid',
        minimum_in_base: 0.5,
      },
    ])

    // The ask once more, as a bid for its quote token, behind all others. It never promises more than the ask.
    const [mirrored, ...others] = rows.slice(3)
    expect(others).toEqual([])
    const { levels = [], minimum_in_base = 0, ...listed } = mirrored ?? {}
    expect(listed).toEqual({
      base_symbol: 'USDC',
      base_address: USDC?.address,
      quote_symbol: 'WETH',
      quote_address: WETH?.address,
      side: 'bid',
    })
    expect(minimum_in_base).toBeGreaterThanOrEqual(30.1)
    expect(minimum_in_base).toBeCloseTo(30.1, 10)
    expect(levels).toHaveLength(4)
    for (const [index, [amount = 0, price = 0] = []] of [
      [0.01, 3010],
      [9.99, 3010],
      [15, 3020],
      [20, 3030],
    ].entries()) {
      const [cost = 0, back = 0] = levels[index] ?? []
      expect(cost).toBeLessThanOrEqual(amount * price)
      expect(cost / (amount * price)).toBeCloseTo(1, 12)
      expect(fractionOf(back).numerator * BigInt(price)).toBeLessThanOrEqual(
        fractionOf(back).denominator,
      )
      expect(back * price).toBeCloseTo(1, 12)
    }
  })

  test('a maker never offers more than it holds, nor more than it approved', async () => {
    const { WETH, USDC, DAI } = fork.ready.tokens
    const maker = fork.ready.makers['maker-a']
    if (!WETH || !USDC || !DAI || !maker) throw new Error('not the fixed world')
    const byMaker = (to: `0x${string}`, data: `0x${string}`) =>
      transact(fork.rpc, { privateKey: maker.privateKey, to, data })
    const sent = (to: `0x${string}`, amount: bigint) =>
      byMaker(
        to,
        encodeFunctionData({
          abi: erc20Abi,
          functionName: 'transfer',
          args: ['0x000000000000000000000000000000000000bEEF', amount],
        }),
      )
    const approved = (to: `0x${string}`, amount: bigint) =>
      byMaker(
        to,
        encodeFunctionData({
          abi: erc20Abi,
          functionName: 'approve',
          args: [fork.ready.router, amount],
        }),
      )

    // 40,000 USDC are left: 10 at 3000, then 10,000 / 2990 = 3.344481605351170568…, cut to 15 digits.
    await sent(USDC.address, 960_000n * 10n ** 6n)
    // 12 WETH are approved: 10 at 3010 and 2 at 3020.
    await approved(WETH.address, 12n * 10n ** 18n)
    // Less DAI than half a WETH is worth: below the maker's own minimum, so the row is gone.
    await approved(DAI.address, 1_000n * 10n ** 18n)
    expect((await book()).slice(0, 2).map(({ side, levels }) => ({ side, levels }))).toEqual([
      {
        side: 'bid',
        levels: [
          [0.01, 3000],
          [9.99, 3000],
          [3.34448160535117, 2990],
        ],
      },
      {
        side: 'ask',
        levels: [
          [0.01, 3010],
          [9.99, 3010],
          [2, 3020],
        ],
      },
    ])

    const quote = (token_in: string, token_out: string, amount: string) =>
      ask(
        fork.ready.serviceUrl,
        'indicative-quote',
        {
          chain: 'local',
          token_in,
          token_out,
          amount,
          from_address: maker.address,
        },
        { apiKey: 'key-one' },
      )
    const exact = await quote(WETH.address, USDC.address, '13.34448160535117')
    expect(exact.body.buyerTokenAmountWei).toBe('39999999999')
    // A wei more needs the pool as well, which then takes what it pays more for than the second level.
    const beyond = await quote(WETH.address, USDC.address, '13.344481605351170001')
    expect(beyond.body.buyerTokenAmountWei).toBe('40000083849')
  })
})
