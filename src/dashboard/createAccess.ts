import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import type { Socket } from 'node:net'
import { TLSSocket } from 'node:tls'
import type { Clock } from '../core/clock.ts'
import { type BallastError, ballastError } from '../core/errors.ts'
import type { Secret } from '../core/secret.ts'
import { minuteMs } from '../core/spans.ts'

/** A viewer sees everything and changes nothing. */
type Role = 'operator' | 'viewer'

export type AccessTokens = { readonly operator: Secret; readonly viewer: Secret | undefined }

type Caller = { readonly headers: IncomingHttpHeaders; readonly address: string }

/** Wrong tokens of one address within a minute that are answered as such. */
const failuresMax = 10

/**
 * Decides who a caller is. Tokens and cookies are compared as HMACs under a key of this process, which takes the same
 * time for every guess; the cookie is such an HMAC, so it holds no token and ends with the process.
 */
export function createAccess({ operator, viewer }: AccessTokens, clock: Pick<Clock, 'now'>) {
  const key = randomBytes(32)
  const digest = (text: string) => createHmac('sha256', key).update(text).digest()
  const known: readonly (readonly [Role, Buffer])[] = [
    ['operator', digest(operator.reveal())],
    ...(viewer === undefined ? [] : [['viewer', digest(viewer.reveal())] as const]),
  ]
  const roleOf = (given: Buffer) =>
    // Every one is compared, whichever matches.
    known.filter(([, own]) => given.length === own.length && timingSafeEqual(given, own))[0]?.[0]
  const failures = createFailures(clock)

  /** The role of a token. Throws ACCESS_DENIED, or ACCESS_LIMITED after too many wrong ones. */
  function roleOfToken(token: string, address: string): Role {
    const role = roleOf(digest(token))
    // One that is right is let in whatever others at its address do, such as all behind one proxy: nobody guesses it.
    if (role !== undefined) return role
    if (failures.of(address) >= failuresMax)
      throw ballastError('ACCESS_LIMITED', 'Too many wrong tokens: try again in a minute.')
    failures.add(address)
    throw denied('The token is wrong.')
  }

  return {
    /** The role of a caller by its bearer token, or else by the cookie of that name. */
    identify({ headers, address }: Caller, cookieName: string): Role {
      const [, bearer] = /^bearer +(\S+) *$/i.exec(headers.authorization ?? '') ?? []
      if (bearer !== undefined) return roleOfToken(bearer, address)
      const cookie = cookieOf(headers.cookie, cookieName)
      const role = cookie === undefined ? undefined : roleOf(Buffer.from(cookie, 'hex'))
      if (role === undefined)
        throw denied(
          'A token is needed: send it as a bearer token, or open /?token=… once in a browser.',
        )
      return role
    },
    /** The cookie that stands for a token, which no script and no other site can use. */
    cookieFor(token: string, { address, cookieName }: { address: string; cookieName: string }) {
      roleOfToken(token, address)
      return `${cookieName}=${digest(token).toString('hex')}; Path=/; HttpOnly; SameSite=Strict`
    },
  }
}

/**
 * The role of a client by its certificate: an operator where its one common name is listed, or else a viewer. Throws
 * ACCESS_DENIED for a connection without a certificate of our authority.
 */
export function roleOfPeer(socket: Socket, operators: readonly string[]): Role {
  if (!(socket instanceof TLSSocket) || !socket.authorized)
    throw denied('A client certificate is needed.')
  return operators.includes(nameOfPeer(socket)) ? 'operator' : 'viewer'
}

/** The common name of a peer's certificate; empty for none. Several names arrive as a list, which is none. */
export function nameOfPeer(socket: Socket): string {
  const name: unknown = socket instanceof TLSSocket ? socket.getPeerCertificate().subject?.CN : ''
  return typeof name === 'string' ? name : ''
}

/** Addresses counted within a minute: who has more of them fills no memory, and guesses no token of 32 characters. */
export const addressesMax = 10_000

/** Counts of the current minute alone, so that it stays small. */
export function createFailures(clock: Pick<Clock, 'now'>) {
  let minute = 0
  let counts = new Map<string, number>()
  const current = () => {
    const now = Math.floor(clock.now() / minuteMs)
    if (now !== minute) counts = new Map()
    minute = now
    return counts
  }
  const of = (address: string) => current().get(address) ?? 0
  return {
    of,
    add(address: string): void {
      const known = current()
      if (known.has(address) || known.size < addressesMax) known.set(address, of(address) + 1)
    },
    size: () => current().size,
  }
}

function cookieOf(header: string | undefined, name: string): string | undefined {
  const pairs = (header ?? '').split(';').map((pair) => pair.trim())
  return pairs.find((pair) => pair.startsWith(`${name}=`))?.slice(name.length + 1)
}

const denied = (summary: string): BallastError => ballastError('ACCESS_DENIED', summary)
