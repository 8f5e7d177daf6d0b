import { z } from 'zod'
import { BallastError } from '../../core/errors.ts'
import { createHttp } from '../http.ts'
import { retryAfterMs } from '../retryAfterMs.ts'
import { fitBatches } from './fitBatches.ts'
import {
  type Rpc,
  type RpcCall,
  RpcGarbled,
  type RpcOutcome,
  RpcRefused,
  wholeBatch,
} from './rpc.ts'

const answerShape = z.looseObject({
  jsonrpc: z.literal('2.0').optional(),
  // Some gateways leave it out of an error.
  id: z.int().nullish(),
  result: z.unknown().optional(),
  error: z
    .looseObject({ code: z.number(), message: z.string(), data: z.unknown().optional() })
    .nullish(),
})
type Answer = z.infer<typeof answerShape>

/** What an endpoint answered with, and its HTTP status. */
type Posted = { readonly status: number; readonly json: unknown }

/**
 * JSON-RPC client of one endpoint. No retries, no caching, no filling in of fields; batches are cut to what it takes.
 *
 * An answer with another id than the question's is refused; viem's own transport would accept it.
 */
export function createRpc({
  url,
  name = 'RPC endpoint',
  setBy = 'chain.rpcUrl or RPC_URL',
  timeoutMs = 10_000,
  maxBytes = 16 * 1024 * 1024,
}: {
  url: string
  /** The operator's name for it, and where it is set. */
  name?: string
  setBy?: string
  timeoutMs?: number
  maxBytes?: number
}): Rpc {
  const http = createHttp({ url, name, setBy, timeoutMs, maxBytes })
  let lastId = 0

  const post = async (body: unknown): Promise<Posted> => {
    const { status, headers, text } = await http.send({
      method: 'POST',
      path: '',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
    if (status === tooManyRequests)
      throw new RpcRefused(methodOf(body), {
        ...{ code: status, message: `HTTP ${status}`, said: wordsOf(text) },
        retryAfterMs: retryAfterMs(headers),
      })
    try {
      return { status, json: JSON.parse(text) }
    } catch (cause) {
      if (isTooLarge(status, body))
        throw new RpcRefused(methodOf(body), { code: status, message: `HTTP ${status}` })
      throw new RpcGarbled(http.label, `HTTP ${status}, not JSON`, { cause })
    }
  }

  return fitBatches({
    label: http.label,
    close: http.close,
    async request(call) {
      // Its own: other calls take the next ids while this one waits.
      const id = ++lastId
      const { status, json } = await post(question(id, call))
      const answer = readAnswer({ status, json }, http.label)
      if (answer.id !== id && !(answer.id == null && answer.error != null))
        throw new RpcGarbled(http.label, `asked ${id}, answered ${answer.id}`)
      return resultOf(call, { answer, status }, http.label)
    },
    async batch(calls) {
      // JSON-RPC has no empty batch.
      if (calls.length === 0) return [] as never
      const first = lastId + 1
      const last = lastId + calls.length
      lastId = last
      const posted = await post(calls.map((call, index) => question(first + index, call)))
      const byId = readBatch(posted, { first, last }, http.label)
      const { status } = posted
      const outcomes = calls.map((call, index): RpcOutcome<unknown> => {
        const answer = byId.get(first + index)
        if (answer === undefined)
          return { ok: false, error: new RpcGarbled(http.label, `${call.method} was not answered`) }
        try {
          return { ok: true, value: resultOf(call, { answer, status }, http.label) }
        } catch (error) {
          return { ok: false, error: error as Error }
        }
      })
      return outcomes as never
    },
  })
}

const tooManyRequests = 429

/** How a gateway refuses a body that is too large for it. One call that is short is not. */
const isTooLarge = (status: number, body: unknown): boolean =>
  status === 413 ||
  (status === 400 && (Array.isArray(body) || JSON.stringify(body).length > shortMax))
const shortMax = 16_384

/** The provider's own words of a limit, such as that of a day; undefined where it has none. */
function wordsOf(text: string): string | undefined {
  try {
    return limitShape.safeParse(JSON.parse(text)).data?.error.message
  } catch {
    return undefined
  }
}
const limitShape = z.looseObject({ error: z.looseObject({ message: z.string().min(1) }) })

const methodOf = (body: unknown): string =>
  Array.isArray(body) ? wholeBatch : String((body as { method: string }).method)

const question = (id: number, { method, params }: RpcCall<unknown>) => ({
  jsonrpc: '2.0',
  id,
  method,
  params,
})

function readAnswer({ status, json }: Posted, endpoint: string): Answer {
  const parsed = answerShape.safeParse(json)
  if (!parsed.success)
    throw new RpcGarbled(endpoint, `HTTP ${status}, not a JSON-RPC answer`, { cause: parsed.error })
  const { result, error } = parsed.data
  if (error != null && result != null)
    throw new RpcGarbled(endpoint, 'answered with both a result and an error')
  return parsed.data
}

/** The answers of a batch by their ids, of which each is one of the questions' and comes once. */
function readBatch(
  { json: answers, status }: Posted,
  { first, last }: { first: number; last: number },
  endpoint: string,
): ReadonlyMap<number, Answer> {
  if (!Array.isArray(answers)) {
    const { error } = readAnswer({ status, json: answers }, endpoint)
    if (error != null) throw new RpcRefused(wholeBatch, { ...error, status })
    throw new RpcGarbled(endpoint, 'a batch was not answered by a list')
  }
  const byId = new Map<number, Answer>()
  for (const raw of answers) {
    const answer = readAnswer({ status, json: raw }, endpoint)
    if (answer.id == null || answer.id < first || answer.id > last || byId.has(answer.id))
      throw new RpcGarbled(endpoint, `a batch was answered with id ${answer.id}`)
    byId.set(answer.id, answer)
  }
  return byId
}

function resultOf<result>(
  call: RpcCall<result>,
  { answer, status }: { readonly answer: Answer; readonly status: number },
  endpoint: string,
): result {
  if (answer.error != null) throw new RpcRefused(call.method, { ...answer.error, status })
  if (answer.result === undefined)
    throw new RpcGarbled(endpoint, `${call.method} was answered with neither result nor error`)
  try {
    return call.parse(answer.result)
  } catch (cause) {
    if (cause instanceof BallastError) throw cause
    throw new RpcGarbled(endpoint, `${call.method} answered in an unexpected shape`, {
      ...{ cause, shape: answer.result === '0x' ? 'empty' : 'other' },
    })
  }
}
