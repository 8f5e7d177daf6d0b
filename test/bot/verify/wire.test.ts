import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createQuoteApi, type QuoteApi } from '../../../src/bot/quote/api/createQuoteApi.ts'
import { createVerify } from '../../../src/bot/verify/verify.ts'
import { systemClock } from '../../../src/core/clock.ts'
import { BallastError } from '../../../src/core/errors.ts'
import { ether, now, order, parties, pins, quoteOf, type Recipe, usdc, weth } from './goodQuote.ts'

const clock = { now: () => now * 1_000, sleep: async () => {} }
const verify = createVerify({ pins, clock })

let body: string | Uint8Array = ''
const server = createServer((_, response) => {
  response.writeHead(200, { 'content-type': 'application/json' }).end(body)
})
let api: QuoteApi
beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const url = `http://127.0.0.1:${port}`
  api = createQuoteApi({ url, apiKey: undefined, timeoutMs: 5_000, clock: systemClock })
})
afterAll(async () => {
  server.closeAllConnections()
  server.close()
  await api.close()
})

const ask = {
  src_chain: 'local',
  dst_chain: 'local',
  token_in: weth.address,
  token_out: usdc.address,
  amount_wei: '1000000000000000000',
  from_address: parties.taker.address,
} as const

type Change = (text: string) => string | Uint8Array

/** Asks for the quote over a real connection and verifies what arrives. */
async function received(recipe: Recipe, change: Change) {
  const quoted = await quoteOf(recipe)
  const marked = JSON.stringify(quoted.quote, (_, value) =>
    typeof value === 'bigint' ? `<${value}>` : value,
  )
  body = change(marked.replace(/"<(\d+)>"/g, '$1'))
  const { value } = await api.firm(ask)
  return verify({ ...quoted, quote: value })
}

const replaced =
  (from: string | RegExp, to: string): Change =>
  (text) => {
    const changed = text.replace(from, to)
    expect(changed, 'the text to replace is there').not.toBe(text)
    return changed
  }
const rewritten =
  // biome-ignore lint/suspicious/noExplicitAny: a body of any shape is what is written here.
    (change: (quote: any) => unknown): Change =>
    (text) =>
      JSON.stringify(change(JSON.parse(text)))

/** The same object with its keys the other way around, at every depth. */
function turned(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(turned)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      .toReversed()
      .map(([key, inner]) => [key, turned(inner)]),
  )
}

describe('a quote over the wire: accepted', () => {
  const beyond = { orders: [order({ id: 1_644_529_534_389_398_715n })] }
  const second = rewritten((quote) => [
    {
      ...quote,
      code: 0,
      errorMessage: '',
      source: [100, 7],
      fallbackSwapDataArray: null,
      widgetFee: null,
      widgetFeeSignature: quote.widgetFeeSignature.slice(2),
      orders: quote.orders.map((one: { quoteId: string }) => ({
        ...one,
        quoteId: one.quoteId.replaceAll('-', ''),
      })),
      txRequest: { ...quote.txRequest, value: `0x${BigInt(quote.txRequest.value).toString(16)}` },
      router_version: '4',
      amountInOffset: 36,
    },
  ])
  const controls: Record<string, [Recipe, Change]> = {
    'as it is': [{}, (text) => text],
    'the words of the second generation': [{}, second],
    'the words of the second generation, native': [{ sell: ether }, second],
    'an id beyond 2^53': [beyond, (text) => text],
    'keys in another sequence': [{}, rewritten(turned)],
    'fields nobody knows': [
      {},
      rewritten((quote) => ({ ...quote, constructor: 1, toString: null, deep: [[{ a: [{}] }]] })),
    ],
    'space between everything': [
      {},
      (text) => `\r\n\t ${JSON.stringify(JSON.parse(text), null, 7)}\n`,
    ],
    'keys in escapes': [{}, replaced('"amountIn"', '"\\u0061mountIn"')],
    'a number with an exponent that is whole': [
      {},
      replaced(`"deadlineTimestamp":${now + 30}`, `"deadlineTimestamp":${now / 100 + 0.3}e2`),
    ],
  }
  for (const [name, [recipe, change]] of Object.entries(controls))
    test(name, async () => {
      const { checks, orders } = await received(recipe, change)
      expect(checks.every(({ ok }) => ok)).toBe(true)
      expect(orders[0]?.order.id).toBe(recipe.orders?.[0]?.id ?? 7n)
    })
})

describe('a quote over the wire: refused', () => {
  const { maker, stranger } = parties
  const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth)
  /** The field of a malformed answer, or the check of one that could be read. */
  const hostile: Record<string, [where: string, change: Change, recipe?: Recipe]> = {
    '[API-09] an amount twice': [
      'amountOut',
      replaced('"amountOut":', '"amountOut":"9","amountOut":'),
    ],
    'an amount twice, once in escapes': [
      'amountOut',
      replaced('"amountOut":', '"\\u0061mount\\u004Fut":"9","amountOut":'),
    ],
    'an amount of an order twice': [
      'orders[].buyerTokenAmount',
      replaced('"buyerTokenAmount":', '"buyerTokenAmount":"9","buyerTokenAmount":'),
    ],
    'a recipient twice, far apart': [
      'recipient',
      (text) => `${text.slice(0, -1)},"recipient":"${stranger.address}"}`,
    ],
    'a target twice': [
      'txRequest.target',
      replaced('"target":', `"target":"${stranger.address}","target":`),
    ],
    'a field nobody knows twice': ['x[].y', (text) => `${text.slice(0, -1)},"x":[{"y":1,"y":1}]}`],
    'two transactions': ['txRequest', (text) => `${text.slice(0, -1)},"txRequest":{}}`],
    '[API-10] a prototype': [
      '__proto__',
      (text) => `${text.slice(0, -1)},"__proto__":{"recipient":"${stranger.address}"}}`,
    ],
    '[API-10] a prototype in escapes': [
      'txRequest.__proto__',
      replaced('"target":', '"\\u005f_proto__":null,"target":'),
    ],
    'a prototype instead of the success': [
      '__proto__',
      replaced('"success":true', '"__proto__":{"success":true}'),
    ],
    'sixty-five levels': ['x[]', (text) => `${text.slice(0, -1)},"x":${nested(64)}}`],
    'a hundred thousand levels': ['x[]', (text) => `${text.slice(0, -1)},"x":${nested(100_000)}}`],
    '[API-16] a deadline as a float': [
      'orders.0.deadlineTimestamp',
      replaced(/"deadlineTimestamp":\d+/, `"deadlineTimestamp":${now + 30}.5`),
    ],
    'a deadline as text': [
      'orders.0.deadlineTimestamp',
      replaced(/"deadlineTimestamp":\d+/, `"deadlineTimestamp":"${now + 30}"`),
    ],
    '[API-16] no deadline': [
      'orders.0.deadlineTimestamp',
      replaced(/"deadlineTimestamp":\d+/, '"deadlineTimestamp":0'),
    ],
    'a deadline beyond 2^53': [
      'orders.0.deadlineTimestamp',
      replaced(/"deadlineTimestamp":\d+/, '"deadlineTimestamp":18446744073709551616'),
    ],
    '[API-14] a deadline in milliseconds': [
      'verify.json-orders',
      replaced(/"deadlineTimestamp":(\d+)/, '"deadlineTimestamp":$1000'),
    ],
    '[API-14] a deadline in milliseconds, signed': [
      'verify.deadline-near-enough',
      (text) => text,
      { orders: [order({ deadlineTimestamp: BigInt(now + 30) * 1_000n })] },
    ],
    'an id that lost its last digits': [
      'verify.json-orders',
      replaced('1644529534389398715', '1644529534389398800'),
      { orders: [order({ id: 1_644_529_534_389_398_715n })] },
    ],
    'an id with an exponent': [
      'orders.0.id',
      replaced('"id":1000000000000000000000', '"id":1e21'),
      { orders: [order({ id: 10n ** 21n })] },
    ],
    'a negative id': ['orders.0.id', replaced('"id":7', '"id":-7')],
    'a negative id beyond 2^53': [
      'verify.json-orders',
      replaced('"id":7', '"id":-9007199254740993'),
    ],
    'an id beyond a uint256': ['verify.json-orders', replaced('"id":7', `"id":${2n ** 256n + 7n}`)],
    'an id as text': ['orders.0.id', replaced('"id":7', '"id":"7"')],
    'an id that is minus zero': ['verify.json-orders', replaced('"id":7', '"id":-0')],
    '[API-08] an amount with an exponent': [
      'orders.0.sellerTokenAmount',
      replaced('"1000000000000000000"', '"1e18"'),
    ],
    '[API-08] an amount in hex': [
      'orders.0.buyerTokenAmount',
      replaced('"3000000000"', '"0xb2d05e00"'),
    ],
    '[API-08] a negative amount': [
      'orders.0.buyerTokenAmount',
      replaced('"3000000000"', '"-3000000000"'),
    ],
    'an amount with a plus': [
      'orders.0.buyerTokenAmount',
      replaced('"3000000000"', '"+3000000000"'),
    ],
    'an amount with spaces': [
      'orders.0.buyerTokenAmount',
      replaced('"3000000000"', '" 3000000000"'),
    ],
    'an amount with a new line': [
      'orders.0.buyerTokenAmount',
      replaced('"3000000000"', '"3000000000\\n"'),
    ],
    'an amount with leading zeros': [
      'orders.0.buyerTokenAmount',
      replaced('"3000000000"', '"03000000000"'),
    ],
    'an amount with a point': [
      'orders.0.buyerTokenAmount',
      replaced('"3000000000"', '"3000000000.0"'),
    ],
    'an amount in other digits': [
      'orders.0.buyerTokenAmount',
      replaced('"3000000000"', '"٣000000000"'),
    ],
    'an amount in groups': [
      'orders.0.buyerTokenAmount',
      replaced('"3000000000"', '"3_000_000_000"'),
    ],
    'an empty amount': ['orders.0.buyerTokenAmount', replaced('"3000000000"', '""')],
    'an amount as a number': ['orders.0.buyerTokenAmount', replaced('"3000000000"', '3000000000')],
    'an amount beyond a uint256': [
      'amountOut',
      replaced(/"amountOut":"\d+"/, `"amountOut":"${2n ** 256n}"`),
    ],
    'an amount of a million digits': [
      'the body',
      replaced(/"amountOut":"\d+"/, `"amountOut":"${'9'.repeat(1_000_000)}"`),
    ],
    'a value in hex that is too large': ['verify.value', replaced('"value":"0"', '"value":"0x1"')],
    'a value in hex beyond a uint256': [
      'txRequest.value',
      replaced('"value":"0"', `"value":"0x1${'0'.repeat(64)}"`),
    ],
    '[API-12] a success as text': ['refused', replaced('"success":true', '"success":"true"')],
    '[API-12] no success': ['success', replaced('"success":true,', '')],
    'a recipient with a bad checksum': [
      'recipient',
      rewritten((quote) => ({ ...quote, recipient: quote.recipient.replace('C', 'c') })),
    ],
    'a recipient that is a name': [
      'recipient',
      rewritten((quote) => ({ ...quote, recipient: 'treasury.eth' })),
    ],
    'a list of recipients': [
      'recipient',
      rewritten((quote) => ({ ...quote, recipient: [quote.recipient] })),
    ],
    'no orders': ['orders', rewritten((quote) => ({ ...quote, orders: [] }))],
    'nine orders': [
      'orders',
      rewritten((quote) => ({ ...quote, orders: Array(9).fill(quote.orders[0]) })),
    ],
    'half a byte': [
      'txRequest.calldata',
      rewritten((quote) => ({
        ...quote,
        txRequest: { ...quote.txRequest, calldata: `${quote.txRequest.calldata}0` },
      })),
    ],
    'a fee as a float': ['widgetFee.feeRate', replaced('"feeRate":0', '"feeRate":0.5')],
    'a fee of the second generation that is there': [
      'verify.json-fee',
      rewritten((quote) => ({ ...quote, widgetFee: null })),
      {
        orders: [order({ sellerTokenAmount: 10n ** 18n - 10n ** 15n })],
        swap: {
          widgetFee: {
            signer: parties.feeSigner.address,
            feeRecipient: parties.feeSigner.address,
            feeRate: 10n,
          },
        },
      },
    ],
    'two quotes': ['the body', rewritten((quote) => [quote, quote])],
    'a quote in two lists': ['the body', rewritten((quote) => [[quote]])],
    'a byte order mark': ['not JSON', (text) => `\ufeff${text}`],
    'something behind it': ['not JSON', (text) => `${text}{}`],
    'a comma too many': ['not JSON', (text) => `${text.slice(0, -1)},}`],
    'not a number': ['not JSON', replaced('"feeRate":0', '"feeRate":NaN')],
    infinity: ['not JSON', replaced('"feeRate":0', '"feeRate":Infinity')],
    'a number beyond all numbers': [
      'widgetFee.feeRate',
      replaced('"feeRate":0', '"feeRate":1e999'),
    ],
    'a number with a leading zero': ['not JSON', replaced('"feeRate":0', '"feeRate":00')],
    '[API-07] half a body': ['not JSON', (text) => text.slice(0, text.length / 2)],
    nothing: ['not JSON', () => ''],
    'a null': ['the body', () => 'null'],
    'bytes that are no text': [
      'verify.json-orders',
      (text) =>
        Buffer.from(replaced(/"quoteId":"0123/, '"quoteId":"\xff123')(text) as string, 'latin1'),
    ],
    'half of a surrogate in an id': [
      'verify.json-orders',
      replaced('"quoteId":"0123', '"quoteId":"\\ud8000123'),
    ],
    'another maker, in escapes': [
      'verify.json-orders',
      replaced(`"signer":"${maker.address}"`, `"signer":"\\u0030x${stranger.address.slice(2)}"`),
    ],
  }

  for (const [name, [where, change, recipe = {}]] of Object.entries(hostile))
    test(name, async () => {
      const failure = await received(recipe, change).then(
        () => expect.unreachable('was accepted'),
        (error: unknown) => error,
      )
      if (!(failure instanceof BallastError)) throw failure
      expect(failure.remedy).not.toBe('retry')
      expect(whereOf(failure)).toBe(where)
    })

  test('are not few', () => {
    expect(Object.keys(hostile).length).toBeGreaterThanOrEqual(60)
  })
})

function whereOf(failure: BallastError): unknown {
  if (failure.name === 'Refused') return /verify\.[a-z0-9-]+/.exec(failure.message)?.[0]
  if (failure.code === 'QUOTE_REFUSED') return 'refused'
  expect(failure.code).toBe('QUOTE_MALFORMED')
  if (failure.summary.includes('not JSON')) return 'not JSON'
  return failure.facts.field ?? 'the body'
}
