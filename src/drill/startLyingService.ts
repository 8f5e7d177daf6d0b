import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { FirmQuote } from '../api/firmQuote.ts'
import { createHttp, type HttpAnswer } from '../chain/http.ts'
import type { Clock } from '../core/clock.ts'
import { compactJson, parseJson } from '../core/json.ts'
import { type Forger, honestQuote } from './createForger.ts'
import type { Lie } from './lie.ts'

/** A service that lies on demand, in front of an honest one. */
export type LyingService = {
  readonly url: string
  /** Its answers from now on; undefined: the truth. */
  tell(lie: Lie | undefined): void
  /** Requests that arrived where a redirect wanted them. */
  trapped(): number
  /** The last honest firm quote, as it came. */
  lastFirm(): string | undefined
  close(): Promise<void>
}

const answerBytesMax = 1_024 * 1_024

export async function startLyingService({
  upstream,
  forger,
  clock,
}: {
  upstream: string
  forger: Forger
  clock: Clock
}): Promise<LyingService> {
  const service = createHttp({ url: upstream, timeoutMs: 10_000, maxBytes: answerBytesMax })
  let lie: Lie | undefined
  let trapped = 0
  let lastFirm: string | undefined
  const counts = new Map<string, number>()
  const trap = createServer((_, response) => {
    trapped += 1
    response.end('{}')
  })
  const trapUrl = await listen(trap)

  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    const path = request.url ?? '/'
    const endpoint = /^\/v1\/([a-z-]+)/.exec(path)?.[1] ?? ''
    const told = lie
    const apiKey = request.headers.apikey
    const honest = async (): Promise<HttpAnswer> => {
      const headers: Record<string, string> = typeof apiKey === 'string' ? { apiKey } : {}
      const answered = await service.send({ method: 'GET', path, headers })
      if (endpoint === 'firm-quote' && answered.status === 200) lastFirm = answered.text
      return answered
    }
    const earlier = counts.get(endpoint) ?? 0
    counts.set(endpoint, earlier + 1)
    if (told?.kind === 'http' && told.at === endpoint)
      return told.answer({ request, response, honest, earlier, trap: trapUrl, clock })
    const { status, text } = await honest()
    response.writeHead(status, { 'content-type': 'application/json' })
    if (told?.kind !== 'quote' || status !== 200) return void response.end(text)
    if (endpoint === 'firm-quote') {
      const bent = await told.bend(honestQuote(parseJson(text) as FirmQuote), forger)
      return void response.end(typeof bent === 'string' ? bent : compactJson(bent))
    }
    response.end(told.chorusBps === undefined ? text : inChorus(endpoint, text, told.chorusBps))
  }

  const server = createServer((request, response) => {
    // An exchange a liar cannot finish ends as a broken connection; the verdict is about the bot's reaction.
    Promise.resolve(answer(request, response)).catch(() => response.destroy())
  })
  const url = await listen(server)
  return {
    url,
    tell(next) {
      lie = next
      trapped = 0
      counts.clear()
    },
    trapped: () => trapped,
    lastFirm: () => lastFirm,
    async close() {
      for (const one of [server, trap]) {
        one.closeAllConnections()
        await new Promise<void>((resolve) => one.close(() => resolve()))
      }
      await service.close()
    },
  }
}

/** The answers beside the firm quote, at another price. */
function inChorus(endpoint: string, text: string, bps: bigint): string {
  if (endpoint === 'indicative-quote')
    return text.replace(
      /("buyerTokenAmountWei":")(\d+)/,
      (_, key: string, wei: string) => key + (BigInt(wei) * bps) / 10_000n,
    )
  if (endpoint !== 'orderbook') return text
  // A bid is the yield of the base, an ask its cost: both move with the price of the base.
  const book = JSON.parse(text) as { levels: [number, number][] }[]
  return JSON.stringify(
    book.map((pair) => ({
      ...pair,
      levels: pair.levels.map(([amount, price]) => [amount, (price * Number(bps)) / 10_000]),
    })),
  )
}

async function listen(server: ReturnType<typeof createServer>): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}
