import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { SMTPServer } from 'smtp-server'
import type { Channels } from '../../../src/config/readChannels.ts'
import { secret, secretUrl } from '../../../src/core/secret.ts'

/** A message that a receiver took: the id of its event, and what a person reads. */
export type Taken = { readonly id: string; readonly text: string }

/** Somebody who is told, over the wire format of a channel. */
export type Receiver = {
  readonly channels: Channels
  readonly taken: Taken[]
  /** Ways in which the next messages are refused, first come first. */
  readonly refusals: Refuse[]
  /** Requests that arrived, refused ones included. */
  readonly asked: () => number
  readonly stop: () => Promise<void>
  readonly start: () => Promise<void>
}

/** `busy` for a minute, `away` for now, `markup` that it does not read, or an answer that is `lost` on its way. */
export type Refuse = 'busy' | 'away' | 'markup' | 'lost'

/** Made-up secrets, none of which may ever be printed. */
export const secrets = {
  token: '987654321:token-secret-of-telegram-tests',
  slack: 'path-secret-of-slack-tests',
  password: 'password-secret-of-mail-tests',
  key: 'key-secret-of-webhook-tests-0123456789',
}

const idIn = (text: string) => /event ([0-9a-f]{32})/.exec(text)?.[1] ?? 'no id'

type Answers = Readonly<Record<Refuse, (answer: ServerResponse) => unknown>> & {
  /** The message of a request, or undefined for one that the real party would not understand. */
  readonly read: (request: IncomingMessage, body: string) => Taken | undefined
  readonly take: (answer: ServerResponse) => unknown
}

async function overHttp(
  { read, take, ...refuse }: Answers,
  channelsAt: (url: string) => Channels,
): Promise<Receiver> {
  const taken: Taken[] = []
  const refusals: Refuse[] = []
  let asked = 0
  const server = createServer(async (request, answer) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    asked += 1
    const message = read(request, Buffer.concat(chunks).toString())
    const refusal = refusals.shift()
    if (refusal === 'lost' && message !== undefined) taken.push(message)
    if (refusal !== undefined) refuse[refusal](answer)
    else if (message === undefined) answer.writeHead(404).end()
    else {
      taken.push(message)
      take(answer)
    }
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    ...{ taken, refusals, asked: () => asked },
    channels: channelsAt(`http://127.0.0.1:${port}`),
    async stop() {
      server.close()
      server.closeAllConnections()
    },
    async start() {
      server.listen(port, '127.0.0.1')
      await once(server, 'listening')
    },
  }
}

const lost = (answer: ServerResponse) => answer.socket?.destroy()
const json = (answer: ServerResponse, status: number, value: unknown) =>
  answer.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value))

/** As the Bot API answers: the status stands in the body as well, and so does the wait. */
const telegramSays =
  (status: number, description: string, parameters?: object) => (answer: ServerResponse) =>
    json(answer, status, { ok: false, error_code: status, description, parameters })

const startTelegram = () =>
  overHttp(
    {
      read({ url, method }, body) {
        if (method !== 'POST' || url !== `/bot${secrets.token}/sendMessage`) return undefined
        const { chat_id, text, parse_mode } = JSON.parse(body)
        if (chat_id !== '-1001' || text.length > 4_096) return undefined
        // As HTML it takes a bold title and nothing that is not escaped.
        const inner = text.replace(/^<b>(.*)<\/b>/, '$1')
        if (parse_mode === 'HTML' && /[<>]/.test(inner)) return undefined
        return { id: idIn(text), text }
      },
      take: (answer) => json(answer, 200, { ok: true, result: { message_id: 7 } }),
      busy: telegramSays(429, 'Too Many Requests: retry after 60', { retry_after: 60 }),
      away: telegramSays(502, 'Bad Gateway'),
      markup: telegramSays(400, "Bad Request: can't parse entities: Unsupported start tag"),
      lost,
    },
    (url) => ({
      telegram: { url: secretUrl(`${url}/bot${secret(secrets.token).reveal()}`), chat: '-1001' },
    }),
  )

const plain =
  (status: number, text: string, headers = {}) =>
  (answer: ServerResponse) =>
    answer.writeHead(status, { 'content-type': 'text/html', ...headers }).end(text)

const startSlack = () =>
  overHttp(
    {
      read({ url, method, headers }, body) {
        const isOurs = url === `/services/T0/B0/${secrets.slack}` && method === 'POST'
        if (!isOurs || headers['content-type'] !== 'application/json') return undefined
        const { text } = JSON.parse(body)
        return { id: idIn(text), text }
      },
      take: plain(200, 'ok'),
      busy: plain(429, 'rate_limited', { 'retry-after': '60' }),
      away: plain(503, 'service_unavailable'),
      markup: plain(400, 'invalid_payload'),
      lost,
    },
    (url) => ({ slack: { url: secretUrl(`${url}/services/T0/B0/${secrets.slack}`) } }),
  )

const startWebhook = () =>
  overHttp(
    {
      read({ headers }, body) {
        const { id, sentence } = JSON.parse(body)
        return headers['ballast-event-id'] === id ? { id, text: sentence } : undefined
      },
      take: plain(200, ''),
      busy: plain(429, '', { 'retry-after': '60' }),
      away: plain(503, ''),
      markup: plain(503, ''),
      lost,
    },
    (url) => ({ webhook: { url: secretUrl(`${url}/hook?k=1`), key: secret(secrets.key) } }),
  )

/** A mail server with a login. What it refuses, it refuses when it has the whole message. */
async function startMail(): Promise<Receiver> {
  const taken: Taken[] = []
  const refusals: Refuse[] = []
  let asked = 0
  let port = 0
  const open = () =>
    new SMTPServer({
      ...{ authOptional: false, allowInsecureAuth: true, disabledCommands: ['STARTTLS'] },
      logger: false,
      onAuth({ username, password }, _session, done) {
        if (username === 'desk' && password === secrets.password)
          return done(null, { user: 'desk' })
        return done(new Error('no such account'))
      },
      onData(stream, { envelope }, done) {
        const chunks: Buffer[] = []
        stream.on('data', (chunk: Buffer) => chunks.push(chunk))
        stream.on('end', () => {
          asked += 1
          const text = Buffer.concat(chunks).toString()
          const id = /^Message-ID: <([0-9a-f]{32})@/im.exec(text)?.[1] ?? 'no id'
          const refusal = refusals.shift()
          const to = envelope.rcptTo.map(({ address }) => address).join(' ')
          if (to !== 'a@desk.example b@desk.example') return done(codeOf(550))
          if (refusal === undefined || refusal === 'lost') taken.push({ id, text })
          if (refusal === undefined) return done()
          return done(codeOf(refusal === 'markup' ? 554 : 451))
        })
      },
    })
  let server = open()
  const start = async () => {
    server = open()
    server.on('error', () => {})
    const listening = server.listen(port, '127.0.0.1')
    await once(listening, 'listening')
    port = (listening.address() as AddressInfo).port
  }
  await start()
  return {
    ...{ taken, refusals, asked: () => asked, start },
    channels: {
      mail: {
        url: secretUrl(`smtp://desk:${secrets.password}@127.0.0.1:${port}`),
        ...{ from: 'bot@desk.example', to: ['a@desk.example', 'b@desk.example'] },
      },
    },
    stop: () => new Promise((resolve) => server.close(() => resolve())),
  }
}

const codeOf = (responseCode: number) =>
  Object.assign(new Error('a test says no'), { responseCode })

export const receivers: readonly (readonly [string, () => Promise<Receiver>])[] = [
  ['webhook', startWebhook],
  ['telegram', startTelegram],
  ['slack', startSlack],
  ['mail', startMail],
]
