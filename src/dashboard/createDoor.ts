import { X509Certificate } from 'node:crypto'
import type { ServerOptions } from 'node:https'
import { isIP } from 'node:net'
import type { FastifyInstance } from 'fastify'
import { type BallastError, ballastError } from '../core/errors.ts'
import { requestBounds } from '../core/requestBounds.ts'
import type { Secret } from '../core/secret.ts'

/** Where a dashboard listens, and how. */
export type Place = {
  /** Address to bind. */
  readonly host: string
  /** 0 is any free one. */
  readonly port: number
  /** Further `name:port` that browsers may request, such as a published port or a proxy. */
  readonly hosts?: readonly string[]
  /** In the place of host and port. */
  readonly socket?: PrivateSocket | undefined
  readonly tls?: ClientTls | undefined
}

type PrivateSocket = {
  readonly path: string
  /** Makes the socket one that only this user can open, while `listen` opens it. */
  readonly bind: (listen: () => Promise<unknown>) => Promise<void>
}

/** HTTPS for clients with a certificate. Texts are PEM. */
type ClientTls = {
  readonly cert: string
  readonly key: Secret
  /** The authority of every client. */
  readonly clientCa: string
  /** Common names of the clients that may halt; all others may look. */
  readonly operators: readonly string[]
}

/** Where requests come in, and under which names. */
export type Door = {
  readonly scheme: 'http' | 'https'
  /** Options of the HTTP server. */
  readonly server: typeof requestBounds & { readonly https?: ServerOptions }
  /** Whether the dashboard is known by this `Host`, in lower case. */
  knows(host: string, app: FastifyInstance): boolean
  /** The bound port; at a socket the configured one. */
  portOf(app: FastifyInstance): number
  /** The address for people. Throws PORT_IN_USE, or what the socket cannot be. */
  listen(app: FastifyInstance): Promise<string>
}

/** Connections held at once. The bot needs its files for itself; the other ways to halt need no connection. */
export const connectionsMax = 256

/** The door of a dashboard: plain HTTP at an address, HTTPS with client certificates there, or a Unix socket. */
export function createDoor({ host, port, hosts = [], socket, tls }: Place): Door {
  const scheme = tls === undefined ? 'http' : 'https'
  const extra = new Set(hosts.map((name) => name.toLowerCase()))
  const portOf = ({ server }: FastifyInstance) => {
    const address = server.address()
    return typeof address === 'object' && address !== null ? address.port : port
  }
  const isOwn = ownNames({ host, socket, tls })

  return {
    scheme,
    server: {
      ...requestBounds,
      ...(tls === undefined ? {} : { https: { ...requestBounds.http, ...serverOptions(tls) } }),
    },
    portOf,
    knows: (asked, app) => extra.has(asked) || isOwn(asked, portOf(app)),
    async listen(app) {
      app.server.maxConnections = connectionsMax
      if (socket !== undefined) {
        // Bound at once, because the mode of all new files is ours alone until then.
        await app.ready()
        await socket.bind(() => app.listen({ path: socket.path }))
        return `unix:${socket.path}`
      }
      try {
        await app.listen({ host, port })
      } catch (cause) {
        throw (cause as NodeJS.ErrnoException).code === 'EADDRINUSE'
          ? portInUse(port, cause)
          : cause
      }
      const shown = host === '0.0.0.0' || host === '::' ? 'localhost' : bracketed(host)
      return `${scheme}://${shown}:${portOf(app)}`
    },
  }
}

/** A client without a certificate of the authority gets no further than the handshake. */
const serverOptions = ({ cert, key, clientCa }: ClientTls): ServerOptions => ({
  ...{ cert, key: key.reveal(), ca: clientCa, requestCert: true, rejectUnauthorized: true },
  // Before it no limit of a request runs.
  handshakeTimeout: requestBounds.requestTimeout,
})

/**
 * The test of a `Host`. A browser at a socket comes through a tunnel whose port nobody here knows. With TLS it has
 * compared the name with our certificate before it sent anything, so the names of that are ours, whatever the port.
 */
function ownNames({ host, socket, tls }: Omit<Place, 'port'>) {
  const local = ['localhost', '127.0.0.1', '[::1]']
  if (socket !== undefined) return (asked: string) => local.includes(asked.replace(/:\d+$/, ''))
  if (tls !== undefined) {
    const certificate = new X509Certificate(tls.cert)
    return (asked: string) => {
      const name = asked.replace(/:\d+$/, '').replace(/^\[(.*)\]$/, '$1')
      const known = isIP(name) === 0 ? certificate.checkHost(name) : certificate.checkIP(name)
      return known !== undefined
    }
  }
  const names = [...local, bracketed(host).toLowerCase()]
  const isEverywhere = host === '0.0.0.0' || host === '::'
  return (asked: string, port: number) =>
    // Browsers leave out the port that http has by itself.
    names.some((name) => asked === `${name}:${port}` || (port === 80 && asked === name)) ||
    (isEverywhere && isAddress(asked, port))
}

/**
 * A page of another site comes under a name of its own, never under an address: that is what monitors ask by, which find
 * a container by its address alone.
 */
function isAddress(asked: string, port: number): boolean {
  const [, address = ''] = new RegExp(`^(.*):${port}$`).exec(asked) ?? []
  return isIP(address.replace(/^\[(.*)\]$/, '$1')) !== 0
}

const bracketed = (host: string) => (host.includes(':') ? `[${host}]` : host)

function portInUse(port: number, cause: unknown): BallastError {
  return ballastError(
    'PORT_IN_USE',
    `Port ${port} is in use: stop the other program or set another port for the dashboard.`,
    { port },
    cause,
  )
}
