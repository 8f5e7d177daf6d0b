import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { firmQuote } from '../../../src/api/firmQuote.ts'
import { systemClock } from '../../../src/core/clock.ts'
import { anvilCalls } from '../../../src/sandbox/startAnvil.ts'
import { ask } from '../../support/ask.ts'
import { type Fork, forkOrigin } from '../../support/forkOrigin.ts'
import { settleQuote } from '../../support/settleQuote.ts'

/** Two pairs that are paid in the same dollars, and no pool that could take over. */
let fork: Fork
beforeAll(async () => {
  fork = await forkOrigin({
    mining: 'auto',
    world: (world) => ({
      ...world,
      pools: [],
      makers: world.makers.map((maker) => ({
        ...maker,
        books: [
          {
            pair: ['WETH', 'USDC'],
            bid: [['400', '12500']],
            ask: [['400', '13000']],
            minimumInBase: '0.01',
          },
          { pair: ['TETHER', 'USDC'], bid: [['90000', '100']], ask: [], minimumInBase: '1' },
        ],
      })),
    }),
  })
})
afterAll(() => fork?.close())

const treasury = () => {
  const wallet = fork.ready.wallets.treasury
  if (wallet === undefined) throw new Error('no treasury')
  return wallet
}
const firm = async (sell: string, amount: string, expiry_time = '60') => {
  const { status, body } = await ask(fork.ready.serviceUrl, 'firm-quote', {
    chain: 'local',
    token_in: fork.ready.tokens[sell]?.address,
    token_out: fork.ready.tokens.USDC?.address,
    amount,
    expiry_time,
    from_address: treasury().address,
  })
  return {
    status,
    code: body.code,
    quote: status === 200 ? firmQuote.response.parse(body) : undefined,
  }
}
/** In dollars, from the metrics an operator sees. */
const reserved = async () => {
  const text = await (await fetch(`${fork.ready.serviceUrl}/metrics`)).text()
  const row = /^reserved_inventory\{maker="maker-a",token="USDC"\} (\S+)$/m.exec(text)
  return Number(row?.[1])
}
const rpcCall = (method: string, params: readonly unknown[]) =>
  fork.rpc.request({ method, params, parse: (answer) => answer })

describe('reservations', () => {
  test('hundreds of concurrent firm quotes never promise more than there is, and all of them settle', async () => {
    // 1,000,000 USDC; each quote pays 30,000, through one pair or the other.
    const answers = await Promise.all(
      Array.from({ length: 300 }, (_, index) =>
        index % 2 === 0 ? firm('WETH', '2.4') : firm('TETHER', '300'),
      ),
    )
    const quotes = answers.flatMap(({ quote }) => (quote === undefined ? [] : [quote]))
    const promised = quotes.reduce((sum, { amountOut }) => sum + BigInt(amountOut), 0n)
    expect(quotes).toHaveLength(33)
    expect(promised).toBeLessThanOrEqual(1_000_000n * 10n ** 6n)
    // What did not fit any more was refused as such.
    for (const { status, code } of answers.filter(({ quote }) => quote === undefined))
      expect([status, code]).toEqual([422, 101010])
    expect(await reserved()).toBe(Number(promised / 10n ** 6n))

    for (const quote of quotes) {
      const { receipt, received } = await settleQuote(fork.rpc, {
        quote,
        privateKey: treasury().privateKey,
      })
      expect(receipt.success).toBe(true)
      expect(received).toBe(BigInt(quote.amountOut))
    }
    // What was paid is no longer promised, and not there a second time either: 10,000 are left.
    expect((await firm('TETHER', '101')).status).toBe(422)
    expect(await reserved()).toBe(0)
    expect((await firm('TETHER', '100')).status).toBe(200)
    expect(await reserved()).toBe(10_000)
  })

  test('when the deadlines have passed, exactly nothing is reserved', async () => {
    await fork.rpc.request(anvilCalls.setTime(Math.floor(systemClock.now() / 1_000) + 300))
    await fork.rpc.request(anvilCalls.mine)
    expect((await firm('TETHER', '1000000000')).status).toBe(422)
    expect(await reserved()).toBe(0)
  })

  test('a reorganisation that undoes a fill promises it again', async () => {
    const { quote } = await firm('WETH', '0.1', '120')
    if (quote === undefined) throw new Error('not quoted')
    const amount = Number(quote.amountOut) / 1e6
    const snapshot = await rpcCall('evm_snapshot', [])
    await settleQuote(fork.rpc, { quote, privateKey: treasury().privateKey })
    await firm('TETHER', '1000000000')
    expect(await reserved()).toBe(0)
    await rpcCall('evm_revert', [snapshot])
    await firm('TETHER', '1000000000')
    expect(await reserved()).toBe(amount)
    const { receipt } = await settleQuote(fork.rpc, { quote, privateKey: treasury().privateKey })
    expect(receipt.success).toBe(true)
    await firm('TETHER', '1000000000')
    expect(await reserved()).toBe(0)
  })

  test('the order book shows what is left, in a version of its own', async () => {
    const book = () => ask(fork.ready.serviceUrl, 'orderbook', { chain: 'local' })
    const depth = (body: { side: string; levels: [number, number][] }[]) =>
      body.find(({ side }) => side === 'bid')?.levels.reduce((sum, [amount]) => sum + amount, 0)
    const before = await book()
    await firm('WETH', '0.2')
    const after = await book()
    expect(after.headers.get('etag')).not.toBe(before.headers.get('etag'))
    expect(depth(after.body)).toBeLessThan(depth(before.body) ?? 0)
  })
})
