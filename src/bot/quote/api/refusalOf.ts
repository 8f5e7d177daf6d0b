import type { HttpAnswer } from '../../../chain/http.ts'
import { retryAfterMs } from '../../../chain/retryAfterMs.ts'
import { display } from '../../../core/display.ts'
import { type BallastError, ballastError } from '../../../core/errors.ts'
import { type ErrorCode, errorTable } from '../../../core/errorTable.ts'
import { isRecord } from '../../../core/json.ts'

/** The meaning of a refusal for the bot. */
type Refusal = {
  readonly code: ErrorCode
  readonly summary: string
}

const unavailable: Refusal = {
  code: 'QUOTE_UNAVAILABLE',
  summary: 'The quoting service cannot answer at the moment.',
}
const pageOf = (status: number): Refusal => ({
  ...unavailable,
  summary: `The quoting service answers with a page of HTTP ${status} and not in its own form: it may be down, or QUOTE_API_URL is wrong.`,
})
const rateLimited: Refusal = {
  code: 'RATE_LIMITED',
  summary: 'The quoting service asks for fewer requests.',
}
const notFound: Refusal = {
  ...unavailable,
  summary:
    'The quoting service answers HTTP 404 to a path of its own API: it may be down, or QUOTE_API_URL is wrong.',
}
const noLiquidity: Refusal = {
  code: 'NO_LIQUIDITY',
  summary: 'Nobody offers this amount of this pair at the moment.',
}
const pairUnsupported: Refusal = {
  code: 'PAIR_UNSUPPORTED',
  summary: 'The quoting service does not trade this pair.',
}
const badRequest: Refusal = {
  code: 'BAD_REQUEST',
  summary: 'The quoting service does not accept our request.',
}
const belowMinimum: Refusal = {
  code: 'BELOW_MINIMUM',
  summary: 'The quoting service does not trade so little.',
}
const expiryTooLong: Refusal = {
  code: 'EXPIRY_TOO_LONG',
  summary: 'The quoting service does not quote for so long: ask for a shorter expiry.',
}
const unauthorized: Refusal = {
  code: 'UNAUTHORIZED',
  summary: 'The quoting service does not accept our API key; set QUOTE_API_KEY.',
}
const balanceTooLow: Refusal = {
  code: 'QUOTE_REFUSED',
  summary: 'The quoting service finds less in the wallet than the amount.',
}
const notJson: Refusal = {
  code: 'QUOTE_MALFORMED',
  summary: 'The quoting service sent something that is not JSON.',
}
const unexplained: Refusal = {
  code: 'QUOTE_REFUSED',
  summary: 'The quoting service refused, for a reason this version does not know.',
}

/** The numeric codes of this API family. */
const byCode: Readonly<Record<string, Refusal>> = {
  // "quote invalid, risk management checks failed" passes after a few seconds.
  301016: unavailable,
  405030: unavailable,
  171008: unavailable,
  // Our own: a chain that stands still, a service that is full.
  171009: unavailable,
  171010: unavailable,
  201005: rateLimited,
  101010: noLiquidity,
  101011: belowMinimum,
  101012: balanceTooLow,
  171037: noLiquidity,
  101007: noLiquidity,
  // Our own: below the minimum of the pair's traders.
  171011: pairUnsupported,
  171015: pairUnsupported,
  // Our own: across chains, and wrapping.
  131006: pairUnsupported,
  131008: pairUnsupported,
  131003: badRequest,
  131004: badRequest,
  131005: badRequest,
  131011: badRequest,
  171018: expiryTooLong,
  171053: badRequest,
  201001: unauthorized,
  201009: unauthorized,
}

/** The first generation sends sentences without a code. */
const byMessage: readonly (readonly [RegExp, Refusal])[] = [
  [/too many requests|rate reach limit/i, rateLimited],
  [/all pricer failed|orderbook empty|exceeds max|insufficient liquidity/i, noLiquidity],
  [
    /pair not found|token not available|no such pair|(?:pair|token) (?:is )?not supported/i,
    pairUnsupported,
  ],
  [/amount (?:is )?(?:too small|below (?:the )?minimum)/i, belowMinimum],
  [/api key|unauthori[sz]ed/i, unauthorized],
  [/internal server error|bad gateway|timeout|unavailable/i, unavailable],
]

/** The longest wait that a quote is worth, even if a service requests more. */
const retryAfterMsMax = 2_000

/**
 * Reports whether an answer is a refusal, and which. Undefined when nothing in it shows one.
 *
 * A refusal is any of: a status that is not 2xx, a numeric `code` other than 0 and 200, `success` other than true, an
 * `error`, something that is not JSON. The family answers 200 to most of them.
 */
export function refusalOf({
  endpoint,
  answer,
  body,
}: {
  endpoint: string
  answer: HttpAnswer
  /** Undefined for what is not JSON. */
  body: unknown
}): BallastError | undefined {
  const { status, headers } = answer
  const envelope = isRecord(body) ? body : {}
  const apiCode = numericCode(envelope.code)
  const ok = status >= 200 && status < 300
  const refused =
    !ok ||
    body === undefined ||
    apiCode !== undefined ||
    ('success' in envelope && envelope.success !== true) ||
    !isNothing(envelope.error)
  if (!refused) return undefined

  const apiMessage = messageOf(envelope) ?? (body === undefined ? answer.text : undefined)
  const { code, summary } =
    (apiCode === undefined ? undefined : byCode[apiCode]) ??
    byStatus({ status, message: apiMessage, isJson: body !== undefined })
  return ballastError(code, summary, {
    endpoint,
    status,
    apiCode,
    apiMessage: apiMessage === undefined ? undefined : display(apiMessage),
    requestId: requestIdOf({ headers, body }),
    retryAfterMs: errorTable[code].remedy === 'retry' ? boundedWait(headers) : undefined,
  })
}

/** For a refusal whose code is unknown or absent. The status of an error page shows more than its text. */
function byStatus({
  status,
  message,
  isJson,
}: {
  status: number
  message: string | undefined
  isJson: boolean
}): Refusal {
  if (status === 429) return rateLimited
  // A page of a proxy, a firewall or an unfinished deployment says nothing of our key or our request, and passes.
  if (!isJson && status >= 400 && status !== 401) return pageOf(status)
  // Before its words: those of a failure inside the service may be about a key that is not ours.
  if (status >= 500 || status === 408 || status === 425) return unavailable
  if (status === 401 || status === 403) return unauthorized
  if (isJson && message !== undefined) {
    const known = byMessage.find(([pattern]) => pattern.test(message.slice(0, 1_000)))
    if (known !== undefined) return known[1]
  }
  if (status === 404) return notFound
  // Without a code that says so it is not the form of our requests: it may be this pair or this amount alone.
  return isJson ? unexplained : notJson
}

const isNothing = (error: unknown) =>
  error === undefined || error === null || error === false || error === ''

/** 0, and 200 as in HTTP, say that all is well. */
const good = [0, 200]

function numericCode(code: unknown): string | undefined {
  if (typeof code !== 'number' && typeof code !== 'bigint' && typeof code !== 'string')
    return undefined
  const text = String(code)
  return /^-?\d{1,12}$/.test(text) && !good.includes(Number(text)) ? text : undefined
}

function messageOf({ message, errorMessage, error }: Record<string, unknown>): string | undefined {
  for (const candidate of [errorMessage, message, error]) {
    if (typeof candidate === 'string' && candidate !== '') return candidate
    // NestJS sends a list for a request it could not validate.
    if (Array.isArray(candidate) && candidate.length > 0)
      return candidate.filter((part) => typeof part === 'string').join('; ')
    if (isRecord(candidate) && typeof candidate.message === 'string') return candidate.message
  }
  return undefined
}

/** The wait a service requests, at most {@link retryAfterMsMax}. */
function boundedWait(headers: HttpAnswer['headers']): number | undefined {
  const wait = retryAfterMs(headers)
  return wait === undefined ? undefined : Math.min(wait, retryAfterMsMax)
}

/** The service's own name for an exchange: its operator will need it. */
export function requestIdOf({
  headers,
  body,
}: {
  headers: Readonly<Record<string, string>>
  body: unknown
}): string | undefined {
  const inBody =
    typeof body === 'object' && body !== null && 'requestId' in body ? body.requestId : undefined
  const id = headers['x-request-id'] ?? headers['x-native-request-id'] ?? inBody
  return typeof id === 'string' && id !== '' ? display(id, 64) : undefined
}

/** The time of an operation is over and no answer came. */
export function unreachable(label: string, timeoutMs: number): BallastError {
  return ballastError('QUOTE_UNAVAILABLE', `${label} did not answer within ${timeoutMs} ms.`)
}

/** The service claims success and sends something other than the contract specifies. */
export function malformed({
  endpoint,
  answer,
  body,
  issues,
}: {
  endpoint: string
  answer: HttpAnswer
  body: unknown
  /** Of zod, or of the text itself. The first is named. */
  issues: readonly { readonly path: readonly PropertyKey[]; readonly message: string }[]
}): BallastError {
  const [issue] = issues
  return ballastError(
    'QUOTE_MALFORMED',
    'The quoting service sent an answer that breaks its own contract.',
    {
      endpoint,
      status: answer.status,
      field: display(issue?.path.join('.') || 'the body', 96),
      reason: display(issue?.message ?? 'not readable'),
      requestId: requestIdOf({ headers: answer.headers, body }),
    },
  )
}
