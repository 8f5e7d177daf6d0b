import type { ServerResponse } from 'node:http'
import { setTimeout as delay } from 'node:timers/promises'
import { z } from 'zod'
import { serveBodies } from './serveBodies.ts'

type Call = { readonly id: number; readonly method: string; readonly params: readonly unknown[] }
type Answer = { readonly id: number | null; readonly [field: string]: unknown }

/** How a provider differs from a node of one's own. */
export type Profile = {
  /** Calls that one exchange may have; a larger one is refused whole, as these providers word it. */
  readonly batch?: { readonly most: number; readonly refusal: Refusal }
  /** Methods that are refused inside of a batch and answered alone. */
  readonly alone?: readonly string[]
  /** Methods it does not have. */
  readonly lacks?: readonly string[]
  /** A call takes no state overrides. */
  readonly plain?: boolean
  /** A batch is answered from its last call to its first. */
  readonly backwards?: boolean
  /** Every so many calls one is refused for their number: in the answer of that call, or as the status of the exchange. */
  readonly limit?: { readonly every: number; readonly by: 'item' | 'status' }
  /** Every other call is answered by a node that is one block behind, as far as a call says `latest`. */
  readonly behind?: boolean
  readonly latencyMs?: number
  /** Blocks that one question for logs may span. */
  readonly logs?: number
}

/** The words and the shape in which a provider refuses a batch. */
type Refusal = 'object' | 'status' | 'items'

const refusals = {
  // A single answer instead of a list.
  object: { code: -32_600, message: 'batch of that size is not allowed on this plan' },
  status: { code: -32_005, message: 'Batch size too large' },
  items: { code: 31, message: 'Batch of more than 3 requests are not allowed on free tier' },
}

/** A provider's endpoint in front of a real node. */
export async function startProvider(upstream: string, profile: Profile) {
  const exchanges: string[][] = []
  const trips: string[][] = []
  let underWay = 0
  let calls = 0
  let turn = 0
  const post = async (body: readonly Call[]): Promise<readonly Answer[]> => {
    const answer = await fetch(upstream, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body.map((call) => ({ jsonrpc: '2.0', ...call }))),
    })
    return (await answer.json()) as Answer[]
  }
  /** One exchange at a time: anvil stands still where traces and scenarios of an older block meet. */
  let queue: Promise<unknown> = Promise.resolve()
  const ask = (body: readonly Call[]): Promise<readonly Answer[]> => {
    const answer = queue.then(() => post(body))
    queue = answer.catch(() => undefined)
    return answer
  }
  const refuse = (id: number | null, error: { code: number; message: string }) => ({
    ...{ jsonrpc: '2.0', id },
    error,
  })
  const send = (response: ServerResponse, body: unknown, status = 200, headers = {}) =>
    void response
      .writeHead(status, { 'content-type': 'application/json', ...headers })
      .end(JSON.stringify(body))

  /**
   * As the node behind answers, every other call of a batch: `latest` is the newest block but one, and the newest is not there.
   * Undefined for what it refuses.
   */
  const late = async (call: Call): Promise<Call | undefined> => {
    turn += 1
    if (profile.behind !== true || turn % 2 === 0) return call
    const text = JSON.stringify(call.params)
    if (!text.includes('"latest"') && !text.includes('blockHash')) return call
    const [head] = await ask([{ id: 1, method: 'eth_getBlockByNumber', params: ['latest', false] }])
    const newest = z.object({ number: z.string(), hash: z.string() }).parse(head?.result)
    if (text.includes(newest.hash)) return undefined
    const before = `0x${(Number(newest.number) - 1).toString(16)}`
    return { ...call, params: call.params.map((one) => (one === 'latest' ? before : one)) }
  }

  let isBroadcastRefused = false
  const isDue = (by: 'item' | 'status', count: number) =>
    profile.limit?.by === by && count % profile.limit.every === 0
  /** All that is due to be refused is, but a broadcast every other time: it could meet the count each time. */
  const refuses = (list: readonly Call[]) => {
    if (!list.some(({ method }) => method === 'eth_sendRawTransaction')) return true
    isBroadcastRefused = !isBroadcastRefused
    return isBroadcastRefused
  }

  /** What this provider says without asking its node. */
  const own = (call: Call, inBatch: boolean): Answer | undefined => {
    calls += 1
    const { method, id, params } = call
    if (profile.lacks?.includes(method))
      return refuse(id, { code: -32_601, message: `the method ${method} does not exist` })
    if (profile.plain === true && method === 'eth_call' && params.length > 2)
      return refuse(id, { code: -32_602, message: 'requires between 1 and 2 arguments' })
    if (inBatch && profile.alone?.includes(method))
      return refuse(id, { code: -32_600, message: `${method} is unsupported in batch requests` })
    if (isDue('item', calls) && refuses([call]))
      return refuse(id, { code: 429, message: 'exceeded its compute units per second capacity' })
    const [range] = params as readonly { fromBlock?: string; toBlock?: string }[]
    if (
      method === 'eth_getLogs' &&
      Number(range?.toBlock) - Number(range?.fromBlock) >= (profile.logs ?? Number.MAX_SAFE_INTEGER)
    )
      return refuse(id, { code: -32_602, message: `up to a ${profile.logs} block range` })
    return undefined
  }

  const server = await serveBodies(async (text, response) => {
    const body = JSON.parse(text) as Call | Call[]
    const inBatch = Array.isArray(body)
    const list = [body].flat() as Call[]
    exchanges.push(list.map(({ method }) => method))
    if (underWay === 0) trips.push([])
    trips.at(-1)?.push(...list.map(({ method }) => method))
    underWay += 1
    response.on('close', () => {
      underWay -= 1
    })
    await delay(profile.latencyMs ?? 0)
    if (isDue('status', exchanges.length) && refuses(list))
      return send(response, 'slow down', 429, { 'retry-after': '0' })
    const { batch } = profile
    if (inBatch && batch !== undefined && list.length > batch.most) {
      const error = refusals[batch.refusal]
      if (batch.refusal === 'items')
        return send(
          response,
          list.map(({ id }) => refuse(id, error)),
        )
      return send(response, refuse(null, error), batch.refusal === 'status' ? 413 : 200)
    }
    const said = list.map((call) => own(call, inBatch))
    const passed: Call[] = []
    for (const [index, call] of list.entries()) {
      if (said[index] !== undefined) continue
      const known = inBatch ? await late(call) : call
      if (known === undefined)
        said[index] = refuse(call.id, { code: -32_000, message: 'header not found' })
      else passed.push(known)
    }
    const answered = passed.length === 0 ? [] : await ask(passed)
    const answers = list.map(
      ({ id }, index) => said[index] ?? answered.find((one) => one.id === id),
    )
    if (profile.backwards) answers.reverse()
    return send(response, inBatch ? answers : answers[0])
  })
  return {
    url: server.url,
    /** The methods of every exchange, in order. */
    exchanges,
    /** The methods of every round trip: exchanges at one time are one. */
    trips,
    close: server.close,
  }
}
