import { gzipSync } from 'node:zlib'
import type { Exchange, HttpLie } from './lie.ts'

const lie = (
  name: string,
  what: string,
  answer: HttpLie['answer'],
  more: Partial<HttpLie> = {},
): HttpLie => ({ kind: 'http', at: 'firm-quote', name, what, answer, ...more })

const json = { 'content-type': 'application/json' }

/** Answers every request the same. */
const always =
  (status: number, body: unknown, headers: Record<string, string> = json): HttpLie['answer'] =>
  ({ response }) => {
    response.writeHead(status, headers).end(typeof body === 'string' ? body : JSON.stringify(body))
  }

/** Changes the text of the honest answer. */
const rewritten =
  (change: (text: string) => string): HttpLie['answer'] =>
  async ({ honest, response }) => {
    response.writeHead(200, json).end(change((await honest()).text))
  }

const refusal = (code: number, message: string) => ({
  success: false,
  code,
  message,
  errorMessage: message,
  statusCode: 200,
})

/** Bytes without an end, as long as a reader takes them. */
async function pour({ response, clock }: Exchange, { chunk, pauseMs, total }: Pour) {
  response.writeHead(200, json)
  for (let sent = 0; sent < total && !response.destroyed; sent += chunk.length) {
    const full = !response.write(chunk)
    if (pauseMs > 0) await clock.sleep(pauseMs)
    if (full && !response.destroyed)
      await new Promise<void>((resolve) => {
        response.once('drain', resolve)
        response.once('close', resolve)
      })
  }
  response.end()
}
type Pour = { readonly chunk: string; readonly pauseMs: number; readonly total: number }

const mebibyte = 1_024 * 1_024
/** Larger than any limit of a client, small when packed. */
const bomb = gzipSync(Buffer.alloc(64 * mebibyte, ' '))

/** Answers of a service that is broken, overloaded, or wants the client to break. */
export const httpLies: readonly HttpLie[] = [
  lie(
    'redirect-other-host',
    'The service redirects to another host, with our API key in the request.',
    ({ response, trap }) => void response.writeHead(302, { location: trap }).end(),
  ),
  lie(
    'redirect-permanent',
    'The service moves for good.',
    ({ response, trap }) => void response.writeHead(308, { location: trap }).end(),
  ),
  lie('gzip-bomb', 'A small answer unpacks to 64 MiB.', ({ response }) => {
    response.writeHead(200, { ...json, 'content-encoding': 'gzip' }).end(bomb)
  }),
  lie('body-of-100-mb', 'The answer does not end.', (exchange) =>
    pour(exchange, { chunk: ' '.repeat(mebibyte), pauseMs: 0, total: 100 * mebibyte }),
  ),
  lie('slow-drip', 'The answer comes one byte at a time.', (exchange) =>
    pour(exchange, { chunk: ' ', pauseMs: 100, total: 10_000 }),
  ),
  lie('never-answers', 'The service takes the request and is silent.', () => undefined),
  lie('connection-reset', 'The connection ends without an answer.', ({ request }) => {
    request.socket.destroy()
  }),
  lie('cut-in-the-middle', 'The connection ends in the middle of the answer.', async (exchange) => {
    const { text } = await exchange.honest()
    const { response } = exchange
    response.writeHead(200, { ...json, 'content-length': String(text.length) })
    response.write(text.slice(0, text.length / 2), () => response.destroy())
  }),
  lie(
    'truncated-json',
    'The answer is half a quote.',
    rewritten((text) => text.slice(0, text.length / 2)),
  ),
  lie(
    'duplicate-keys',
    'The answer names the amount twice.',
    rewritten((text) => text.replace('"amountOut":', '"amountOut":"1","amountOut":')),
  ),
  lie(
    'duplicate-target',
    'The transaction names two targets; the last one is right.',
    rewritten((text) => text.replace('"target":', `"target":"0x${'d1'.repeat(20)}","target":`)),
  ),
  lie(
    'html-page',
    'A proxy answers with a page.',
    always(200, '<html><body>Please log in</body></html>', { 'content-type': 'text/html' }),
  ),
  lie('empty-answer', 'The answer is empty.', always(200, '')),
  lie('no-content', 'The answer says that it has none.', ({ response }) => {
    response.writeHead(204).end()
  }),
  lie('null-answer', 'The answer is null.', always(200, 'null')),
  lie(
    'quote-of-two',
    'The answer holds two quotes.',
    rewritten((text) => `[${text},${text}]`),
  ),
  lie(
    'nested-deep',
    'The answer is a hundred thousand lists in one another.',
    always(200, '['.repeat(100_000) + ']'.repeat(100_000)),
  ),
  lie(
    'error-within-200',
    'A refusal comes as success of the transport.',
    always(200, refusal(101_010, 'exceeds max order')),
  ),
  lie(
    'error-and-quote',
    'A refusal comes together with a good quote.',
    rewritten((text) => text.replace('{', '{"code":301016,"errorMessage":"risk",')),
  ),
  lie(
    'status-500-with-quote',
    'A good quote comes with status 500.',
    async ({ honest, response }) => {
      response.writeHead(500, json).end((await honest()).text)
    },
  ),
  lie(
    'too-many-requests',
    'The service wants us to come back in 30 years.',
    always(429, refusal(201_005, 'Too many requests'), {
      ...json,
      'retry-after': '999999999',
    }),
  ),
  lie(
    'unauthorised',
    'The service does not know our key.',
    always(401, refusal(201_001, 'API key invalid')),
  ),
  lie(
    'unexplained-refusal',
    'The service refuses with a code nobody knows and words that steer a terminal.',
    always(400, refusal(999_999, '\u001b[2J\u202eok')),
  ),
  lie('other-endpoint', 'The firm quote is answered with an indicative one.', ({ response }) => {
    response.writeHead(200, json).end(JSON.stringify({ success: true, buyerTokenAmountWei: '1' }))
  }),
  lie(
    'old-answer',
    'Each request is answered with what an earlier one of another wallet got.',
    rewritten((text) =>
      text.replaceAll(/("(?:caller|seller)":")0x[0-9a-fA-F]{40}/g, `$10x${'d2'.repeat(20)}`),
    ),
  ),
  lie(
    'indicative-other-pair',
    'The indicative quote is about another token.',
    rewritten((text) =>
      text.replace(/("buyerToken":")0x[0-9a-fA-F]{40}/, `$10x${'d3'.repeat(20)}`),
    ),
    { at: 'indicative-quote' },
  ),
  lie(
    'indicative-other-amount',
    'The indicative quote is about another amount.',
    rewritten((text) => text.replace(/("sellerTokenAmountWei":")\d+/, '$11')),
    { at: 'indicative-quote' },
  ),
  lie(
    'indicative-not-a-number',
    'The indicative quote is not a number.',
    rewritten((text) => text.replace(/("buyerTokenAmountWei":")\d+/, '$1NaN')),
    { at: 'indicative-quote' },
  ),
]
