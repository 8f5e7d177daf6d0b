import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { failure } from '../../src/api/failure.ts'
import { ask } from '../support/ask.ts'
import { type Fork, forkOrigin } from '../support/forkOrigin.ts'

/**
 * Every rule of a request, once.
 *
 * `specification`: the document says so. `derived`: it follows from what the document says, or from what the published
 * service of this family does. `chosen`: the document is silent, and this is what a careful user would expect.
 */
type Source = 'specification' | 'derived' | 'chosen'

type Parameters = Readonly<Record<string, string | readonly string[] | undefined>>

let fork: Fork
beforeAll(async () => {
  fork = await forkOrigin({ mining: 'auto' })
})
afterAll(() => fork?.close())

/** A request that is answered; each rule changes something in it. */
const good = (): Parameters => ({
  src_chain: 'local',
  dst_chain: 'local',
  token_in: address('WETH'),
  token_out: address('USDC'),
  amount: '1',
  from_address: fork.ready.wallets.treasury?.address,
})
const address = (symbol: string) => fork.ready.tokens[symbol]?.address
const stranger = '0x000000000000000000000000000000000000bEEF'
const nobody = `0x${'0'.repeat(40)}`
const sentinel = '0xEeeeeEeeeEeEeeEeEeEeeEEEeeeeEeeeeeeeEEeE'

const accepted: readonly (readonly [Source, string, Parameters])[] = [
  ['specification', 'src_chain and dst_chain name the chain', {}],
  [
    'specification',
    'amount_wei instead of amount',
    { amount: undefined, amount_wei: `1${'0'.repeat(18)}` },
  ],
  ['specification', 'the native currency by its sentinel', { token_in: sentinel }],
  ['specification', 'an empty to_address is from_address', { to_address: '' }],
  ['specification', 'a receiver of its own', { to_address: stranger }],
  ['specification', 'beneficiary_address', { beneficiary_address: stranger }],
  ['specification', 'an expiry', { expiry_time: '30' }],
  ['specification', 'a slippage of a fraction of a percent', { slippage: '0.1' }],
  ['specification', 'a slippage of 5 percent', { slippage: '5' }],
  [
    'derived',
    'chain alone, as the sample requests write it',
    { src_chain: undefined, dst_chain: undefined, chain: 'local' },
  ],
  [
    'derived',
    'deadline_timestamp of the sample request is ignored',
    { deadline_timestamp: '1692085583' },
  ],
  [
    'derived',
    'names of the second generation are ignored',
    { version: '4', allow_multihop: 'false', timeout_millis: '1' },
  ],
  ['derived', 'expiry_time 0 is the default, as at the published service', { expiry_time: '0' }],
  ['derived', 'expiry_time 120, the published limit', { expiry_time: '120' }],
  ['chosen', 'chain names in any letter case', { src_chain: 'LOCAL', dst_chain: 'Local' }],
  ['chosen', 'a chain by its number', { src_chain: '31337', dst_chain: 'local' }],
  ['chosen', 'all three chains, agreeing', { chain: 'Local', src_chain: '31337' }],
  ['chosen', 'an empty chain counts as absent', { chain: '' }],
  [
    'chosen',
    'empty optional parameters count as absent',
    { amount_wei: '', expiry_time: '', slippage: '', beneficiary_address: '' },
  ],
  ['chosen', 'lower-case addresses carry no checksum', { from_address: stranger.toLowerCase() }],
  ['chosen', 'the sentinel in lower case', { token_in: sentinel.toLowerCase() }],
  ['chosen', 'the sentinel in capitals', { token_in: `0x${'E'.repeat(40)}` }],
  ['chosen', 'zero as the native currency', { token_in: nobody }],
  ['chosen', 'short zero as the native currency', { token_in: '0x0' }],
  [
    'chosen',
    'a beneficiary that is no address is logged, not judged',
    { beneficiary_address: 'desk 7' },
  ],
  ['chosen', 'names nobody knows are ignored', { hello: 'world', __proto__x: '1' }],
  ['chosen', 'amounts with as many decimals as the token', { amount: '1.000000000000000001' }],
  ['chosen', 'trailing zeros', { amount: '1.50' }],
  ['chosen', 'a slippage just below 50', { slippage: '49.999999999999999999' }],
]

const refused: readonly (readonly [Source, string, Parameters, number, number, string])[] = [
  ['specification', 'src_chain is required', { src_chain: undefined }, 400, 131004, 'src_chain'],
  ['specification', 'dst_chain is required', { dst_chain: undefined }, 400, 131004, 'dst_chain'],
  ['specification', 'token_in is required', { token_in: undefined }, 400, 131004, 'token_in'],
  ['specification', 'token_out is required', { token_out: undefined }, 400, 131004, 'token_out'],
  [
    'specification',
    'from_address is required',
    { from_address: undefined },
    400,
    131004,
    'from_address',
  ],
  [
    'derived',
    'one of the chain parameters',
    { src_chain: undefined, dst_chain: undefined },
    400,
    131004,
    'chain',
  ],
  [
    'derived',
    'a chain that is not listed',
    { src_chain: 'moon', dst_chain: 'moon' },
    400,
    131005,
    'src_chain',
  ],
  [
    'derived',
    'a single chain that is not listed',
    { src_chain: undefined, dst_chain: undefined, chain: 'moon' },
    400,
    131005,
    'chain',
  ],
  ['derived', 'across chains', { dst_chain: 'moon' }, 422, 131006, 'dst_chain'],
  ['derived', 'neither amount', { amount: undefined }, 400, 131004, 'amount'],
  ['derived', 'both amounts', { amount_wei: '1' }, 400, 131004, 'amount_wei'],
  [
    'derived',
    'both amounts, agreeing',
    { amount_wei: `1${'0'.repeat(18)}` },
    400,
    131004,
    'amount_wei',
  ],
  [
    'derived',
    'a fraction of a wei',
    { amount: undefined, amount_wei: '1.5' },
    400,
    131003,
    'amount_wei',
  ],
  [
    'derived',
    'more decimals than the token has',
    { amount: '1.0000000000000000001' },
    400,
    131003,
    'amount',
  ],
  ['derived', 'an expiry above the limit', { expiry_time: '121' }, 400, 171018, 'expiry_time'],
  ['derived', 'an instant as expiry', { expiry_time: '1795171378' }, 400, 171018, 'expiry_time'],
  ['derived', 'a token nobody knows', { token_in: stranger }, 404, 171015, 'token_in'],
  ['chosen', 'chain against src_chain', { chain: 'other' }, 400, 131004, 'chain'],
  ['chosen', 'empty amounts', { amount: '', amount_wei: '' }, 400, 131004, 'amount'],
  ['chosen', 'nothing', { amount: '0' }, 400, 131004, 'amount'],
  ['chosen', 'nothing, spelled out', { amount: '0.000' }, 400, 131004, 'amount'],
  ['chosen', 'no wei', { amount: undefined, amount_wei: '0' }, 400, 131004, 'amount_wei'],
  [
    'chosen',
    'an endless amount',
    { amount: undefined, amount_wei: '9'.repeat(77) },
    400,
    131004,
    'amount_wei',
  ],
  [
    'chosen',
    'an amount of a thousand digits',
    { amount: '9'.repeat(1_000) },
    400,
    131003,
    'amount',
  ],
  ['chosen', 'a minus', { amount: '-1' }, 400, 131003, 'amount'],
  ['chosen', 'a plus', { amount: '+1' }, 400, 131003, 'amount'],
  ['chosen', 'an exponent', { amount: '1e3' }, 400, 131003, 'amount'],
  [
    'chosen',
    'an exponent in wei',
    { amount: undefined, amount_wei: '1e18' },
    400,
    131003,
    'amount_wei',
  ],
  ['chosen', 'not a number', { amount: 'NaN' }, 400, 131003, 'amount'],
  ['chosen', 'infinity', { amount: 'Infinity' }, 400, 131003, 'amount'],
  ['chosen', 'hex', { amount: undefined, amount_wei: '0x10' }, 400, 131003, 'amount_wei'],
  ['chosen', 'a space', { amount: ' 1' }, 400, 131003, 'amount'],
  ['chosen', 'a comma', { amount: '1,5' }, 400, 131003, 'amount'],
  ['chosen', 'digits of another script', { amount: '١' }, 400, 131003, 'amount'],
  ['chosen', 'a leading zero', { amount: '01' }, 400, 131003, 'amount'],
  ['chosen', 'no digit before the dot', { amount: '.5' }, 400, 131003, 'amount'],
  ['chosen', 'no digit after the dot', { amount: '1.' }, 400, 131003, 'amount'],
  ['chosen', 'a symbol for an address', { token_in: 'WETH' }, 400, 131003, 'token_in'],
  ['chosen', 'a bad checksum', { token_out: `0x${'aB'.repeat(20)}` }, 400, 131003, 'token_out'],
  ['chosen', 'a short address', { from_address: '0x12' }, 400, 131003, 'from_address'],
  ['chosen', 'a receiver that is no address', { to_address: 'me' }, 400, 131003, 'to_address'],
  ['chosen', 'nobody as sender', { from_address: nobody }, 400, 131004, 'from_address'],
  ['chosen', 'nobody as receiver', { to_address: nobody }, 400, 131004, 'to_address'],
  ['chosen', 'two senders', { address: stranger }, 400, 131004, 'address'],
  ['chosen', 'a negative expiry', { expiry_time: '-1' }, 400, 131003, 'expiry_time'],
  ['chosen', 'half a second', { expiry_time: '0.5' }, 400, 131003, 'expiry_time'],
  ['chosen', 'an expiry with a unit', { expiry_time: '30s' }, 400, 131003, 'expiry_time'],
  ['chosen', 'a slippage of half', { slippage: '50' }, 400, 131004, 'slippage'],
  ['chosen', 'a negative slippage', { slippage: '-0.1' }, 400, 131003, 'slippage'],
  ['chosen', 'a slippage with a unit', { slippage: '1%' }, 400, 131003, 'slippage'],
  [
    'chosen',
    'a slippage with 19 decimals',
    { slippage: `0.${'1'.repeat(19)}` },
    400,
    131003,
    'slippage',
  ],
  ['chosen', 'a parameter given twice', { amount: ['1', '1'] }, 400, 131004, 'amount'],
  ['chosen', 'an unknown parameter given twice', { hello: ['1', '2'] }, 400, 131004, 'hello'],
  ['chosen', 'more than anybody has', { amount: '10000000000000000' }, 422, 101010, 'amount'],
  [
    'chosen',
    'less than buys a unit of the other',
    { amount: undefined, amount_wei: '1' },
    422,
    101011,
    'amount',
  ],
]

describe.each(['indicative-quote', 'firm-quote'])('%s', (path) => {
  test.for(accepted)('%s: accepts %s', async ([, , change]) => {
    const { status, body } = await ask(fork.ready.serviceUrl, path, { ...good(), ...change })
    expect({ status, body }).toMatchObject({ status: 200, body: { success: true } })
  })

  test.for(refused)('%s: refuses %s', async ([, , change, status, code, parameter]) => {
    const answer = await ask(fork.ready.serviceUrl, path, { ...good(), ...change })
    expect({ status: answer.status, body: answer.body }).toMatchObject({ status, body: { code } })
    expect(failure.parse(answer.body)).toEqual({
      success: false,
      code,
      message: expect.stringMatching(new RegExp(`\\b${parameter}\\b`)),
      errorMessage: answer.body.message,
      statusCode: status,
      requestId: answer.headers.get('x-request-id'),
    })
  })

  test('chosen: address is another name of from_address', async () => {
    const { from_address, ...rest } = good()
    const renamed = { ...rest, address: from_address }
    expect((await ask(fork.ready.serviceUrl, path, renamed)).status).toBe(200)
  })

  test('chosen: nothing is sold for itself', async () => {
    for (const token of [address('WETH'), sentinel]) {
      const same = { ...good(), token_in: token, token_out: token }
      expect(await ask(fork.ready.serviceUrl, path, same)).toMatchObject({
        status: 400,
        body: { code: 131004, message: expect.stringMatching(/token_in and token_out/) },
      })
    }
  })

  test('chosen: wrapping is refused with its own code, and where to do it', async () => {
    const WETH = address('WETH') ?? ''
    for (const [token_in, token_out] of [
      [sentinel, WETH],
      [WETH, sentinel],
      [nobody, WETH],
    ])
      expect(
        await ask(fork.ready.serviceUrl, path, { ...good(), token_in, token_out }),
      ).toMatchObject({
        status: 422,
        body: { code: 131008, message: expect.stringContaining(WETH) },
      })
  })

  test('derived: a pair nobody trades is not an empty book', async () => {
    const pair = (token_in: string, token_out: string) =>
      ask(fork.ready.serviceUrl, path, {
        ...good(),
        token_in: address(token_in),
        token_out: address(token_out),
      })
    // The maker buys WETH for DAI but sells none.
    expect(await pair('DAI', 'WETH')).toMatchObject({ status: 422, body: { code: 171037 } })
  })

  test('chosen: the contracts that settle receive and sell nothing', async () => {
    for (const party of [fork.ready.router, fork.ready.executor])
      for (const name of ['to_address', 'from_address'])
        expect(await ask(fork.ready.serviceUrl, path, { ...good(), [name]: party })).toMatchObject({
          status: 400,
          body: { code: 131004, message: expect.stringContaining(name) },
        })
  })
})

describe('anywhere', () => {
  test('chosen: what does not exist is refused in the same form', async () => {
    for (const path of ['nothing', 'firm-quote/', 'Chains', 'calldata']) {
      const answer = await ask(fork.ready.serviceUrl, path)
      expect(answer.status).toBe(404)
      expect(failure.parse(answer.body)).toMatchObject({ code: 131007 })
    }
  })

  test('specification: all operations are GET', async () => {
    for (const method of ['POST', 'PUT', 'DELETE', 'OPTIONS', 'PATCH']) {
      const answer = await fetch(`${fork.ready.serviceUrl}/v1/chains`, { method })
      expect(answer.status).toBe(404)
      expect(failure.parse(await answer.json())).toMatchObject({ code: 131007 })
    }
  })

  test('specification: the order book wants a chain it knows', async () => {
    const { serviceUrl } = fork.ready
    expect(await ask(serviceUrl, 'orderbook')).toMatchObject({
      status: 400,
      body: { code: 131004, message: expect.stringContaining('chain') },
    })
    expect(await ask(serviceUrl, 'orderbook', { chain: 'moon' })).toMatchObject({
      status: 400,
      body: { code: 131005, message: expect.stringContaining('chain') },
    })
    expect((await ask(serviceUrl, 'orderbook', { chain: ['local', 'local'] })).status).toBe(400)
  })
})
