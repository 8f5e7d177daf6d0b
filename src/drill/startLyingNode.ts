import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Hex } from '../chain/calls/fields.ts'
import { createHttp, type Http } from '../chain/http.ts'
import type { DrillScene } from './createForger.ts'
import type { Lie, NodeAnswer, NodeCall, NodeScene, RpcLie } from './lie.ts'

/**
 * A node that lies on demand, in front of an honest one. Everything that passes is counted: the verdict rests on it.
 */
export type LyingNode = {
  readonly url: string
  /** Its answers from now on; undefined: the truth. Forgets its counts. */
  tell(lie: Lie | undefined): void
  /** The bot has started: lies about swaps begin. */
  swapBegins(): void
  /** Transactions it was given since the last {@link tell}, whether or not it passed them on. */
  sent(): readonly Hex[]
  close(): Promise<void>
}

type Question = NodeCall & { readonly id: unknown }

const bodyBytesMax = 16 * 1_024 * 1_024
const send = 'eth_sendRawTransaction'

export async function startLyingNode({
  upstream,
  scene: place,
}: {
  upstream: string
  scene: DrillScene
}): Promise<LyingNode> {
  const node = createHttp({ url: upstream, timeoutMs: 10_000, maxBytes: bodyBytesMax })
  const traffic = createTraffic()
  const scene: NodeScene = {
    ...place,
    get sent() {
      return traffic.sent()
    },
    count: traffic.count,
    async ask(method, params) {
      const answer = (await post(node, { jsonrpc: '2.0', id: 1, method, params })) as NodeAnswer
      return answer.result
    },
  }

  async function answerOne(question: Question, told: RpcLie | undefined): Promise<NodeAnswer> {
    const { id } = question
    const invented = await told?.instead?.(question, scene)
    const answer =
      invented === undefined
        ? ((await post(node, { jsonrpc: '2.0', ...question })) as NodeAnswer)
        : { id, ...invented }
    const bent = (await told?.bend?.(question, answer, scene)) ?? answer
    return { ...bent, ...{ jsonrpc: '2.0' } }
  }

  async function reply(request: IncomingMessage): Promise<string> {
    const body = JSON.parse(await read(request)) as Question | Question[]
    const questions = [body].flat()
    traffic.add(questions)
    const told = traffic.lie()
    const answers = await (told?.instead === undefined && told?.bend === undefined
      ? (post(node, body).then((all) => [all].flat()) as Promise<NodeAnswer[]>)
      : Promise.all(questions.map((question) => answerOne(question, told))))
    return (
      told?.reply?.(answers, questions, scene) ??
      JSON.stringify(Array.isArray(body) ? answers : answers[0])
    )
  }

  const server = createServer((request, response) => {
    reply(request).then(
      (text) => {
        if (text === 'drop') request.socket.destroy()
        else response.writeHead(200, { 'content-type': 'application/json' }).end(text)
      },
      // A call the liar cannot carry out is a broken connection, as of any node.
      () => request.socket.destroy(),
    )
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { tell, swapBegins, sent } = traffic
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    tell,
    swapBegins,
    sent,
    async close() {
      server.closeAllConnections()
      await new Promise<void>((resolve) => server.close(() => resolve()))
      await node.close()
    },
  }
}

function lieOfNode(lie: Lie | undefined): RpcLie | undefined {
  if (lie?.kind === 'rpc') return lie
  return lie?.kind === 'quote' && lie.node !== undefined
    ? { ...lie.node, kind: 'rpc', name: lie.name, what: lie.what }
    : undefined
}

/** The lie that was told last, and everything that has passed since then. */
function createTraffic() {
  let told: RpcLie | undefined
  let begun = false
  let sent: Hex[] = []
  let counts = new Map<string, number>()
  return {
    tell(next: Lie | undefined): void {
      told = lieOfNode(next)
      begun = false
      sent = []
      counts = new Map()
    },
    swapBegins(): void {
      begun = true
    },
    add(questions: readonly Question[]): void {
      for (const { method, params } of questions) {
        counts.set(method, (counts.get(method) ?? 0) + 1)
        if (method === send) sent.push(params[0] as Hex)
      }
    },
    sent: (): readonly Hex[] => sent,
    count: (method: string) => counts.get(method) ?? 0,
    /** The lie in force; undefined before its time has come. */
    lie(): RpcLie | undefined {
      if (told === undefined) return undefined
      const since = { start: true, swap: begun, send: sent.length > 0 }
      return since[told.from ?? 'swap'] ? told : undefined
    },
  }
}

async function post(node: Http, body: unknown): Promise<unknown> {
  const { text } = await node.send({
    method: 'POST',
    path: '',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  return JSON.parse(text)
}

async function read(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of request) {
    size += (chunk as Buffer).length
    if (size > bodyBytesMax) throw new Error('a request of the bot is this large')
    chunks.push(chunk as Buffer)
  }
  return Buffer.concat(chunks).toString('utf8')
}
