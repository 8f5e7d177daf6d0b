import { keccak256 } from 'viem'
import type { Hex } from '../chain/calls/fields.ts'
import { compactJson } from '../core/json.ts'
import { poolData } from './createForger.ts'
import type { Control, HttpLie, QuoteLie, RpcLie, TokenLie } from './lie.ts'

const quote = (name: string, what: string, bend: QuoteLie['bend']): QuoteLie => ({
  kind: 'quote',
  name,
  what,
  bend,
})
const http = (
  name: string,
  what: string,
  answer: HttpLie['answer'],
  at = 'firm-quote',
): HttpLie => ({
  kind: 'http',
  at: at as HttpLie['at'],
  name,
  what,
  answer,
})
const rpc = (name: string, what: string, bends: Partial<RpcLie>): RpcLie => ({
  kind: 'rpc',
  signs: 'may',
  name,
  what,
  ...bends,
})
const token = (name: string, what: string, more: Partial<TokenLie> = {}): TokenLie => ({
  kind: 'token',
  name,
  what,
  ...more,
})

const json = { 'content-type': 'application/json' }

/** The first request fails in a way that passes. */
const onceFailing =
  (status: number, headers: Record<string, string> = {}): HttpLie['answer'] =>
  async ({ response, honest, earlier }) => {
    if (earlier === 0) response.writeHead(status, { ...json, ...headers }).end('{"success":false}')
    else response.writeHead(200, json).end((await honest()).text)
  }

const answered =
  (write: (text: string) => string, headers: Record<string, string> = json): HttpLie['answer'] =>
  async ({ response, honest }) => {
    response.writeHead(200, headers).end(write((await honest()).text))
  }

const shuffled = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(shuffled)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      .reverse()
      .map(([key, part]) => [key, shuffled(part)]),
  )
}

const lowered = (text: string) =>
  text.replaceAll(/"0x[0-9a-fA-F]{40}"/g, (address) => address.toLowerCase())

/** Honest variants in the same forms. A bot that refuses one of these only looks safe. */
export const controls: readonly Control[] = [
  token('honest', 'The service, the node and the tokens are as they should be.'),
  token('floor-of-references', 'Nobody states a floor: two nodes and their references do.', {
    floor: 'references',
  }),
  token('native-currency-sold', 'The chain’s own currency is sold.', { wish: 'native' }),
  token('no-return-value', 'The sold token returns nothing from transfer and approve.', {
    wish: 'XMUTE',
  }),
  token('false-return-unused', 'The sold token could answer false, and does not.', {
    wish: 'XFALSE',
  }),
  token('hook-without-effect', 'The sold token calls somebody who does nothing.', {
    wish: 'XHOOK',
    turn: ({ own, scene }) => own('XHOOK', 'setHook', [scene.wallet, '0x', false]),
  }),
  quote('keys-shuffled', 'The keys of the answer come in another order.', (honest) =>
    shuffled(honest.quote),
  ),
  quote('keys-unknown', 'The answer has keys this version does not know.', ({ quote: firm }) => ({
    ...firm,
    requestId: 'r-1',
    gasEstimate: 210_000,
    orders: firm.orders.map((order) => ({ ...order, makerName: 'maker-a' })),
  })),
  quote('quote-id-with-dashes', 'The quote’s id is written as a UUID.', ({ quote: firm }) => ({
    ...firm,
    orders: firm.orders.map((order) => ({ ...order, quoteId: dashed(order.quoteId) })),
  })),
  quote(
    'order-id-beyond-2-53',
    'An order’s id does not fit a JavaScript number.',
    async (honest, forger) => {
      const id = 2n ** 60n + 1n
      const sealed = await forger.seal(honest, { orders: [{ ...honest.order, id }] })
      return compactJson(sealed).replace(/"id":\d+/, `"id":${id}`)
    },
  ),
  quote(
    'second-generation',
    'The answer is written as the second generation of this API does.',
    ({ quote: firm }) => [
      {
        ...firm,
        fallbackSwapDataArray: null,
        source: firm.source.split('+'),
        widgetFeeSignature: firm.widgetFeeSignature.slice(2),
        txRequest: { ...firm.txRequest, value: '0x0' },
      },
    ],
  ),
  quote('two-orders', 'Two orders of one maker share the amount.', (honest, forger) => {
    const { order } = honest
    const sold = order.sellerTokenAmount / 2n
    const bought = order.buyerTokenAmount / 2n
    const rest = {
      ...order,
      id: order.id + 1_000_000n,
      sellerTokenAmount: order.sellerTokenAmount - sold,
      buyerTokenAmount: order.buyerTokenAmount - bought,
    }
    return forger.seal(honest, {
      orders: [{ ...order, sellerTokenAmount: sold, buyerTokenAmount: bought }, rest],
    })
  }),
  quote('pool-behind-maker', 'A pool stands behind the maker’s order.', (honest, forger) =>
    forger.seal(honest, { swap: { fallbackSwapDataArray: [poolData(2, 3_000)] } }),
  ),
  quote('minimum-better', 'The minimum is better than what was asked for.', (honest, forger) =>
    forger.seal(honest, { swap: { amountOutMinimum: honest.order.buyerTokenAmount } }),
  ),
  http('addresses-in-lower-case', 'Addresses carry no checksum.', answered(lowered)),
  http(
    'answer-indented',
    'The answer is indented.',
    answered((text) => JSON.stringify(JSON.parse(text), undefined, 2)),
  ),
  http(
    'content-type-missing',
    'The answer does not say what it is.',
    answered((text) => text, {}),
  ),
  http('slow-but-honest', 'The answer takes a while.', async ({ response, honest, clock }) => {
    const { text } = await honest()
    await clock.sleep(250)
    response.writeHead(200, json).end(text)
  }),
  http('unavailable-once', 'The service is away for one request.', onceFailing(503)),
  http(
    'too-many-requests-once',
    'The service asks for a pause that is short.',
    onceFailing(429, { 'retry-after': '0.1' }),
  ),
  http(
    'indicative-in-a-list',
    'The indicative quote comes in a list of one.',
    answered((text) => `[${text}]`),
    'indicative-quote',
  ),
  rpc('already-known', 'The node knows the transaction already.', {
    instead: async (call, { ask }) => {
      if (call.method !== 'eth_sendRawTransaction') return undefined
      await ask(call.method, call.params)
      return { error: { code: -32_000, message: 'already known' } }
    },
  }),
  rpc('answers-in-another-order', 'A batch is answered back to front.', {
    reply: (answers) => (answers.length > 1 ? JSON.stringify([...answers].reverse()) : undefined),
  }),
  rpc('answers-with-more', 'Answers carry keys this version does not know.', {
    reply: (answers) =>
      answers.length > 1 ? JSON.stringify(answers.map((one) => ({ ...one, took: 3 }))) : undefined,
  }),
  rpc('hash-in-upper-case', 'The node writes the transaction’s hash in capitals.', {
    instead: async (call, { ask }) => {
      if (call.method !== 'eth_sendRawTransaction') return undefined
      await ask(call.method, call.params)
      return {
        result: `0x${keccak256(call.params[0] as Hex)
          .slice(2)
          .toUpperCase()}`,
      }
    },
  }),
]

function dashed(id: string): string {
  const hex = id.replaceAll('-', '')
  return [
    hex.slice(0, 8),
    hex.slice(8, 12),
    hex.slice(12, 16),
    hex.slice(16, 20),
    hex.slice(20),
  ].join('-')
}
