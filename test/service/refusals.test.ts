import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { failure } from '../../src/api/failure.ts'
import { ask } from '../support/ask.ts'
import { type Fork, forkOrigin } from '../support/forkOrigin.ts'

let fork: Fork
beforeAll(async () => {
  fork = await forkOrigin({ mining: 'auto' })
})
afterAll(() => fork?.close())

type Parameters = Readonly<Record<string, string | readonly string[] | undefined>>

/** A request that is answered; each refusal changes something in it. */
const good = (): Parameters => ({
  src_chain: 'local',
  dst_chain: 'local',
  token_in: fork.ready.tokens.WETH?.address,
  token_out: fork.ready.tokens.USDC?.address,
  amount: '1',
  from_address: fork.ready.wallets.treasury?.address,
})

const stranger = '0x000000000000000000000000000000000000bEEF'

describe.each(['indicative-quote', 'firm-quote'])('%s', (path) => {
  test('accepts the request the refusals below are made from', async () => {
    expect((await ask(fork.ready.serviceUrl, path, good())).status).toBe(200)
  })

  test.each<[string, Parameters]>([
    ['chain alone', { src_chain: undefined, dst_chain: undefined, chain: 'local' }],
    ['chain in capitals', { src_chain: 'LOCAL', dst_chain: 'Local' }],
    ['chain by its number', { src_chain: '31337', dst_chain: 'local' }],
    ['all three agreeing', { chain: 'local' }],
    ['an empty to_address', { to_address: '' }],
    ['lower-case addresses', { from_address: stranger.toLowerCase() }],
    ['names it does not know', { version: '4', allow_multihop: 'false', deadline_timestamp: '1' }],
    ['beneficiary_address', { beneficiary_address: stranger }],
  ])('accepts %s', async (_name, change) => {
    expect((await ask(fork.ready.serviceUrl, path, { ...good(), ...change })).status).toBe(200)
  })

  test('accepts address instead of from_address', async () => {
    const { from_address: address, ...rest } = good()
    expect((await ask(fork.ready.serviceUrl, path, { ...rest, address })).status).toBe(200)
  })

  test.each<[string, Parameters, number, number]>([
    ['no chain', { src_chain: undefined, dst_chain: undefined }, 400, 131004],
    ['only a source chain', { dst_chain: undefined }, 400, 131004],
    ['chain against src_chain', { chain: 'other' }, 400, 131004],
    ['an unknown chain', { src_chain: 'moon', dst_chain: 'moon' }, 400, 131005],
    ['another destination', { dst_chain: 'moon' }, 422, 131006],

    ['no amount', { amount: undefined }, 400, 131004],
    ['empty amounts', { amount: '', amount_wei: '' }, 400, 131004],
    ['both amounts', { amount_wei: '1000000000000000000' }, 400, 131004],
    ['nothing', { amount: '0' }, 400, 131004],
    ['nothing, spelled out', { amount: '0.000' }, 400, 131004],
    ['no wei', { amount: undefined, amount_wei: '0' }, 400, 131004],
    ['an endless amount', { amount: undefined, amount_wei: '9'.repeat(78) }, 400, 131004],
    ['a sign', { amount: '-1' }, 400, 131003],
    ['a plus', { amount: '+1' }, 400, 131003],
    ['an exponent', { amount: '1e3' }, 400, 131003],
    ['not a number', { amount: 'NaN' }, 400, 131003],
    ['hex', { amount: '0x10' }, 400, 131003],
    ['a space', { amount: ' 1' }, 400, 131003],
    ['a comma', { amount: '1,5' }, 400, 131003],
    ['a leading zero', { amount: '01' }, 400, 131003],
    ['19 decimals of 18', { amount: '1.0000000000000000001' }, 400, 131003],
    ['a fraction of a wei', { amount: undefined, amount_wei: '1.5' }, 400, 131003],

    ['no token_in', { token_in: undefined }, 400, 131004],
    ['no token_out', { token_out: '' }, 400, 131004],
    ['a token that is no address', { token_in: 'WETH' }, 400, 131003],
    ['a token nobody knows', { token_in: stranger }, 404, 171015],
    ['a bad checksum', { token_in: `0x${'aB'.repeat(20)}` }, 400, 131003],

    ['no sender', { from_address: undefined }, 400, 131004],
    ['a sender that is no address', { from_address: '0x12' }, 400, 131003],
    ['two senders', { address: stranger }, 400, 131004],
    ['nobody as sender', { from_address: `0x${'0'.repeat(40)}` }, 400, 131004],
    ['a receiver that is no address', { to_address: 'me' }, 400, 131003],
    ['nobody as receiver', { to_address: `0x${'0'.repeat(40)}` }, 400, 131004],

    ['an expiry beyond the limit', { expiry_time: '121' }, 400, 171018],
    ['an instant as expiry', { expiry_time: '1795171378' }, 400, 171018],
    ['a negative expiry', { expiry_time: '-1' }, 400, 131003],
    ['half a second', { expiry_time: '0.5' }, 400, 131003],

    ['half of it as slippage', { slippage: '50' }, 400, 131004],
    ['negative slippage', { slippage: '-0.1' }, 400, 131003],
    ['slippage with a unit', { slippage: '1%' }, 400, 131003],

    ['a parameter given twice', { amount: ['1', '1'] }, 400, 131004],
    ['an unknown one given twice', { hello: ['1', '2'] }, 400, 131004],

    ['more than anybody has', { amount: '10000000000000000' }, 422, 101010],
    ['less than a unit of the other', { amount_wei: '1', amount: undefined }, 422, 101011],
  ])('refuses %s', async (_name, change, status, code) => {
    const answer = await ask(fork.ready.serviceUrl, path, { ...good(), ...change })
    expect(answer.status).toBe(status)
    expect(failure.parse(answer.body)).toEqual({
      success: false,
      code,
      message: expect.stringMatching(/\S/),
      errorMessage: answer.body.message,
      statusCode: status,
      requestId: answer.headers.get('x-request-id'),
    })
  })

  test('refuses to sell a token for itself, wrapped or not', async () => {
    const WETH = fork.ready.tokens.WETH?.address
    const ETH = `0x${'e'.repeat(40)}`
    for (const [token_in, token_out] of [
      [WETH, WETH],
      [ETH, WETH],
      [WETH, ETH],
      [ETH, ETH],
    ])
      expect(
        await ask(fork.ready.serviceUrl, path, { ...good(), token_in, token_out }),
      ).toMatchObject({ status: 400, body: { code: 131004 } })
  })

  test('tells a pair nobody trades from an empty book', async () => {
    const [DAI, WBTC, WETH] = ['DAI', 'WBTC', 'WETH'].map(
      (name) => fork.ready.tokens[name]?.address,
    )
    const pair = (token_in?: string, token_out?: string) =>
      ask(fork.ready.serviceUrl, path, { ...good(), token_in, token_out })
    expect(await pair(DAI, WBTC)).toMatchObject({ status: 404, body: { code: 171011 } })
    // The maker buys WETH for DAI but does not sell it.
    expect(await pair(DAI, WETH)).toMatchObject({ status: 422, body: { code: 171037 } })
  })

  test('refuses to pay the contracts that settle', async () => {
    for (const to_address of [fork.ready.router, fork.ready.executor])
      expect(await ask(fork.ready.serviceUrl, path, { ...good(), to_address })).toMatchObject({
        status: 400,
        body: { code: 131004 },
      })
  })
})

describe('anywhere', () => {
  test('what does not exist is refused in the same form', async () => {
    const answer = await ask(fork.ready.serviceUrl, 'nothing')
    expect(answer.status).toBe(404)
    expect(failure.parse(answer.body)).toMatchObject({ code: 131007 })
  })

  test('other methods are refused in the same form', async () => {
    const answer = await fetch(`${fork.ready.serviceUrl}/v1/chains`, { method: 'POST' })
    expect(answer.status).toBe(404)
    expect(failure.parse(await answer.json())).toMatchObject({ code: 131007 })
  })

  test('the order book wants a chain it knows', async () => {
    const { serviceUrl } = fork.ready
    expect(await ask(serviceUrl, 'orderbook')).toMatchObject({
      status: 400,
      body: { code: 131004 },
    })
    expect(await ask(serviceUrl, 'orderbook', { chain: 'moon' })).toMatchObject({
      status: 400,
      body: { code: 131005 },
    })
  })

  test('healthz answers', async () => {
    expect((await fetch(`${fork.ready.serviceUrl}/healthz`)).status).toBe(200)
  })
})
