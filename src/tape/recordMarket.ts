import type { Watch } from '../bot/strategy/index.ts'
import { type Block, getBlock } from '../chain/calls/node.ts'
import { createHttp, type Http } from '../chain/http.ts'
import type { Rpc } from '../chain/rpc/rpc.ts'
import type { Clock } from '../core/clock.ts'
import { BallastError } from '../core/errors.ts'
import { compactJson } from '../core/json.ts'
import type { Secret } from '../core/secret.ts'
import type { Address } from '../core/token.ts'
import type { TapeWriter } from './openTapeWriter.ts'
import type { TapeLine } from './tapeLine.ts'

type Recording = {
  readonly service: { readonly url: Secret; readonly apiKey: Secret | undefined }
  readonly rpc: Rpc
  /** As the service names it. */
  readonly chain: string
  readonly wallet: Address
  /** The pairs and amounts of indicative quotes; each once. */
  readonly watches: readonly Watch[]
  readonly everyMs: number
  /** Ends by itself after so long; undefined for not at all. */
  readonly forMs: number | undefined
  readonly writer: Pick<TapeWriter, 'append'>
  readonly clock: Clock
  readonly monotonic: () => number
  /** The first of this ends it. */
  readonly signal: AbortSignal
}

/** A book of every pair of a chain has tens of thousands of levels. */
const bytesMax = 32 * 1024 * 1024
const timeoutMs = 10_000

/** The taped answers by endpoint, and the failed ones. */
export type Recorded = {
  readonly orderbook: number
  readonly 'indicative-quote': number
  readonly head: number
  readonly failed: number
}

/**
 * Tapes a market until the signal: head, order book and indicative quotes at every period. Failures are taped as well:
 * they are part of the market. Firm quotes are not requested: each one binds makers who then wait for a trade.
 */
export async function recordMarket(recording: Recording): Promise<Recorded> {
  const { service, rpc, chain, wallet, everyMs, forMs, writer, clock, monotonic, signal } =
    recording
  const http = createHttp({ url: service.url.reveal(), timeoutMs, maxBytes: bytesMax })
  const headers: Record<string, string> = {
    accept: 'application/json',
    ...(service.apiKey === undefined ? {} : { apiKey: service.apiKey.reveal() }),
  }
  const counts = { orderbook: 0, 'indicative-quote': 0, head: 0, failed: 0 }
  let headBlock: number | null = null
  const questions = questionsOf(recording.watches, { chain, wallet })

  /** Sends a request, and makes a line of its answer. */
  async function taped(
    endpoint: TapeLine['endpoint'],
    query: string,
    ask: () => Promise<{ readonly status: number; readonly body: string }>,
  ): Promise<TapeLine | undefined> {
    const begun = monotonic()
    const { status, body } = await ask()
    if (signal.aborted) return undefined
    const [tMono, tWall] = [monotonic(), clock.now()]
    counts[endpoint] += 1
    if (status !== 200) counts.failed += 1
    const latencyMs = Math.round(tMono - begun)
    return { tMono: Math.round(tMono), tWall, endpoint, query, status, body, latencyMs, headBlock }
  }

  const startedAt = monotonic()
  const isOver = () => signal.aborted || (forMs !== undefined && monotonic() - startedAt >= forMs)
  try {
    while (!isOver()) {
      const begun = monotonic()
      const head = await taped('head', '', async () => {
        const answer = await askHead(rpc)
        headBlock = answer.number ?? headBlock
        return answer
      })
      const lines = await Promise.all([
        taped('orderbook', searchOf({ chain }), () =>
          askService(http, { path: '/v1/orderbook', query: searchOf({ chain }), headers, signal }),
        ),
        ...questions.map((query) =>
          taped('indicative-quote', query, () =>
            askService(http, { path: '/v1/indicative-quote', query, headers, signal }),
          ),
        ),
      ])
      // In the order of their answers: what is read later was not known before.
      for (const line of [head, ...lines]
        .filter((one) => one !== undefined)
        .sort((a, b) => a.tMono - b.tMono))
        await writer.append(line)
      const left = everyMs - (monotonic() - begun)
      if (!isOver() && left > 0) await rest(clock, { milliseconds: left, signal })
    }
  } finally {
    await http.close()
  }
  return counts
}

async function rest(
  clock: Clock,
  { milliseconds, signal }: { milliseconds: number; signal: AbortSignal },
): Promise<void> {
  try {
    await clock.sleep(milliseconds, signal)
  } catch (error) {
    if (!signal.aborted) throw error
  }
}

/** The questions of the watches as canonical queries, each once. */
function questionsOf(
  watches: readonly Watch[],
  { chain, wallet }: { readonly chain: string; readonly wallet: Address },
): readonly string[] {
  const queries = watches.map(({ sell, buy }) =>
    searchOf({
      amount_wei: sell.wei.toString(),
      chain,
      from_address: wallet,
      token_in: sell.token.address,
      token_out: buy.address,
    }),
  )
  return [...new Set(queries)]
}

const searchOf = (query: Readonly<Record<string, string>>) => {
  const search = new URLSearchParams(query)
  search.sort()
  return search.toString()
}

async function askService(
  http: Http,
  {
    path,
    query,
    headers,
    signal,
  }: { path: string; query: string; headers: Record<string, string>; signal: AbortSignal },
): Promise<{ status: number; body: string }> {
  try {
    const { status, text } = await http.send({
      method: 'GET',
      path: `${path}?${query}`,
      headers,
      signal,
    })
    return { status, body: text }
  } catch (error) {
    // The tape records that no answer came at this instant; the code has the reason.
    if (error instanceof BallastError) return { status: 0, body: error.code }
    if (signal.aborted) return { status: 0, body: '' }
    throw error
  }
}

async function askHead(
  rpc: Rpc,
): Promise<{ status: number; body: string; number: Block['number'] | undefined }> {
  try {
    const block = await rpc.request(getBlock('latest'))
    return block === undefined
      ? { status: 404, body: 'null', number: undefined }
      : { status: 200, body: compactJson(block), number: block.number }
  } catch (error) {
    if (error instanceof BallastError) return { status: 0, body: error.code, number: undefined }
    throw error
  }
}
