import type { Readable } from 'node:stream'
import { type Dispatcher, EnvHttpProxyAgent, Pool } from 'undici'
import { BallastError, ballastError, usageError } from '../core/errors.ts'
import { isLoopback } from '../core/hostOf.ts'
import { withoutCredentials } from '../core/secret.ts'

/** An answer as it came, not yet trusted. */
export type HttpAnswer = {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly text: string
}

/** One request below the client's base URL. */
export type HttpRequest = {
  readonly method: 'GET' | 'POST'
  /** Path and query, appended to the base URL. */
  readonly path: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
  readonly signal?: AbortSignal
  /** Makes a text of the body. UTF-8 by itself. */
  readonly decode?: (bytes: Buffer) => string
}

/** Connections to one base URL, with every limit its own. */
export type Http = {
  /** Scheme and host, without anything that may be a key. Safe to print. */
  readonly label: string
  send(request: HttpRequest): Promise<HttpAnswer>
  close(): Promise<void>
}

type Limits = {
  readonly url: string
  /** The operator's name for it, and where it is set: for the sentence that reports it away. */
  readonly name?: string
  readonly setBy?: string
  /** A Unix socket of this machine, over which the host is reached. */
  readonly socketPath?: string
  /** One deadline for the whole exchange, body included: undici's own never fires on a slow drip. */
  readonly timeoutMs: number
  /** Counted on the decoded stream: undici's own counts compressed bytes. */
  readonly maxBytes: number
}

/**
 * Opens connections to one service.
 *
 * Identity encoding only, redirects are failures (undici would carry custom headers such as `apiKey` to another host),
 * one deadline per exchange, a cap on the bytes read.
 */
export function createHttp({ url, name, setBy, socketPath, ...limits }: Limits): Http {
  const { timeoutMs, maxBytes } = limits
  const base = new URL(url)
  const label = withoutCredentials(url)
  const who = name === undefined ? label : `The ${name} ${label}`
  const advice = setBy === undefined ? '' : ` Start it, or correct ${setBy}.`
  // With no path of its own a request goes to the address as it was written: a server may redirect one without its slash.
  const prefix = base.pathname.replace(/\/$/, '')
  const credentials: Record<string, string> =
    base.username === ''
      ? {}
      : {
          authorization: `Basic ${Buffer.from(`${decodeURIComponent(base.username)}:${decodeURIComponent(base.password)}`).toString('base64')}`,
        }
  const width = { connections: 8, pipelining: 1 }
  // What is beyond this machine goes the way that HTTPS_PROXY, HTTP_PROXY and NO_PROXY say.
  const dispatcher =
    socketPath === undefined && !isLoopback(base.hostname)
      ? openProxied(width)
      : new Pool(base.origin, { ...width, ...(socketPath === undefined ? {} : { socketPath }) })

  return {
    label,
    close: () => closeWithin(closeMs, dispatcher),
    async send({ method, path, headers = {}, body, signal, decode = utf8 }) {
      const deadline = AbortSignal.timeout(timeoutMs)
      const ending = signal === undefined ? deadline : AbortSignal.any([deadline, signal])
      try {
        const answer = await untilEnded(
          dispatcher.request({
            origin: base.origin,
            method,
            path: (path === '' ? base.pathname : prefix + path) + searchOf(base, path),
            headers: { 'accept-encoding': 'identity', ...credentials, ...headers },
            signal: ending,
            ...(body === undefined ? {} : { body }),
          }),
          ending,
        )
        if (answer.statusCode >= 300 && answer.statusCode < 400) {
          // Without a listener undici's own AbortError would end the process.
          answer.body.on('error', () => undefined).destroy()
          throw ballastError(
            'HTTP_REDIRECT',
            `${label} answered with a redirect, which is never followed.`,
            { status: answer.statusCode },
          )
        }
        const text = decode(await readCapped(answer.body, { label, maxBytes }))
        return { status: answer.statusCode, headers: flatten(answer.headers), text }
      } catch (cause) {
        if (cause instanceof BallastError) throw cause
        if (signal?.aborted === true) throw signal.reason
        throw unavailable(
          deadline.aborted
            ? `${who} did not answer within ${timeoutMs} ms.`
            : isOfCertificate(reasonOf(cause))
              ? `${who} has a certificate that this machine does not trust. One of an authority of your own: NODE_EXTRA_CA_CERTS.`
              : `${who} cannot be reached.${advice}`,
          { reason: reasonOf(cause) },
          cause,
        )
      }
    },
  }
}

/** The query of an address, which may hold a key, beside that of a request. */
const searchOf = ({ search }: URL, path: string) =>
  path.includes('?') ? search.replace('?', '&') : search

/** Throws USAGE where the environment names no proxy: its value may have a password, and is not repeated. */
function openProxied(options: { readonly connections: number; readonly pipelining: number }) {
  try {
    return new EnvHttpProxyAgent(options)
  } catch {
    throw usageError('HTTPS_PROXY or HTTP_PROXY is no address of a proxy: write http://host:port.')
  }
}

/** A request that waits for a connection, such as one through a silent proxy, does not hear its signal. */
function untilEnded<answer extends { readonly body: Readable }>(
  asked: Promise<answer>,
  ending: AbortSignal,
): Promise<answer> {
  return new Promise((resolve, reject) => {
    const end = () => reject(ending.reason)
    ending.addEventListener('abort', end, { once: true })
    asked.then((answer) => {
      ending.removeEventListener('abort', end)
      // Nobody reads what comes too late.
      if (ending.aborted) answer.body.on('error', () => undefined).destroy()
      resolve(answer)
    }, reject)
  })
}

/** For requests in hand, when their client is closed. */
const closeMs = 3_000

function closeWithin(ms: number, dispatcher: Dispatcher): Promise<void> {
  return new Promise((resolve, reject) => {
    const late = () => void dispatcher.destroy().then(resolve, reject)
    AbortSignal.timeout(ms).addEventListener('abort', late, { once: true })
    dispatcher.close().then(resolve, reject)
  })
}

async function readCapped(
  body: AsyncIterable<Uint8Array>,
  { label, maxBytes }: { label: string; maxBytes: number },
): Promise<Buffer> {
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of body) {
    size += chunk.length
    if (size > maxBytes)
      throw ballastError('HTTP_TOO_LARGE', `${label} sent more than ${maxBytes} bytes.`, {
        limit: maxBytes,
      })
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

const utf8 = (bytes: Buffer) => bytes.toString('utf8')

function flatten(headers: Record<string, string | string[] | undefined>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [
      name,
      Array.isArray(value) ? value.join(', ') : (value ?? ''),
    ]),
  )
}

const isOfCertificate = (reason: string): boolean => /CERT|SELF_SIGNED|UNABLE_TO_/.test(reason)

function reasonOf(cause: unknown): string {
  if (!(cause instanceof Error)) return 'unknown'
  if (/^Proxy response/.test(cause.message)) return cause.message
  const code = (cause as NodeJS.ErrnoException).code
  return code ?? cause.name
}

function unavailable(summary: string, facts: Record<string, string | number>, cause?: unknown) {
  return ballastError('UNREACHABLE', summary, facts, cause)
}
