import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { getBlock } from '../../src/chain/calls/node.ts'
import { systemClock } from '../../src/core/clock.ts'
import { nativeAddress } from '../../src/core/token.ts'
import { anvilCalls } from '../../src/sandbox/startAnvil.ts'
import type { Service } from '../../src/service/createService.ts'
import { ask } from '../support/ask.ts'
import { type Fork, forkOrigin } from '../support/forkOrigin.ts'
import { serveDesk } from '../support/serveDesk.ts'

/** A desk as `service.yaml` describes it, with the limits that it has by itself. */
let fork: Fork
let service: Service
let serviceUrl: string
beforeAll(async () => {
  fork = await forkOrigin({ mining: 'auto' })
  ;({ service, serviceUrl } = await serveDesk(fork))
})
afterAll(async () => {
  await service?.close()
  await fork?.close()
})

const keys = ['the-key-of-one-desk', 'the-key-of-another']
const poor = '0x00000000000000000000000000000000000000ab'
const treasury = () => fork.ready.wallets.treasury?.address ?? ''

async function quote(
  kind: 'firm-quote' | 'indicative-quote',
  amount: string,
  { from = treasury(), sell = 'WETH', url = serviceUrl, buy = 'USDC', key = '' } = {},
) {
  const address = (symbol: string) =>
    symbol === 'ETH' ? nativeAddress : fork.ready.tokens[symbol]?.address
  const parameters = {
    ...{ chain: 'local', token_in: address(sell), token_out: address(buy), amount },
    ...{ from_address: from, expiry_time: '120' },
  }
  const { status, body } = await ask(url, kind, parameters, key === '' ? {} : { apikey: key })
  return { status, code: body.code as number | undefined, wei: body.buyerTokenAmountWei, body }
}

describe('a taker without the amount', () => {
  test('reserves nothing, however often it tries, and moves the price of no other', async () => {
    const before = await quote('indicative-quote', '1')
    const answers = await Promise.all(
      Array.from({ length: 33 }, () => quote('firm-quote', '10', { from: poor })),
    )
    expect(answers.map(({ status, code }) => [status, code])).toEqual(
      answers.map(() => [422, 101012]),
    )
    expect(answers[0]?.body).toMatchObject({
      success: false,
      statusCode: 422,
      message: expect.stringMatching(/^from_address does not hold that much WETH at block \d+\.$/),
    })
    expect(await quote('indicative-quote', '1')).toEqual(before)
  })

  test('is told the price, and gets a firm quote once it holds the amount, approved or not', async () => {
    const from = '0x00000000000000000000000000000000000000ac'
    expect((await quote('indicative-quote', '1', { from, sell: 'ETH' })).status).toBe(200)
    expect(await quote('firm-quote', '1', { from, sell: 'ETH' })).toMatchObject({ code: 101012 })
    await fork.rpc.request(anvilCalls.setBalance(from, 10n ** 18n))
    // The balance is that of the quoting block.
    await fork.rpc.request(anvilCalls.mine)
    expect((await quote('firm-quote', '1', { from, sell: 'ETH' })).status).toBe(200)
    expect((await quote('firm-quote', '1.000000000000000001', { from, sell: 'ETH' })).code).toBe(
      101012,
    )
  })

  test('is not waited for until the block is too old to quote from', async () => {
    let shiftMs = 0
    const rpc = {
      ...fork.rpc,
      request: (async (call) => {
        if (call.method === 'eth_call') shiftMs += 86_400_000
        return fork.rpc.request(call)
      }) as typeof fork.rpc.request,
    }
    const clock = { ...systemClock, now: () => systemClock.now() + shiftMs }
    const desk = await serveDesk(fork, { rpc, clock })
    const { status, code } = await quote('firm-quote', '1', { url: desk.serviceUrl })
    await desk.service.close()
    expect([status, code]).toEqual([503, 171009])
  })

  test('is served by a desk that ignores balances', async () => {
    const desk = await serveDesk(fork, {}, { takers: { balance: 'ignored' } })
    const { status } = await quote('firm-quote', '1', { from: poor, url: desk.serviceUrl })
    await desk.service.close()
    expect(status).toBe(200)
  })
})

describe('a taker that holds the amount', () => {
  test('holds back a quarter of a maker at most, and leaves the rest to other keys, also of that taker', async () => {
    const desk = await serveDesk(fork, { apiKeys: keys }, { pools: [] })
    const [at, elsewhere] = keys.map((key) => ({ url: desk.serviceUrl, key }))
    const rich = '0x00000000000000000000000000000000000000ad'
    await fork.rpc.request(anvilCalls.setBalance(rich, 10n ** 24n))
    await fork.rpc.request(anvilCalls.mine)
    const taken = await Promise.all(
      Array.from({ length: 33 }, () =>
        quote('firm-quote', '10', { ...at, from: rich, sell: 'ETH' }),
      ),
    )
    const signed = taken.filter(({ status }) => status === 200)
    const promised = signed.reduce((sum, { body }) => sum + BigInt(body.amountOut), 0n)
    const text = await (await fetch(`${desk.serviceUrl}/metrics`)).text()
    const others = await Promise.all([
      quote('firm-quote', '10', at),
      quote('firm-quote', '10', { ...elsewhere, from: rich, sell: 'ETH' }),
    ])
    await desk.service.close()
    expect(signed.length).toBeGreaterThan(0)
    expect(promised).toBeLessThanOrEqual(250_000n * 10n ** 6n)
    expect(
      Number(/^reserved_inventory\{maker="maker-a",token="USDC"\} (\S+)$/m.exec(text)?.[1]),
    ).toBe(Number(promised) / 1e6)
    expect(taken.filter(({ code }) => code === 101010)).toHaveLength(33 - signed.length)
    expect(others.map(({ status, body }) => body.amountOut ?? status)).toEqual([422, '30000000000'])
  })

  test('without keys, the takers of one address have one share', async () => {
    const desk = await serveDesk(fork, {}, { pools: [] })
    const at = { url: desk.serviceUrl, sell: 'ETH' }
    const rich = '0x00000000000000000000000000000000000000ae'
    await fork.rpc.request(anvilCalls.setBalance(rich, 10n ** 24n))
    await fork.rpc.request(anvilCalls.mine)
    for (let nth = 0; nth < 9; nth++) await quote('firm-quote', '10', { ...at, from: rich })
    const other = await quote('firm-quote', '10', at)
    await desk.service.close()
    expect(other).toMatchObject({ status: 422, code: 101010 })
  })

  test('loses nothing by quotes that another key lets lapse in its name', async () => {
    const desk = await serveDesk(fork, { apiKeys: keys }, { pools: [] })
    const [at = {}, elsewhere] = keys.map((key) => ({ url: desk.serviceUrl, key }))
    for (let nth = 0; nth < 24; nth++)
      expect(await quote('firm-quote', '0.01', at)).toMatchObject({ status: 200 })
    const { timestamp = 0 } = (await fork.rpc.request(getBlock('latest'))) ?? {}
    await fork.rpc.request(anvilCalls.setTime(timestamp + 200))
    await fork.rpc.request(anvilCalls.mine)
    const answers = await Promise.all([
      quote('firm-quote', '40', at),
      quote('firm-quote', '40', elsewhere),
    ])
    await desk.service.close()
    expect(answers.map(({ status }) => status)).toEqual([422, 200])
  })
})

describe('an amount that the best price is no measure of', () => {
  test.each(['100000000', '1000'])('%s WETH is too much, not a price', async (amount) => {
    const answer = await quote('indicative-quote', amount)
    expect(answer).toMatchObject({ status: 422, code: 101010 })
    expect(answer.body.message).toMatch(/^amount exceeds what is available/)
  })

  test('the limit is the desk’s own', async () => {
    const at = async (maxImpact: string, amount: string) => {
      const desk = await serveDesk(fork, {}, { maxImpact })
      const { status } = await quote('indicative-quote', amount, { url: desk.serviceUrl })
      await desk.service.close()
      return status
    }
    expect(await at('10000 bps', '100000000')).toBe(200)
    expect(await at('100 bps', '60')).toBe(200)
    expect(await at('70 bps', '60')).toBe(422)
  })

  test('the rounding of a tiny amount is no impact', async () => {
    expect((await quote('indicative-quote', '0.0000000007', { sell: 'WETH' })).status).toBe(200)
  })
})
